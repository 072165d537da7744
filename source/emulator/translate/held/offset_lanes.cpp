// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/held/offset_lanes.h"

#include <algorithm>

#include "emulator/isa/state_layout.h"

namespace zetl::emulator::translate {

std::optional<Offset> OffsetLanes::find(const Extent& e) const {
    std::optional<Offset> all;
    for (std::uint32_t i = 0; i < e.count;) {
        const std::uint32_t at = e.place + i * e.spacing;
        const auto begins = [&](const Held& h) {
            const Extent& x = h.extent;
            return x.place == at && x.bytes == e.bytes && x.spacing == e.spacing && x.count <= e.count - i;
        };
        const auto found = std::ranges::find_if(held_, begins);
        if (found == held_.end()) return {};
        const Offset& part = found->lanes;
        if (!all) all = part;
        if (part.place != all->place + 4 * i || part.shift != all->shift || part.base != all->base ||
            part.isSigned != all->isSigned)
            return {};
        i += found->extent.count;
    }
    return all;
}

std::vector<OffsetLanes::Held> OffsetLanes::overlapping(const Extent& e) const {
    std::vector<Held> list;
    std::ranges::copy_if(held_, std::back_inserter(list), [&](const Held& h) { return h.extent.meets(e); });
    return list;
}
std::vector<OffsetLanes::Held> OffsetLanes::madeOf(const Extent& e) const {
    std::vector<Held> list;
    std::ranges::copy_if(held_, std::back_inserter(list), [&](const Held& h) { return h.dwords().meets(e); });
    return list;
}
void OffsetLanes::forget(const Held& held) {
    std::erase_if(held_, [&](const Held& h) { return h.extent.place == held.extent.place; });
}
void OffsetLanes::keepOnly(const isa::StateSlots& needed) {
    std::erase_if(held_, [&](const Held& h) {
        bool any = false;
        for (std::uint32_t at = h.extent.place; at < h.extent.end(); at += isa::layout::kRegisterBytes)
            any = any || needed.contains(at);
        return !any;
    });
}
void OffsetLanes::addDwords(isa::StateSlots& to) const {
    for (const Held& h : held_) to.add(h.lanes.place, 4 * h.extent.count);
}
std::vector<std::uint32_t> OffsetLanes::numbers() const {
    std::vector<std::uint32_t> list;
    for (const Held& h : held_) list.push_back(h.lanes.base.scalar);
    return list;
}

}  // namespace zetl::emulator::translate
