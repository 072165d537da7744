#include "emulator/check/private_lanes.h"

#include <algorithm>
#include <bit>

namespace zetl::emulator::check {

std::uint32_t PrivateLanes::access(const isa::MemoryAccess& access, std::uint32_t lanes, const Place& place) {
    if (owners_.empty()) owners_.resize(place.bytes);
    std::uint32_t wrong = 0;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        const std::uint64_t offset = access.address[lane] - place.begin;
        if (offset >= owners_.size() || access.bytesPerLane > owners_.size() - offset) {
            wrong |= 1u << lane;
            continue;
        }
        const auto own = static_cast<std::uint8_t>(place.firstLane + lane + 1);
        const auto first = owners_.begin() + static_cast<std::ptrdiff_t>(offset);
        const auto end = first + access.bytesPerLane;
        const bool others = !place.ofThread &&
                            std::any_of(first, end, [own](std::uint8_t owner) { return owner != 0 && owner != own; });
        if (others && (!access.write || keepsPlaces_)) wrong |= 1u << lane;
        if (access.write) std::fill(first, end, place.ofThread ? std::uint8_t{0} : own);
    }
    return wrong;
}

}  // namespace zetl::emulator::check
