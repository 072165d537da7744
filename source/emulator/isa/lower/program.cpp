#include "emulator/isa/program.h"

#include <algorithm>
#include <cstring>

#include "emulator/isa/code.h"
#include "emulator/isa/float_mode.h"
#include "emulator/isa/lower/lowering.h"
#include "emulator/isa/work.h"
#include "isa/xe/decode.h"

namespace zetl::emulator::isa {
namespace {

/// What a write of cr0.0 sets for denormals and integers, if its operand is known.
void surveyControl(const Instruction& in, Traits& t, bool& keepsHalf) {
    const Operand& d = in.destination;
    if (!d.isArf(ArchitectureRegister::control) || d.subByte != 0) return;
    const Operand& last = in.source[in.sources > 1 ? 1 : 0];
    if (!last.isImmediate()) return;
    const auto bits = static_cast<std::uint32_t>(last.immediate) ^ (in.opcode == Opcode::bitAnd ? ~0u : 0);
    constexpr std::uint32_t both = kKeepDoubleDenormals | kKeepSingleDenormals;
    if ((bits & both) != both && (bits & both) != 0) t.splitDenormals = true;
    if (in.opcode != Opcode::bitAnd && bits & kRoundIntegers) t.roundIntegers = true;
    if (in.opcode == Opcode::bitOr && bits & kKeepHalfDenormals)
        keepsHalf = true;
    else if (in.opcode == Opcode::bitOr && bits & both)
        t.flushHalf = true;
}
/// Lines at which lanes may wait although they are no join, while or endif.
void surveyArrivals(Program::Code& code) {
    auto& arrival = code.traits.arrival;
    arrival.assign(code.lines(), false);
    const auto mark = [&](std::uint32_t ip) {
        const Line line = code.find(ip);
        if (line == kNoLine) return;
        const Opcode o = code.instructions[line].opcode;
        if (o != Opcode::join && o != Opcode::endif) arrival[line] = true;
    };
    for (const Instruction& in : code.instructions) {
        if (in.targetInRegister && (in.opcode == Opcode::brd || in.opcode == Opcode::brc)) {  // anywhere
            for (Line line = 0; line < code.lines(); ++line) mark(code.ipOf(line));
            return;
        }
        const std::uint32_t near = in.ip + static_cast<std::uint32_t>(in.jip);
        const std::uint32_t far = in.ip + static_cast<std::uint32_t>(in.uip);
        switch (in.opcode) {
            case Opcode::branchIf:
            case Opcode::brd:
                mark(near);
                mark(far);
                break;
            case Opcode::branchElse:
            case Opcode::breakLoop:
            case Opcode::continueLoop:
            case Opcode::halt:
            case Opcode::brc:
                mark(far);
                break;
            case Opcode::branchWhile:
                mark(in.ip);
                mark(in.ip + in.bytes);
                break;
            default:
                break;
        }
    }
}
void addCharges(Program::Code& code) {
    code.charges.reserve(code.instructions.size() + 1);
    code.charges.push_back(0);
    for (const Instruction& in : code.instructions) code.charges.push_back(code.charges.back() + chargeFor(in));
}
void decodeAll(std::span<const std::byte> bytes, Program::Code& code) {
    code.lineAt.assign(bytes.size() / 8 + 1, kNoLine);
    bool keepsHalf = false;
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
        code.traits.wideAccumulator |= in->opcode == Opcode::mach ||
                                       (in->opcode == Opcode::mac && !isReal(in->destination.type)) ||
                                       (in->opcode == Opcode::macl && in->condition == Condition::overflow);
        surveyControl(*in, code.traits, keepsHalf);
        at += in->bytes;
        code.instructions.push_back(*in);
    }
    code.traits.flushHalf |= !keepsHalf;
    surveyArrivals(code);
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
