#include "emulator/check/number_check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>

#include "emulator/check/index_overflow.h"
#include "emulator/check/special_numbers.h"
#include "emulator/isa/register_use.h"
#include "emulator/isa/thread.h"
#include "emulator/machine/execution/device_runtime.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/tools/hardware_thread.h"

namespace zetl::emulator::check {
namespace {

using isa::DataType;
using isa::Instruction;
using isa::Operand;
using zetl::check::Kind;

bool isFloat(DataType type) noexcept { return type == DataType::hf || type == DataType::f || type == DataType::df; }

std::uint32_t placeIn(const Operand& operand) noexcept {
    const std::uint32_t base = operand.isAccumulator() ? isa::layout::kAccumulator : isa::layout::kGrf;
    return base + operand.number * isa::layout::kRegisterBytes + operand.subByte;
}

template <class Element>
void specialsOf(const isa::Thread& thread, const Instruction& in, const Operand& operand, bool destination,
                std::uint32_t lanes, SpecialLanes& special) noexcept {
    const Format format = formatOf(operand.type);
    const std::uint32_t place = placeIn(operand);
    const std::uint32_t stride = std::max<std::uint32_t>(operand.horizontal, 1);
    const std::uint32_t width = std::min<std::uint32_t>(in.width, 32);
    if (destination && stride == 1 && !hasSpecials<Element>(thread.state + place, width, format)) return;
    for (std::uint32_t lane = 0; lane < width; ++lane) {
        if ((lanes >> lane & 1) == 0) continue;
        Element bits;
        const std::uint32_t element = destination ? lane * stride : isa::elementOf(operand, lane);
        std::memcpy(&bits, thread.state + place + element * sizeof bits, sizeof bits);
        classify(bits, format, lane, special);
    }
}

void addSpecials(const isa::Thread& thread, const Instruction& in, const Operand& operand, bool destination,
                 std::uint32_t lanes, SpecialLanes& special) noexcept {
    if (!isFloat(operand.type)) return;
    if (operand.isImmediate()) {
        SpecialLanes one{};
        classify(operand.immediate, formatOf(operand.type), 0, one);
        for (std::size_t i = 0; i < kSpecials; ++i)
            if (one[i] != 0) special[i] |= lanes;
        return;
    }
    switch (byteSize(operand.type)) {
        case 2:
            return specialsOf<std::uint16_t>(thread, in, operand, destination, lanes, special);
        case 4:
            return specialsOf<std::uint32_t>(thread, in, operand, destination, lanes, special);
        default:
            return specialsOf<std::uint64_t>(thread, in, operand, destination, lanes, special);
    }
}

double realOf(std::uint64_t bits, DataType type) noexcept {
    if (type == DataType::df) return std::bit_cast<double>(bits);
    if (type == DataType::f) return double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))};
    constexpr int kFractionBits = 10;
    constexpr int kBias = 15;
    const auto exponent = static_cast<int>(bits >> kFractionBits & 0x1f);
    const double fraction = static_cast<double>(bits & 0x3ff);
    double size = std::ldexp(1024 + fraction, exponent - kBias - kFractionBits);
    if (exponent == 0) size = std::ldexp(fraction, 1 - kBias - kFractionBits);
    if (exponent == 0x1f) size = fraction != 0 ? std::nan("") : INFINITY;
    return (bits >> 15 & 1) != 0 ? -size : size;
}

/// Lanes whose number, without its fraction, is none of the integer type.
std::uint32_t lanesBeyond(const isa::Thread& thread, const Operand& from, DataType to, std::uint32_t lanes) noexcept {
    const auto bits = static_cast<int>(byteSize(to) * 8);
    const double end = std::ldexp(1.0, isSigned(to) ? bits - 1 : bits);  // the first that is too large
    const double least = isSigned(to) ? -end : 0.0;
    std::uint32_t beyond = 0;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        std::uint64_t value = 0;
        std::memcpy(&value, thread.state + placeIn(from) + isa::elementOf(from, lane) * byteSize(from.type),
                    byteSize(from.type));
        double number = realOf(value, from.type);
        if (from.absolute) number = std::fabs(number);
        if (from.negate) number = -number;
        number = std::trunc(number);
        if (!(number >= least && number < end)) beyond |= 1u << lane;
    }
    return beyond;
}

std::uint32_t lanesOfZero(const isa::Thread& thread, const Operand& from, std::uint32_t lanes) noexcept {
    std::uint32_t zeros = 0;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        float number = 0;
        std::memcpy(&number, thread.state + placeIn(from) + isa::elementOf(from, lane) * sizeof number, sizeof number);
        if (number == 0) zeros |= 1u << lane;
    }
    return zeros;
}

SpecialLanes specialsOfSources(const isa::Thread& thread, const Instruction& in, std::uint32_t lanes) noexcept {
    SpecialLanes special{};
    for (std::uint32_t i = 0; i < in.sources; ++i) addSpecials(thread, in, in.source[i], false, lanes, special);
    // The accumulator is an operand of mac that is not named.
    if (in.opcode == isa::Opcode::mac) special.fill(lanes);
    return special;
}

/// The bytes of the thread's state from the first element of the destination to the last.
std::uint32_t destinationBytes(const Instruction& in) noexcept {
    const std::uint32_t stride = std::max<std::uint32_t>(in.destination.horizontal, 1);
    return std::max<std::uint32_t>(in.width, 1) * stride * byteSize(in.destination.type);
}

std::string messageOf(Kind kind) {
    switch (kind) {
        case Kind::nan:
            return "a NaN is the result of numbers that are none";
        case Kind::infinity:
            return "an infinity is the result of finite numbers";
        case Kind::denormal:
            return "a denormal number is the result of normal ones";
        case Kind::conversion:
        case Kind::overflow:
            return std::string(zetl::check::infoOf(kind).summary);
        default:
            return "an integer is divided by zero";
    }
}

}  // namespace

/// The line of this host thread whose result is to be looked at next.
struct NumberCheck::Pending {
    const isa::Thread* thread = nullptr;
    const isa::Program* program = nullptr;
    isa::Line line = isa::kNoLine;
    std::uint32_t lanes = 0;
    std::uint32_t replaced = 0;         ///< bytes of `former`; 0: the sources are still there when the result is
    std::array<std::byte, 512> former;  ///< what the result replaces

    void replaces(const isa::Thread& of, const Instruction& in) noexcept {
        constexpr std::uint32_t kPiece = 32;  // a constant size, for which GCC does not use the slow `rep movs`
        replaced = std::min<std::uint32_t>(destinationBytes(in), former.size());
        const std::byte* const from = of.state + placeIn(in.destination);
        std::uint32_t done = 0;
        for (; done + kPiece <= replaced; done += kPiece) std::memcpy(former.data() + done, from + done, kPiece);
        std::memcpy(former.data() + done, from + done, replaced - done);
    }
    /// Puts it in the place of the result, which it keeps instead; and again.
    void exchange(isa::Thread& of, const Instruction& in) noexcept {
        std::swap_ranges(former.data(), former.data() + replaced, of.state + placeIn(in.destination));
    }
};

NumberCheck::NumberCheck(machine::Machine& machine) : memory_(machine.memory()) {
    for (std::uint32_t index = 0; index < machine.devices(); ++index)
        holds_.push_back(static_cast<machine::DeviceRuntime&>(machine.device(index)).observers().hold(*this));
}

NumberCheck::~NumberCheck() = default;

/// Not in the thread's own memory, of which a late library has little (found_last.h).
NumberCheck::Pending& NumberCheck::pendingOfThread() {
    const Lock guard(mutex_);
    std::unique_ptr<Pending>& known = pending_[std::this_thread::get_id()];
    if (!known) known = std::make_unique<Pending>();
    return *known;
}

std::vector<bool> NumberCheck::linesOf(const machine::LoadedProgram& loaded) const {
    return programs_.of(loaded).watched;
}

void NumberCheck::beforeLine(isa::Thread& thread, isa::Line line) noexcept try {
    const machine::HardwareThread& context = machine::HardwareThread::of(thread);
    if (context.loaded == nullptr || context.loaded->program.get() != thread.program) return;
    thread_local struct {
        std::uint64_t version = 0;
        const machine::LoadedProgram* loaded = nullptr;
        const NumberProgram* program = nullptr;  ///< stays known, so it is right as long as it is that program's
        Pending* pending = nullptr;
    } own;
    if (own.version != version_) own = {version_, nullptr, nullptr, &pendingOfThread()};
    if (own.loaded != context.loaded) {
        own.program = &programs_.of(*context.loaded);
        own.loaded = context.loaded;
    }
    Pending& pending = *own.pending;
    const NumberProgram::Line& what = own.program->lines[line];
    if (what.follows) lookAtResult(thread, line - 1, pending);
    if (!what.computes && !what.converts && !what.ofIntegers()) return;
    const std::uint32_t lanes = isa::lanesOf(thread, line);
    if (what.converts) lookAtConversion(thread, line, lanes);
    if (what.ofIntegers()) lookAtIntegers(thread, line, what, lanes);
    if (!what.computes || lanes == 0) return;
    pending.thread = &thread;
    pending.program = thread.program;
    pending.line = line;
    pending.lanes = lanes;
    pending.replaced = 0;
    if (what.replacesSources) pending.replaces(thread, thread.program->instruction(line));
} catch (const std::bad_alloc&) {  // this line is not checked
}

void NumberCheck::lookAtIntegers(const isa::Thread& thread, isa::Line line, const NumberProgram::Line& what,
                                 std::uint32_t lanes) {
    const auto tell = [&](Kind kind, std::uint32_t wrong) {
        if (wrong != 0) report(thread, line, kind, static_cast<std::uint32_t>(std::countr_zero(wrong)));
    };
    const Instruction& in = thread.program->instruction(line);
    if (what.guards) tell(Kind::division, lanes);
    if (what.passes) {
        const std::uint32_t all = in.noMask ? (1u << (in.width & 31)) - 1 : thread.active & thread.dispatched;
        tell(Kind::division, all & ~lanes);
    }
    if (what.inverts) tell(Kind::division, lanesOfZero(thread, in.source[0], lanes));
    if (what.indexes) tell(Kind::overflow, lanesThatOverflow(thread, in, lanes));
}

void NumberCheck::lookAtConversion(const isa::Thread& thread, isa::Line line, std::uint32_t lanes) {
    const Instruction& in = thread.program->instruction(line);
    const std::uint32_t beyond = lanesBeyond(thread, in.source[0], in.destination.type, lanes);
    if (beyond != 0) report(thread, line, Kind::conversion, static_cast<std::uint32_t>(std::countr_zero(beyond)));
}

void NumberCheck::lookAtResult(isa::Thread& thread, isa::Line line, Pending& pending) {
    if (pending.thread != &thread || pending.program != thread.program || pending.line != line) return;
    pending.thread = nullptr;
    const Instruction& in = thread.program->instruction(line);
    SpecialLanes born{};
    addSpecials(thread, in, in.destination, true, pending.lanes, born);
    if ((born[kNan] | born[kInfinity] | born[kDenormal]) == 0) return;
    pending.exchange(thread, in);
    const SpecialLanes sources = specialsOfSources(thread, in, pending.lanes);
    pending.exchange(thread, in);
    born[kNan] &= ~sources[kNan];
    born[kInfinity] &= ~(sources[kInfinity] | sources[kNan]);
    born[kDenormal] &= ~sources[kDenormal];
    constexpr std::array<Kind, kSpecials> kKinds{Kind::nan, Kind::infinity, Kind::denormal};
    for (std::size_t i = 0; i < kSpecials; ++i)
        if (born[i] != 0) report(thread, line, kKinds[i], static_cast<std::uint32_t>(std::countr_zero(born[i])));
}

void NumberCheck::report(const isa::Thread& thread, isa::Line line, Kind kind, std::uint32_t lane) {
    const machine::HardwareThread& context = machine::HardwareThread::of(thread);
    const machine::WorkGroup& group = machine::WorkGroup::of(context);
    const machine::Launch& launch = group.dispatch().launch();
    const Instruction& in = thread.program->instruction(line);
    Observation observation;
    observation.kind = kind;
    observation.launch = group.dispatch().id();
    observation.program = context.loaded;
    observation.bytes = byteSize(in.destination.type);
    const machine::Extent whole{launch.firstGroup[0] + launch.groupCount[0],
                                launch.firstGroup[1] + launch.groupCount[1],
                                launch.firstGroup[2] + launch.groupCount[2]};
    const bool ofAll = in.noMask;  // computed once for the thread, or by lanes of no work-item
    observation.now = {Access::none, line, context.index, numberOf(group.id(), whole),
                       static_cast<std::int8_t>(ofAll ? -1 : static_cast<int>(lane + in.offset))};
    observations_.add(observation);
}

std::vector<zetl::check::Finding> NumberCheck::take(const machine::Dispatch& dispatch, const SourceOf& source) {
    std::vector<zetl::check::Finding> findings;
    for (const Observations::Seen& seen : observations_.take(dispatch.id())) {
        findings.push_back(findingOf(seen, dispatch.launch(), memory_, source));
        findings.back().message = messageOf(findings.back().kind);
    }
    // 0/0 is an infinity first, which becomes a NaN in the same statement, or a few instructions on: one mistake.
    constexpr std::uint64_t kNear = 64;
    const auto nansOf = [](const zetl::check::Finding& infinity) {
        return [&side = infinity.sides.front()](const zetl::check::Finding& other) {
            const zetl::check::Side& born = other.sides.front();
            const bool near = born.ip > side.ip && born.ip - side.ip <= kNear;
            return other.kind == Kind::nan && (side.source.empty() ? near : born.source == side.source);
        };
    };
    std::vector<zetl::check::Finding> mistakes;
    for (const zetl::check::Finding& one : findings)
        if (one.kind != Kind::infinity || std::ranges::none_of(findings, nansOf(one))) mistakes.push_back(one);
    return mistakes;
}

}  // namespace zetl::emulator::check
