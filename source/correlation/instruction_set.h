// The instructions in a kernel's machine code, for every kind of device.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace zetl::correlation {

struct InstructionSet {
    using Each = std::function<void(std::uint32_t offset, std::uint32_t bytes)>;

    /// Calls back for each instruction up to the padding; returns the number of bytes that they take.
    std::uint32_t (*each)(std::span<const std::uint8_t> code, const Each& function);
    std::string (*text)(std::span<const std::uint8_t> code, std::uint32_t offset);
    bool isIntels;
};

extern const InstructionSet kXe;
extern const InstructionSet kCuda;

}  // namespace zetl::correlation
