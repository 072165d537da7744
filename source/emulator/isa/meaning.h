// What a step means. Lowering decides on the meaning first; the step's handler follows from it. Translation reads it
// beside the steps, which stay small and hot.
#pragma once

#include <iterator>
#include <type_traits>
#include <vector>

#include "emulator/isa/flow.h"
#include "emulator/isa/step_table.h"

namespace zetl::emulator::isa {

enum class Family : std::uint8_t {
    compute,     ///< a row on lanes
    convert,     ///< a source to lanes
    modify,      ///< absolute value, sign, complement
    clamp,       ///< saturation
    retire,      ///< lanes to a destination
    compare,     ///< lanes to flags
    pick,        ///< selection by flags
    spread,      ///< flags to lanes
    narrow,      ///< lanes as a destination will show them
    laneAccess,  ///< a load or store by lanes; from here on, translation uses general registers freely
    block,       ///< a load or store of a block
    atomic,      ///< an atomic operation by lanes
    gather,      ///< raw bytes of any region
    scatter,     ///< raw bytes to any region
    latch,       ///< a copy of raw bytes
    // Flow: what flow.h says of the handler of this name. No meaning has more to say of it.
    jump,
    fork,
    forkBackward,
    forkToRegister,
    join,
    arrive,
    branchIf,
    branchElse,
    loopWhile,
    call,
    ret,
    finish,
    marker,
    applyControl,
    signalBarrier,
    waitBarrier,
    other,  ///< none of these: only its handler says what it does
};
constexpr bool isFlow(Family family) noexcept { return family >= Family::jump; }

/// Steps into which lowering has split an instruction, or a part of it, and which host code may do as one. All work on
/// chunks of lanes, of whole numbers, and leave nothing in the working space that others read, unless stated.
enum class Whole : std::uint8_t {
    none,
    negative,         ///< convert, modify: lanes as they are, of dwords or reals, times minus one, which others read
    move,             ///< convert, retire: all lanes, stored side by side as they are
    moveBytes,        ///< convert, retire: the low bytes of 32 words to every second byte
    narrowMove,       ///< convert, retire: 32 bytes or words that become bytes or words side by side
    flagLanes,        ///< spread, retire: flags as dwords or 32 words side by side, all ones or zero
    compareToLanes,   ///< compare, spread, retire: the same, of a comparison in lanes of 32 bits without a predicate
    compareNegative,  ///< convert, convert, modify, compare: whether a dword is the negative of another, in 64 bits
    product,          ///< convert, convert, compute, retire: dwords times words, all lanes of 16; the lanes may be read
    longProduct,      ///< convert (one or two), compute, convert, retire, retire: both halves of products of dwords
    pickWords,        ///< pick, retire: 32 words side by side of lanes of 32 bits
    words,            ///< convert (one or two), pick or logic, and retire or, with 0, narrow and compare: 32 words
};
/// Whether it is the whole rest of its line: otherwise a later step of the line reads the working space.
constexpr bool endsLine(Whole whole) noexcept { return whole != Whole::negative && whole != Whole::product; }

struct Meaning {
    Family family = Family::other;
    Whole whole = Whole::none;       ///< of the steps that begin with this one; the one that takes most of them
    std::uint16_t row = 0;           ///< row of compute; condition of compare
    LaneType lanes = LaneType::i32;  ///< type in which lanes compute
    DataType type = DataType::ud;    ///< of the source or destination
    std::uint8_t steps : 3 = 0;      ///< the number of the steps of `whole`
    std::uint8_t stride : 3 = 1;     ///< of convert, in elements: 0, 1, 2 or 4
    bool masked : 1 = false;
    bool wide : 1 = false;        ///< chunks of sixteen lanes; otherwise one lane
    std::uint8_t packedForm = 0;  ///< of laneAccess and atomic

    LaneAccess::Form laneForm() const noexcept {
        return {.space = static_cast<MemorySpace>(packedForm & 7),
                .write = (packedForm >> 3 & 1) != 0,
                .data = static_cast<std::uint8_t>(packedForm >> 4 & 7),
                .whole = packedForm >> 7 != 0};
    }
    AtomicAccess::Form atomicForm() const noexcept {
        return {.elementBytes = static_cast<std::uint8_t>(packedForm & 15),
                .addressBytes = static_cast<std::uint8_t>(packedForm >> 4)};
    }
};
static_assert(sizeof(Meaning) == 8, "one for each step, in up to three versions of a program");

/// Where the table has a stride; kStrides if nowhere.
constexpr std::size_t strideIndex(std::uint8_t stride) {
    constexpr std::size_t kIndex[] = {0, 1, 2, kStrides, 3};
    return stride < std::size(kIndex) ? kIndex[stride] : kStrides;
}
/// The handlers of flow, which are the same in every table.
inline constexpr Handler kFlowHandlers[] = {jump,     fork,         forkBackward,  forkToRegister, join,   arrive,
                                            branchIf, branchElse,   loopWhile,     call,           ret,    finish,
                                            marker,   applyControl, signalBarrier, waitBarrier,    nullptr};
static_assert(std::size(kFlowHandlers) ==
              static_cast<std::size_t>(Family::other) - static_cast<std::size_t>(Family::jump) + 1);

/// Null if the table has no such handler, and for Family::other. Lowering mostly knows the family where it asks: the
/// switch goes if this is inlined.
[[gnu::always_inline]] inline Handler handlerOf(const StepTable& table, const Meaning& what) noexcept {
    const auto lanes = static_cast<std::size_t>(what.lanes);
    const auto type = static_cast<std::size_t>(what.type);
    const bool is64 = byteSize(what.lanes) == 8;
    switch (what.family) {
        case Family::compute:
            return table.compute[what.row][lanes][what.masked][what.wide];
        case Family::convert: {
            const std::size_t stride = strideIndex(what.stride);
            return stride == kStrides ? nullptr : table.convert[type][lanes][stride][what.wide];
        }
        case Family::modify:
            return table.modify[lanes][what.wide];
        case Family::clamp:
            return table.clamp[lanes][type];
        case Family::retire:
            return table.retire[lanes][type][what.masked][what.wide];
        case Family::compare:
            return table.compare[what.row][lanes][what.wide];
        case Family::pick:
            return table.pick[is64][what.masked][what.wide];
        case Family::spread:
            return table.spread;
        case Family::narrow:
            return table.narrow[lanes][type];
        case Family::laneAccess:
            return std::get<Handlers<LaneAccess>>(table.messages).of(what.laneForm());
        case Family::block:
            return std::get<Handlers<BlockAccess>>(table.messages).run[0];
        case Family::atomic:
            return std::get<Handlers<AtomicAccess>>(table.messages).of(what.atomicForm());
        case Family::gather:
            return table.gather;
        case Family::scatter:
            return table.scatter;
        case Family::latch:
            return table.copy;
        default:
            return kFlowHandlers[static_cast<std::size_t>(what.family) - static_cast<std::size_t>(Family::jump)];
    }
}

constexpr std::uint8_t packed(const LaneAccess::Form& form) noexcept {
    const unsigned bits = static_cast<unsigned>(form.space) | unsigned{form.write} << 3 | unsigned{form.data} << 4 |
                          unsigned{form.whole} << 7;
    return static_cast<std::uint8_t>(bits);
}
constexpr std::uint8_t packed(const AtomicAccess::Form& form) noexcept {
    return static_cast<std::uint8_t>(form.elementBytes | form.addressBytes << 4);
}
/// The meaning of a message step.
template <class Access>
Meaning meaningOf([[maybe_unused]] const typename Access::Form& form) noexcept {
    if constexpr (std::is_same_v<Access, LaneAccess>)
        return {.family = Family::laneAccess, .packedForm = packed(form)};
    else if constexpr (std::is_same_v<Access, AtomicAccess>)
        return {.family = Family::atomic, .packedForm = packed(form)};
    else
        return {.family = std::is_same_v<Access, BlockAccess> ? Family::block : Family::other};
}

/// Steps and, in the same order, their meanings.
struct StepList {
    std::vector<Step> steps;
    std::vector<Meaning> meanings;

    void resize(std::size_t count) {
        steps.resize(count);
        meanings.resize(count);
    }
    /// Of one of these steps; null if it works neither on lanes nor on memory.
    const Meaning* meaningOf(const Step& step) const noexcept {
        const Meaning& meaning = meanings[static_cast<std::size_t>(&step - steps.data())];
        return isFlow(meaning.family) ? nullptr : &meaning;
    }
    Family familyOf(const Step& step) const noexcept {
        return meanings[static_cast<std::size_t>(&step - steps.data())].family;
    }
};

}  // namespace zetl::emulator::isa
