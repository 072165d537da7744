// The instructions in a kernel's machine code, for every kind of device.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "isa/xe/architecture.h"

namespace zetl::correlation {

struct InstructionSet {
    using Each = std::function<void(std::uint32_t offset, std::uint32_t bytes)>;

    /// Calls back for each instruction up to the padding; returns the number of bytes that they take.
    std::uint32_t (*each)(const InstructionSet& set, std::span<const std::uint8_t> code, const Each& function);
    std::string (*text)(const InstructionSet& set, std::span<const std::uint8_t> code, std::uint32_t offset);
    const isa::xe::Architecture* architecture = nullptr;  ///< of Intel's; null for others
};

InstructionSet xeInstructions(const isa::xe::Architecture& architecture) noexcept;
extern const InstructionSet kCuda;

}  // namespace zetl::correlation
