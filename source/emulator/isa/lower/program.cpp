#include "emulator/isa/program.h"

#include <cstring>

#include "emulator/isa/code.h"
#include "emulator/isa/lower/lowering.h"
#include "emulator/isa/lower/traits.h"
#include "emulator/isa/work.h"
#include "isa/xe/decode.h"

namespace zetl::emulator::isa {
namespace {

void addCharges(Program::Code& code) {
    code.charges.reserve(code.instructions.size() + 1);
    code.charges.push_back(0);
    for (const Instruction& in : code.instructions) code.charges.push_back(code.charges.back() + chargeFor(in));
}
void decodeAll(std::span<const std::byte> bytes, Program::Code& code) {
    code.lineAt.assign(bytes.size() / 8 + 1, kNoLine);
    for (std::size_t at = 0; at + 8 <= bytes.size();) {
        const auto ip = code.options.base + static_cast<std::uint32_t>(at);
        std::uint64_t first;
        std::memcpy(&first, bytes.data() + at, 8);
        // Padding is zero and not aligned to whole instructions; undecodable words are taken one by one.
        auto in = first ? decode(*code.options.architecture, bytes.subspan(at), ip) : std::nullopt;
        if (!in || in->opcode == Opcode::illegal) {
            in.emplace();
            in->ip = ip;
            in->bytes = 8;
        }
        code.lineAt[at / 8] = code.lines();
        at += in->bytes;
        code.instructions.push_back(*in);
    }
    code.traits = findTraits(code);
    addCharges(code);
}

}  // namespace

std::unique_ptr<Program> lower(std::span<const std::byte> bytes, const LowerOptions& options) {
    return lower(bytes, options, hostTable());
}

std::unique_ptr<Program> lower(std::span<const std::byte> bytes, const LowerOptions& options, const StepTable& table) {
    auto code = std::make_unique<Program::Code>();
    code->options = options;
    code->codeBytes = static_cast<std::uint32_t>(bytes.size());
    decodeAll(bytes, *code);
    const bool prepared[kVersions] = {true, options.simd16, options.simd32};
    for (int v = 0; v < kVersions; ++v) {
        code->bodyOf[v] = prepared[v] ? static_cast<std::uint8_t>(v) : 0;
        if (!prepared[v]) continue;
        Lowering lowering(*code, static_cast<Version>(v), table);
        for (Line line = 0; line < code->lines(); ++line) lowering.add(line);
        lowering.finish();
    }
    code->seal();
    return std::make_unique<Program>(std::move(code));
}

}  // namespace zetl::emulator::isa
