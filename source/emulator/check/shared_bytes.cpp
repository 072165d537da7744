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

/// Whether it is clear that lanes share no bytes, because elements of one size that lie whole distances apart have
/// different numbers. Each is compared with those behind it, several at a time.
bool areApart(const isa::MemoryAccess& access, std::uint32_t lanes) noexcept {
    constexpr std::uint32_t kLanes = 32;
    std::array<std::uint32_t, 2 * kLanes> number;
    const std::uint64_t first = access.address[static_cast<std::uint32_t>(std::countr_zero(lanes))];
    if (!std::has_single_bit(access.bytesPerLane)) return false;
    const auto shift = static_cast<unsigned>(std::countr_zero(access.bytesPerLane));
    std::uint64_t unequal = 0;  // bits in which places within an element differ, and those too far up to be compared
    constexpr std::uint64_t kFar = std::uint64_t{1} << 30;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const bool on = (lanes >> lane & 1) != 0;
        const std::uint64_t from = access.address[lane] - first + (kFar << shift) / 2;
        const std::uint64_t far = (from >> shift) & ~(kFar - 1);
        unequal |= on ? (from & (access.bytesPerLane - 1)) | far << shift : 0;
        number[lane] = on ? static_cast<std::uint32_t>(from >> shift) : static_cast<std::uint32_t>(kFar) + lane;
    }
    if (unequal != 0) return false;
    const std::uint32_t count = (lanes & 0xffff) == lanes ? kLanes / 2 : kLanes;
    for (std::uint32_t lane = 0; lane < count; ++lane) number[count + lane] = number[lane];
    std::uint32_t same = 0;
    for (std::uint32_t by = 1; by <= count / 2; ++by)
        for (std::uint32_t lane = 0; lane < count; ++lane) same |= number[lane] == number[lane + by] ? 1 : 0;
    return same == 0;
}

}  // namespace

std::optional<std::pair<std::uint32_t, std::uint32_t>> lanesWithSharedBytes(const isa::MemoryAccess& access,
                                                                            std::uint32_t lanes) noexcept {
    if (std::popcount(lanes) < 2 || ascend(access, lanes) || areApart(access, lanes)) return std::nullopt;
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
