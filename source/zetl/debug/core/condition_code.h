// Conditions of breakpoints as programs that a device evaluates.
#pragma once

#include <string_view>

#include "core/code.h"
#include "core/inspector.h"
#include "core/kernel_table.h"

namespace zetl::debugger {

/// For any thread that comes to where the inspector's thread stands; `frame` is that thread's innermost. Throws Failure
/// for what cannot be coded: assignments, vectors, objects in several pieces, values that were printed before.
Code conditionCode(std::string_view condition, Inspector& inspector, const Frame& frame, const KernelInfo* kernel,
                   const Memory& memory);

}  // namespace zetl::debugger
