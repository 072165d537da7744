// The instructions of one piece of machine code.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isa/xe/architecture.h"
#include "isa/xe/instruction.h"

namespace zetl::instrumentation {

/// Decoded from the first byte up to bytes that are no instruction: the padding behind the code. Immutable.
class DecodedCode {
  public:
    DecodedCode(const isa::xe::Architecture& architecture, std::span<const std::uint8_t> bytes);

    const isa::xe::Architecture& architecture() const noexcept { return architecture_; }

    std::span<const isa::xe::Instruction> instructions() const noexcept { return instructions_; }
    /// The index of the instruction that starts at the offset.
    std::optional<std::uint32_t> at(std::uint64_t offset) const noexcept;
    /// The number of bytes that are instructions.
    std::uint32_t end() const noexcept { return end_; }

  private:
    const isa::xe::Architecture& architecture_;
    std::vector<isa::xe::Instruction> instructions_;
    std::uint32_t end_ = 0;
};

}  // namespace zetl::instrumentation
