// Most accesses that are not to successive bytes touch lines that lie close to each other.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "emulator/machine/model/access_lanes.h"

namespace zetl::emulator::machine {

/// The result of a LineList for successive lanes that each touch one of 64 neighbouring lines, without branches that
/// the host could only guess.
class NearLines {
  public:
    NearLines(const isa::MemoryAccess& access, std::uint32_t lineBytes) noexcept {
        constexpr std::uint64_t kNear = 64;
        const int shift = std::countr_zero(lineBytes);
        const std::size_t lanes = lanesInARow(access);
        std::uint64_t most = 0;
        std::uint64_t apart = 0;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::uint64_t line = access.address[lane] >> shift;
            apart |= line ^ (access.address[lane] + access.bytesPerLane - 1) >> shift;
            base_ = std::min(base_, line);
            most = std::max(most, line);
        }
        if (lanes == 0 || apart != 0 || most - base_ >= kNear) return;
        std::uint64_t seen = 0;
        std::uint64_t next = kNear;  // behind the last line
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::uint64_t distance = ((access.address[lane] >> shift) - base_) % kNear;  // less than kNear
            const bool adds = distance == next || (seen >> distance & 1) == 0;
            distances_[count_] = static_cast<std::uint8_t>(distance);
            count_ += adds;
            next = adds ? distance + 1 : next;
            seen |= std::uint64_t{1} << distance;
        }
    }
    std::uint64_t base() const noexcept { return base_; }
    /// Empty if the lanes are not like that.
    std::span<const std::uint8_t> distances() const noexcept { return {distances_.data(), count_}; }

  private:
    std::uint64_t base_ = ~std::uint64_t{0};
    std::size_t count_ = 0;
    std::array<std::uint8_t, kWidest> distances_;
};

}  // namespace zetl::emulator::machine
