// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/group/held_lanes.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
namespace layout = isa::layout;

std::optional<Linear> constantAt(std::uint64_t where, std::uint32_t bytes, std::uint32_t count) {
    const auto* const lanes = reinterpret_cast<const std::byte*>(where);
    if (std::memcmp(lanes, lanes + bytes, (count - 1) * bytes) != 0) return {};
    std::int64_t value = 0;
    std::memcpy(&value, lanes, bytes);
    return Linear{.offset = bytes == 4 ? static_cast<std::int32_t>(value) : value};
}

/// Stores the lanes held for these bytes in their places.
bool HeldLanes::spill(const Extent& e) {
    for (const LinearLanes::Held& held : lanes.overlapping(e)) {
        if (!held.home && !spillOne(held)) return false;
        lanes.forget(held.extent);
    }
    for (const OffsetLanes::Held& held : offsets.overlapping(e))
        if (!spillOffsets(held)) return false;
    return true;
}

bool HeldLanes::spillOne(const LinearLanes::Held& held) {
    const Extent& e = held.extent;
    if (e.count == 1) {
        if (!lanes.load(r11, held.lanes, 0, e.bytes == 8 ? 8 : 4)) return false;
        cache_.evict(e.place, e.bytes);
        const Mem at = state(e.place, e.bytes);
        e.bytes == 8   ? a_.mov(at, r11)
        : e.bytes == 4 ? a_.mov(at, r11d)
        : e.bytes == 2 ? a_.mov(at, r11w)
                       : a_.mov(at, r11b);
        return true;
    }
    const bool apart = e.spacing != e.bytes;
    const std::uint32_t perSlot = RegisterCache::kSlotBytes / e.spacing;
    const std::uint32_t width = e.spacing;
    for (std::uint32_t lane = 0; lane < e.count; lane += perSlot) {
        cache_.release();
        if (lane == 0 || held.lanes.step != 0) {
            if (!lanes.load(r11, held.lanes, lane, e.bytes)) return false;
            width == 8 ? a_.vpbroadcastq(zmm0, r11) : a_.vpbroadcastd(zmm0, r11d);
        }
        const std::uint32_t place = e.place + lane * e.spacing;
        if (apart) {
            if (held.lanes.step != 0) access_.addSteps(zmm0, held.lanes.step, width);
            if (e.bytes == 2) {
                const Imm bits(16);
                const Zmm slot = cache_.update(place);
                a_.vpsrld(slot, slot, bits);
                a_.vpslld(slot, slot, bits);
                a_.vpslld(zmm0, zmm0, bits);
                a_.vpsrld(zmm0, zmm0, bits);
                a_.vpord(slot, slot, zmm0);
                continue;
            }
            a_.mov(r11d, 0x5555);
            a_.kmovd(k3, r11d);
            const Zmm slot = cache_.update(place);
            a_.k(k3).vmovdqu32(slot, zmm0);
        } else if (held.lanes.step != 0) {
            access_.addSteps(cache_.replace(place), held.lanes.step, width);
        } else {
            a_.vmovdqa64(cache_.replace(place), zmm0);
        }
    }
    return true;
}

/// Holds lanes as linear ones from now on, unless their place does not allow it. `elsewhere`: vectors will be read from
/// there.
bool HeldLanes::hold(const Extent& e, const std::optional<Linear>& value, bool elsewhere) {
    if (!value || !LinearLanes::canHold(e) || !replace(e)) return false;
    lanes.hold(e, *value, elsewhere);
    return true;
}

/// Replaces the lanes held for these bytes; other lanes that overlap them are stored in their places.
bool HeldLanes::replace(const Extent& e) {
    for (const LinearLanes::Held& held : lanes.overlapping(e)) {
        bool covered = true;
        held.extent.eachByte([&](std::uint32_t at) {
            const std::uint32_t from = at - e.place;
            covered = covered && at >= e.place && at < e.end() && from % e.spacing < e.bytes;
        });
        if (!covered && !held.home && !spillOne(held)) return false;
        lanes.forget(held.extent);
    }
    for (const OffsetLanes::Held& held : offsets.overlapping(e)) {
        const bool covered = e.place <= held.extent.place && held.extent.end() <= e.end() && e.spacing == e.bytes;
        if (covered)
            offsets.forget(held);
        else if (!spillOffsets(held))
            return false;
    }
    for (const OffsetLanes::Held& held : offsets.madeOf(e))
        if (!spillOffsets(held)) return false;
    std::erase_if(ids,
                  [&](const auto& id) { return id.first < e.end() && e.place < id.first + RegisterCache::kSlotBytes; });
    return true;
}

std::optional<Linear> HeldLanes::operand(std::uint64_t place, std::uint32_t bytes, std::uint32_t count) {
    return place >= layout::kBytes ? constantAt(place, bytes, count) : lanes.find(elements(place, bytes, 1, count));
}

/// Stores them in their places.
bool HeldLanes::spillOffsets(const OffsetLanes::Held& held) {
    const auto& [e, sum] = held;
    constexpr std::uint32_t kLanesOfSlot = 8;
    for (std::uint32_t v = 0; v * kLanesOfSlot < e.count; ++v) {
        cache_.release();
        const Zmm dwords = cache_.read(sum.place + v / 2 * RegisterCache::kSlotBytes);
        if (v % 2 != 0) a_.vextracti64x4(ymm5, dwords, 1);
        const Ymm half = v % 2 != 0 ? ymm5 : dwords.ymm();
        sum.isSigned ? a_.vpmovsxdq(zmm0, half) : a_.vpmovzxdq(zmm0, half);
        const std::uint32_t place = e.place + v * RegisterCache::kSlotBytes;
        if (e.bytes == 4) {
            a_.mov(r11d, 0x5555);
            a_.kmovd(k3, r11d);
            const Zmm slot = cache_.update(place);
            a_.k(k3).vmovdqu32(slot, zmm0);
            continue;
        }
        if (sum.shift != 0) a_.vpsllq(zmm0, zmm0, Imm(sum.shift));
        if (!lanes.load(r11, sum.base, 0, 8)) return false;
        a_.vpbroadcastq(zmm1, r11);
        a_.vpaddq(cache_.replace(place), zmm0, zmm1);
    }
    offsets.forget(held);
    return true;
}

}  // namespace zetl::emulator::translate
