#include "emulator/check/lane_crossing.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/check/register_bytes.h"
#include "emulator/isa/observe.h"
#include "isa/xe/legacy_message.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::check {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using zetl::isa::xe::Predicate;

constexpr std::uint32_t kAllLanes = 32;

std::uint32_t allOf(std::uint32_t lanes) noexcept {
    return static_cast<std::uint32_t>((std::uint64_t{1} << std::min(lanes, kAllLanes)) - 1);
}

/// Its lanes, one element behind the other: <1;1,0>, however that is spelled.
bool isDense(const Operand& operand, std::uint32_t lanes) noexcept {
    return isOfRegisters(operand) && isa::elementOf(operand, lanes - 1) == lanes - 1;
}

class Crossings {
  public:
    explicit Crossings(const isa::Program& program) : program_(program) {}

    std::uint32_t lanesOf(isa::Line line) const {
        const Instruction& in = program_.instruction(line);
        if (in.noMask) return combines(line, in) && !endsInAtomic(line) ? combined(in) : 0;
        return broadcast(line, in);
    }

  private:
    /// (W) add (8) x r2.0 r2.8, or (W) mov (8) y.1 r2.0, with which scans begin: r2 was computed by all lanes.
    bool combines(isa::Line line, const Instruction& in) const {
        const std::uint32_t lanes = in.width;
        if (lanes < 4 || in.predicate != Predicate::none || !isDense(in.source[0], lanes)) return false;
        const Operand& first = in.source[0];
        const std::uint32_t size = byteSize(first.type);
        const std::uint32_t place = isa::placeOf(first);
        if (in.sources == 2) {
            const Operand& second = in.source[1];
            if (!isDense(second, lanes) || second.type != first.type || isa::placeOf(second) != place + lanes * size)
                return false;
        } else if (takesHalf(line, in)) {
            return isOfLanes(line, place - lanes * size, place + lanes * size, 2 * lanes);
        } else if (in.opcode != Opcode::mov || !isOfRegisters(in.destination) || in.destination.horizontal > 1 ||
                   byteSize(in.destination.type) != size ||
                   isa::placeOf(in.destination) % std::min(2 * lanes * size, isa::layout::kRegisterBytes) != size ||
                   !shiftsOn(line, in)) {
            return false;
        }
        return isOfLanes(line, place, place + 2 * lanes * size, 2 * lanes);
    }

    /// (W) mov (8) r3.0 r2.8, before (W) sel (8) r4.0 r2.0 r3.0.
    bool takesHalf(isa::Line line, const Instruction& in) const {
        if (in.opcode != Opcode::mov || !isOfRegisters(in.destination) || line + 1 >= program_.lineCount())
            return false;
        const Instruction& next = program_.instruction(line + 1);
        const std::uint32_t bytes = in.width * byteSize(in.source[0].type);
        return next.noMask && next.width == in.width && next.sources == 2 && isOfRegisters(next.source[0]) &&
               isOfRegisters(next.source[1]) && isa::placeOf(in.source[0]) >= bytes &&
               isa::placeOf(next.source[0]) == isa::placeOf(in.source[0]) - bytes &&
               isa::placeOf(next.source[1]) == isa::placeOf(in.destination);
    }

    /// The next move takes the rest of the lanes to where this one ends.
    bool shiftsOn(isa::Line line, const Instruction& in) const {
        if (line + 1 >= program_.lineCount()) return false;
        const Instruction& next = program_.instruction(line + 1);
        const std::uint32_t bytes = in.width * byteSize(in.source[0].type);
        return next.opcode == Opcode::mov && next.noMask && next.width * 2 == in.width &&
               isOfRegisters(next.source[0]) && isOfRegisters(next.destination) &&
               isa::placeOf(next.source[0]) == isa::placeOf(in.source[0]) + bytes &&
               isa::placeOf(next.destination) == isa::placeOf(in.destination) + bytes;
    }

    static std::uint32_t combined(const Instruction& in) noexcept { return allOf(in.width * 2u); }

    /// mov (16) x r2.7<0;1,0>, where all lanes computed r2.
    std::uint32_t broadcast(isa::Line line, const Instruction& in) const {
        const Operand& from = in.source[0];
        if (in.opcode != Opcode::mov || in.width < 8 || in.predicate != Predicate::none || !isOfRegisters(from))
            return 0;
        if (isa::elementOf(from, in.width - 1u) != 0 || byteSize(from.type) < sizeof(std::uint32_t)) return 0;
        const std::uint32_t size = byteSize(from.type);
        const std::uint32_t place = isa::placeOf(from);
        for (std::uint32_t back = 1; back <= kFar && back <= line; ++back) {
            const Instruction& before = program_.instruction(line - back);
            if (leavesTheBlock(before)) return 0;
            const RegisterBytes written = bytesWrittenBy(before);
            if (written.begin >= place + size || written.end <= place) continue;
            if (before.noMask || before.width < 8 || before.predicate != Predicate::none) return 0;
            if (!isMessage(before) &&
                (byteSize(before.destination.type) != size || before.destination.horizontal > 1 || isMessage(in)))
                return 0;
            if (isMessage(before) && !loadsByLanes(before, size)) return 0;
            const std::uint32_t lane = (place - written.begin) / size + before.offset;
            return lane < kAllLanes && lane < before.offset + std::uint32_t{before.width} ? 1u << lane : 0;
        }
        return 0;
    }

    static bool loadsByLanes(const Instruction& in, std::uint32_t size) {
        const auto plan = isa::AccessPlan::of(in);
        return plan && !plan->shape.write && !plan->shape.block && !plan->shape.block2d && !plan->shape.atomic &&
               plan->shape.bytes == size;
    }

    /// Whether lines right before this one have written these bytes, each for the lanes that are on.
    bool isOfLanes(isa::Line line, std::uint32_t begin, std::uint32_t end, std::uint32_t lanes) const {
        std::uint32_t left = end - begin;
        for (std::uint32_t back = 1; back <= kNear && back <= line; ++back) {
            const Instruction& before = program_.instruction(line - back);
            if (leavesTheBlock(before)) return false;
            const RegisterBytes written = bytesWrittenBy(before);
            if (written.begin >= end || written.end <= begin) continue;
            const bool whole = written.begin >= begin && written.end <= end && !before.noMask && !isMessage(before) &&
                               before.predicate == Predicate::none && before.width <= lanes && before.width >= 8;
            if (!whole) return false;
            left -= std::min(left, written.end - written.begin);
            if (left == 0) return true;
        }
        return false;
    }

    bool endsInAtomic(isa::Line line) const {
        for (isa::Line next = line + 1; next < program_.lineCount() && next - line <= kFar; ++next) {
            const Instruction& in = program_.instruction(next);
            if (leavesTheBlock(in)) return false;
            if (!isMessage(in) || !in.noMask || in.width != 1) continue;
            const auto plan = isa::AccessPlan::of(in);
            if (plan && plan->shape.atomic) return true;
        }
        return false;
    }

    static constexpr std::uint32_t kNear = 24;
    static constexpr std::uint32_t kFar = 80;
    const isa::Program& program_;
};

/// A load of 32 bits for each lane, or of several times 32.
bool loadsWords(const Instruction& in) {
    const auto plan = isa::AccessPlan::of(in);
    if (!plan || plan->shape.write || plan->shape.block || plan->shape.block2d) return false;
    const zetl::isa::xe::lsc::Descriptor descriptor(zetl::isa::xe::modernForm(in).message);
    return descriptor.registerBytes() == sizeof(std::uint32_t);
}

/// The last line before this one, whatever leads there, that has written the first lane's result at the base.
std::optional<Shuffle> shuffleFrom(const isa::Program& program, isa::Line line, std::uint32_t base) {
    constexpr isa::Line kFarthest = 400;
    for (isa::Line back = 1; back <= kFarthest && back <= line; ++back) {
        const Instruction& before = program.instruction(line - back);
        const Operand& to = before.destination;
        if (!isOfRegisters(to)) continue;
        const bool begins = isa::placeOf(to) == base;
        if (!begins && (isMessage(before) || !bytesWrittenBy(before).meets({base, base + 1}))) continue;
        const bool byLanes = begins && !before.noMask && before.width >= 8 && before.offset == 0;
        if (!byLanes) return std::nullopt;
        if (isMessage(before))
            return loadsWords(before) ? std::optional(Shuffle{base, sizeof(std::uint32_t)}) : std::nullopt;
        return Shuffle{base, std::max<std::uint32_t>(to.horizontal, 1) * byteSize(to.type)};
    }
    return std::nullopt;
}

/// Finds (W) mov (16) x.1<2> r5.0<2;1,0>, where lanes computed r5: a part of the exchange between neighbours.
std::optional<Shuffle> exchangeAt(const isa::Program& program, isa::Line line) {
    constexpr std::uint32_t kWord = sizeof(std::uint32_t);
    const Instruction& in = program.instruction(line);
    const Operand& from = in.source[0];
    const Operand& to = in.destination;
    if (in.opcode != Opcode::mov || !in.noMask || in.predicate != Predicate::none || in.width < 4 ||
        !isOfRegisters(from) || !isOfRegisters(to) || from.hasModifier() || byteSize(from.type) != kWord ||
        to.type != from.type)
        return std::nullopt;
    const std::uint32_t step = isa::elementOf(from, 1);
    if (step < 2 || to.horizontal != step || isa::elementOf(from, in.width - 1u) != step * (in.width - 1u))
        return std::nullopt;
    const std::uint32_t read = isa::placeOf(from) / kWord % step;
    const std::uint32_t written = isa::placeOf(to) / kWord % step;
    if (read == written) return std::nullopt;
    const auto shuffle = shuffleFrom(program, line, isa::placeOf(from) - read * kWord);
    if (!shuffle || shuffle->stride != kWord) return std::nullopt;
    Shuffle found = *shuffle;
    found.distance = static_cast<std::int32_t>(read) - static_cast<std::int32_t>(written);
    for (std::uint32_t lane = written; lane < kAllLanes && lane / step < in.width; lane += step)
        found.fixed |= 1u << lane;
    return found;
}

/// Finds mov (16) x r[a0.0]<1,0> behind add (16) a0.0 y base, where lanes computed what lies at the base.
std::optional<Shuffle> shuffleAt(const isa::Program& program, isa::Line line) {
    const Instruction& in = program.instruction(line);
    const Operand& from = in.source[0];
    if (in.opcode != Opcode::mov || in.noMask || !from.isGrf() || !from.isIndirect() || from.addressOffset != 0 ||
        byteSize(from.type) != sizeof(std::uint32_t))
        return std::nullopt;
    constexpr isa::Line kNearAddress = 24;
    for (isa::Line back = 1; back <= kNearAddress && back <= line; ++back) {
        const Instruction& before = program.instruction(line - back);
        if (leavesTheBlock(before)) return std::nullopt;
        if (!before.destination.isArf(zetl::isa::xe::ArchitectureRegister::address)) continue;
        if (before.opcode != Opcode::add || !before.source[1].isImmediate()) return std::nullopt;
        return shuffleFrom(program, line, static_cast<std::uint32_t>(before.source[1].immediate & 0xffff));
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::optional<Shuffle>> shufflesOf(const isa::Program& program) {
    std::vector<std::optional<Shuffle>> shuffles(program.lineCount());
    for (isa::Line line = 0; line < program.lineCount(); ++line) {
        shuffles[line] = shuffleAt(program, line);
        if (!shuffles[line]) shuffles[line] = exchangeAt(program, line);
    }
    return shuffles;
}

std::uint32_t lanesShuffled(const isa::Thread& thread, const isa::Instruction& in, const Shuffle& shuffle,
                            std::uint32_t lanes) noexcept {
    if (shuffle.fixed != 0) {
        const std::uint32_t reading = shuffle.fixed & thread.active & thread.dispatched;
        return shuffle.distance > 0 ? reading << shuffle.distance : reading >> -shuffle.distance;
    }
    const Operand& from = in.source[0];
    const bool isPerLane = from.addressing == Operand::Addressing::indirectPerRow;
    std::uint32_t read = 0;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        const std::uint32_t entry = from.addressSub + (isPerLane ? lane : 0);
        std::uint16_t place = 0;
        std::memcpy(&place, thread.state + isa::layout::kAddress + entry * sizeof place, sizeof place);
        if (place < shuffle.base) continue;
        const std::uint32_t other = (place - shuffle.base) / shuffle.stride;
        if (other < kAllLanes) read |= 1u << other;
    }
    return read;
}

std::vector<std::uint32_t> lanesCrossedBy(const isa::Program& program) {
    const Crossings crossings(program);
    std::vector<std::uint32_t> lanes(program.lineCount());
    for (isa::Line line = 0; line < program.lineCount(); ++line) lanes[line] = crossings.lanesOf(line);
    return lanes;
}

}  // namespace zetl::emulator::check
