// Command queue groups. CUDA has streams, but no engines to choose; a group tells what kind of work a queue takes.
#pragma once

#include <span>

#include "driver/queue_place.h"

namespace zetl::nvidia {

using zetl::driver::QueueGroup;

std::span<const QueueGroup> queueGroups() noexcept;

}  // namespace zetl::nvidia
