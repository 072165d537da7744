// Command queue groups. CUDA has streams and no engines to choose; the groups say what kind of work a queue takes.
#pragma once

#include <span>

#include "driver/queue_place.h"

namespace zetl::nvidia {

using zetl::driver::QueueGroup;

std::span<const QueueGroup> queueGroups() noexcept;

}  // namespace zetl::nvidia
