// What a step means. Lowering decides on the meaning first; the step's handler follows from it. Translation reads it
// beside the steps, which stay small and hot.
#pragma once

#include <type_traits>
#include <vector>

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
    other,       ///< none of these: only its handler says what it does
};

struct Meaning {
    Family family = Family::other;
    std::uint16_t row = 0;           ///< row of compute; condition of compare
    LaneType lanes = LaneType::i32;  ///< type in which lanes compute
    DataType type = DataType::ud;    ///< of the source or destination
    std::uint8_t stride = 1;         ///< of convert, in elements: 0, 1, 2 or 4
    bool masked = false;
    bool wide = false;               ///< chunks of sixteen lanes; otherwise one lane
    LaneAccess::Form form = {};      ///< of laneAccess
    AtomicAccess::Form atomic = {};  ///< of atomic
};
static_assert(sizeof(Meaning) == 16, "one for each step, in up to three versions of a program");

/// Where the table has a stride; kStrides if nowhere.
constexpr std::size_t strideIndex(std::uint8_t stride) {
    constexpr std::size_t kIndex[] = {0, 1, 2, kStrides, 3};
    return stride < std::size(kIndex) ? kIndex[stride] : kStrides;
}
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
            return std::get<Handlers<LaneAccess>>(table.messages).run[what.form.index()];
        case Family::block:
            return std::get<Handlers<BlockAccess>>(table.messages).run[0];
        case Family::atomic:
            return std::get<Handlers<AtomicAccess>>(table.messages).run[what.atomic.index()];
        case Family::gather:
            return table.gather;
        case Family::scatter:
            return table.scatter;
        case Family::latch:
            return table.copy;
        case Family::other:
            return nullptr;
    }
    return nullptr;
}

/// The meaning of a message step.
template <class Access>
Meaning meaningOf([[maybe_unused]] const typename Access::Form& form) noexcept {
    if constexpr (std::is_same_v<Access, LaneAccess>)
        return {.family = Family::laneAccess, .form = form};
    else if constexpr (std::is_same_v<Access, AtomicAccess>)
        return {.family = Family::atomic, .atomic = form};
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
    /// Of one of these steps; null for Family::other.
    const Meaning* meaningOf(const Step& step) const noexcept {
        const Meaning& meaning = meanings[static_cast<std::size_t>(&step - steps.data())];
        return meaning.family == Family::other ? nullptr : &meaning;
    }
};

}  // namespace zetl::emulator::isa
