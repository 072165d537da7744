#include "correlation/instruction_set.h"

#include <fmt/format.h>

#include <cstring>

#include "isa/sass/instruction.h"
#include "isa/xe/decode.h"

namespace zetl::correlation {
namespace {

namespace xe = isa::xe;
namespace sass = isa::sass;

std::uint32_t eachXeInstruction(const InstructionSet& set, std::span<const std::uint8_t> code,
                                const InstructionSet::Each& function) {
    std::uint32_t at = 0;
    while (at < code.size()) {
        const auto instruction = xe::decode(*set.architecture, std::as_bytes(code.subspan(at)), at);
        if (!instruction || instruction->opcode == xe::Opcode::illegal) break;
        function(at, instruction->bytes);
        at += instruction->bytes;
    }
    return at;
}

std::string xeText(const InstructionSet& set, std::span<const std::uint8_t> code, std::uint32_t offset) {
    const auto instruction = xe::decode(*set.architecture, std::as_bytes(code.subspan(offset)), offset);
    return instruction ? xe::text(*set.architecture, *instruction) : std::string();
}

constexpr std::uint32_t kCudaInstructionBytes = sass::kInstructionBytes;

bool isCudaNop(std::span<const std::uint8_t> instruction) {
    std::uint64_t word = 0;
    std::memcpy(&word, instruction.data(), sizeof word);
    return word == sass::kNop.low;
}

/// Stops at the instructions without effect that fill the last cache line.
std::uint32_t eachCudaInstruction(const InstructionSet&, std::span<const std::uint8_t> code,
                                  const InstructionSet::Each& function) {
    auto end = code.size() / kCudaInstructionBytes * kCudaInstructionBytes;
    while (end > 0 && isCudaNop(code.subspan(end - kCudaInstructionBytes))) end -= kCudaInstructionBytes;
    std::uint32_t at = 0;
    for (; at < end; at += kCudaInstructionBytes) function(at, kCudaInstructionBytes);
    return at;
}

/// NVIDIA does not document the encoding, so the text is the words themselves, which nvdisasm accepts.
std::string cudaText(const InstructionSet&, std::span<const std::uint8_t> code, std::uint32_t offset) {
    std::uint64_t words[2];
    static_assert(sizeof words == kCudaInstructionBytes);
    std::memcpy(words, code.data() + offset, sizeof words);
    return fmt::format("{:#018x} {:#018x}", words[0], words[1]);
}

}  // namespace

InstructionSet xeInstructions(const xe::Architecture& architecture) noexcept {
    return {eachXeInstruction, xeText, &architecture};
}
constinit const InstructionSet kCuda{eachCudaInstruction, cudaText};

}  // namespace zetl::correlation
