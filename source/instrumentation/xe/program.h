// A zebin or patch-token binary.
#pragma once

#include <memory>
#include <span>

#include "instrumentation/parts/program.h"

namespace zetl::instrumentation {

binary::Outcome<std::unique_ptr<Program::Content>> readXe(std::span<const std::uint8_t> bytes);

}  // namespace zetl::instrumentation
