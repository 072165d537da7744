// What zetl coverage asks for: how often the instructions of each module were executed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "emulator/machine/dispatch.h"
#include "emulator/machine/execution_counts.h"
#include "emulator/module/link.h"

namespace zetl::emulator::driver {

/// Where to count for a module that is about to be installed, with so many bytes of code: files in the directory that
/// ZETL_COVERAGE_OUTPUT names. Null if it names none, or if they cannot be written, which is logged. Thread-safe.
std::shared_ptr<machine::ExecutionCounts> coverageOf(const module::LinkedModule& module,
                                                     std::uint64_t codeBytes) noexcept;

/// A launch has ended on all of its tiles: if coverage is wanted, what it executed is counted now and not at some time
/// later, when the process may be gone.
void countNow(std::span<const std::shared_ptr<machine::Dispatch>> parts) noexcept;

}  // namespace zetl::emulator::driver
