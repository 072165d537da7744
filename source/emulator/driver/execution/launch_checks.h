// What zetl check looks at: the driver's launches, while ZETL_CHECK names groups of mistakes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "binary/kernel_image.h"
#include "emulator/driver/execution/operation.h"
#include "emulator/driver/program/kernel_state.h"
#include "emulator/machine/dispatch.h"

namespace zetl::emulator::driver {

class KernelState;
class Module;

/// A command has written these bytes, copied from there. Call it inside of the memory's reader. Thread-safe.
void noteTransfer(Execution& execution, std::uint64_t to, std::uint64_t from, std::uint64_t bytes) noexcept;

/// The bytes to leave between the local memory of a kernel's arguments, so that what passes an end is seen: 0 if
/// nothing is checked, or a group would no longer fit.
std::uint32_t localGap(const KernelState& state, std::uint64_t slmBytes) noexcept;

/// What a launch may only read: the module's constants, and memory that only arguments declared as constant point into.
/// Empty if nothing is checked, or the host has no memory for it.
std::vector<std::array<std::uint64_t, 2>> readOnlyMemory(const KernelState& state, const Module& module) noexcept;

/// What Launch::groupAtomics is to be.
std::shared_ptr<const std::vector<bool>> groupAtomics(const Module& module) noexcept;

/// A kernel is about to be launched: returns what Launch::command is to be.
std::uint64_t beginLaunch(Execution& execution, const Module& module, const binary::KernelImage& image,
                          const machine::Extent& groups);

/// A launch has ended on all of its tiles: writes what was found in it, a line of JSON each, to a file named after the
/// process in the directory ZETL_CHECK_OUTPUT, or as warnings to the log if that is not set. Thread-safe; does nothing
/// if nothing is checked.
void tellFindings(std::span<const std::shared_ptr<machine::Dispatch>> parts, const Module& module,
                  const KernelState& state) noexcept;

}  // namespace zetl::emulator::driver
