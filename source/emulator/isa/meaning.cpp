#include "emulator/isa/meaning.h"

namespace zetl::emulator::isa {
namespace {

/// Where the table has a stride; kStrides if nowhere.
std::size_t strideIndex(std::uint8_t stride) {
    constexpr std::size_t kIndex[] = {0, 1, 2, kStrides, 3};
    return stride < std::size(kIndex) ? kIndex[stride] : kStrides;
}

}  // namespace

Handler handlerOf(const StepTable& table, const Meaning& what) noexcept {
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

}  // namespace zetl::emulator::isa
