// What zetl check looks at: the driver's launches, while ZETL_CHECK names groups of mistakes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "emulator/machine/dispatch.h"

namespace zetl::emulator::driver {

class KernelState;
class Module;

/// Makes the machine's launches be checked from now on, if ZETL_CHECK asks for it. Call it before a launch; the first
/// call decides. Thread-safe.
void startChecks();

/// A command has written these bytes, copied from there. Call it inside of the memory's reader. Thread-safe.
void noteTransfer(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) noexcept;

/// A launch has ended on all of its tiles: writes what was found in it, a line of JSON each, to a file named after the
/// process in the directory ZETL_CHECK_OUTPUT, or as warnings to the log if that is not set. Thread-safe; does nothing
/// if nothing is checked.
void tellFindings(std::span<const std::shared_ptr<machine::Dispatch>> parts, const Module& module,
                  const KernelState& state) noexcept;

}  // namespace zetl::emulator::driver
