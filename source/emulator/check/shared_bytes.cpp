#include "emulator/check/shared_bytes.h"

#include <algorithm>
#include <array>
#include <bit>

namespace zetl::emulator::check {
namespace {

/// Whether each lane's bytes lie behind those of the lane before it: nearly always they do.
bool ascend(const isa::MemoryAccess& access, std::uint32_t lanes) noexcept {
    std::uint64_t end = 0;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const std::uint64_t address = access.address[static_cast<std::uint32_t>(std::countr_zero(rest))];
        if (address < end) return false;
        end = address + access.bytesPerLane;
    }
    return true;
}

}  // namespace

std::optional<std::pair<std::uint32_t, std::uint32_t>> lanesWithSharedBytes(const isa::MemoryAccess& access,
                                                                            std::uint32_t lanes) noexcept {
    if (std::popcount(lanes) < 2 || ascend(access, lanes)) return std::nullopt;
    std::array<std::uint8_t, 32> order{};
    std::size_t count = 0;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
        order[count++] = static_cast<std::uint8_t>(std::countr_zero(rest));
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
    std::sort(order.begin(), end, [&](std::uint8_t a, std::uint8_t b) {
        return std::pair(access.address[a], a) < std::pair(access.address[b], b);
    });
    for (std::size_t i = 1; i < count; ++i) {
        const std::uint8_t before = order[i - 1];
        const std::uint8_t after = order[i];
        if (access.address[after] - access.address[before] < access.bytesPerLane)
            return std::minmax({std::uint32_t{before}, std::uint32_t{after}});
    }
    return std::nullopt;
}

}  // namespace zetl::emulator::check
