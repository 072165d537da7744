#include "emulator/isa/lower/lowering.h"

#include <algorithm>
#include <iterator>

#include "emulator/isa/flow.h"

namespace zetl::emulator::isa {
namespace {

constexpr unsigned kSimd16 = 16;
constexpr unsigned kSimd32 = 32;

}  // namespace

void refuseInstruction(std::string what) { throw Refusal{FaultKind::unsupportedInstruction, std::move(what)}; }
void refuseMessage(std::string what) { throw Refusal{FaultKind::unsupportedMessage, std::move(what)}; }
void refuseIllegal(std::string what) { throw Refusal{FaultKind::illegalInstruction, std::move(what)}; }

std::uint32_t registerFileBytes(const Program::Code& code, std::uint32_t ip) {
    const std::uint32_t most = code.options.architecture->registerCounts.back();
    const auto& limits = code.options.limits;
    const auto behind = std::ranges::upper_bound(limits, ip - code.options.base, {}, &RegisterLimit::from);
    const std::uint32_t own = behind == limits.begin() ? code.options.registers : std::prev(behind)->registers;
    const std::uint32_t count = own == 0 ? most : std::min(own, most);
    return count * layout::kRegisterBytes;
}

Lowering::Lowering(Program::Code& code, Version version, const StepTable& table)
    : code_(code), body_(code.body[static_cast<int>(version)]), table_(table), version_(version) {
    const std::size_t steps = code.lines() + code.lines() / 2 + 1;
    body_.steps.reserve(steps);
    body_.meanings.reserve(steps);
    body_.start.reserve(code.lines() + 1);
}

Step& appendStep(StepList& list, Handler run, const Meaning& meaning, const LaneMask& mask, std::uint8_t width,
                 Line line) {
    if (!run) refuseIllegal("operand types");
    list.meanings.push_back(meaning);
    Step& m = list.steps.emplace_back();
    m.run = run;
    m.mask = mask;
    m.line = line;
    m.chunks = width > kSimd16 ? 2 : 1;
    return m;
}

Step& Lowering::emit(Handler run, const Meaning& meaning) {
    const Line line = in_->ip == ~0u ? code_.lines() : lineOf(*in_);
    return appendStep(body_, run, meaning, mask_, in_->width, line);
}
Line Lowering::lineOf(const Instruction& in) const { return static_cast<Line>(&in - code_.instructions.data()); }

bool Lowering::allLanesOn() const {
    const unsigned end = in_->offset + in_->width;
    return in_->noMask || (version_ == Version::lanes16 && end <= kSimd16) ||
           (version_ == Version::lanes32 && end <= kSimd32);
}
LaneMask laneMaskOf(const Instruction& in) noexcept {
    LaneMask m;
    m.lanes = in.width == 32 ? ~0u : (1u << in.width) - 1;
    m.shift = in.offset;
    m.predicate = in.predicate;
    m.flag = in.flag;
    m.inverted = in.inverted;
    m.noMask = in.noMask;
    return m;
}

void Lowering::add(Line line) {
    body_.start.push_back(static_cast<std::uint32_t>(body_.steps.size()));
    const Instruction& in = code_.instructions[line];
    in_ = &in;
    mask_ = laneMaskOf(in);
    wide_ = in.width > 1;
    // Kernels are padded with these: an exception for each would take longer than lowering another line.
    if (in.opcode == Opcode::illegal) return refuseLine({FaultKind::illegalInstruction, "illegal"});
    try {
        if (code_.traits.arrival[line]) emit(Family::arrive).extra = in.ip;
        lowerLine(in);
        if (code_.options.markLines && body_.steps.size() == body_.start.back()) emit(Family::marker);
    } catch (const Refusal& r) {
        refuseLine(r);
    }
}

void Lowering::lowerLine(const Instruction& in) {
    const OpcodeInfo& info = *findOpcode(static_cast<std::uint8_t>(in.opcode));
    if (in.offset + in.width > 32) refuseIllegal("lanes beyond the execution mask");
    if (info.exactness == Exactness::unsupported) refuseInstruction(std::string(info.mnemonic));
    switch (info.format) {
        case Format::control:
            return;
        case Format::sync:
            return sync(in);
        case Format::branch:
            return branch(in);
        case Format::send:
            return message(in);
        case Format::systolic:
            return systolic(in);
        default:
            return arithmetic(in);
    }
}

void Lowering::refuseLine(const Refusal& r) {
    body_.resize(body_.start.back());
    auto [known, fresh] = code_.refused.try_emplace(static_cast<Line>(body_.start.size() - 1), nullptr);
    if (fresh) known->second = code_.name(r.what);
    Step& m = emit(refuse);
    m.kind = static_cast<std::uint8_t>(r.kind);
    m.src[0] = reinterpret_cast<std::uint64_t>(known->second);
}

void Lowering::finish() {
    body_.start.push_back(static_cast<std::uint32_t>(body_.steps.size()));
    static const Instruction end = [] {
        Instruction i;
        i.ip = ~0u;
        return i;
    }();
    in_ = &end;
    mask_ = {};
    Step& m = emit(refuse);
    m.kind = static_cast<std::uint8_t>(FaultKind::branchTarget);
    m.src[0] = reinterpret_cast<std::uint64_t>("end of the code");
    for (Step& s : body_.steps)
        if (body_.familyOf(s) == Family::jump)
            s.src[0] = reinterpret_cast<std::uint64_t>(body_.steps.data() + body_.start[static_cast<Line>(s.value)]);
}

}  // namespace zetl::emulator::isa
