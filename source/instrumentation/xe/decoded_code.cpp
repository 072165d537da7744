#include "instrumentation/xe/decoded_code.h"

#include <algorithm>

#include "isa/xe/decode.h"

namespace zetl::instrumentation {

namespace xe = isa::xe;

DecodedCode::DecodedCode(const xe::Architecture& architecture, std::span<const std::uint8_t> bytes)
    : architecture_(architecture) {
    const auto code = std::as_bytes(bytes);
    while (end_ < code.size()) {
        const auto instruction = xe::decode(architecture, code.subspan(end_), end_);
        if (!instruction || instruction->opcode == xe::Opcode::illegal) return;
        instructions_.push_back(*instruction);
        end_ += instruction->bytes;
    }
}

std::optional<std::uint32_t> DecodedCode::at(std::uint64_t offset) const noexcept {
    const auto found = std::ranges::lower_bound(instructions_, offset, {}, &xe::Instruction::ip);
    if (found == instructions_.end() || found->ip != offset) return std::nullopt;
    return static_cast<std::uint32_t>(found - instructions_.begin());
}

}  // namespace zetl::instrumentation
