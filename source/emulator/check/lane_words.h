// Words of local memory that the lanes of a message access, each lane its own.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "emulator/check/mark.h"
#include "emulator/isa/observe.h"
#include "emulator/isa/step.h"

namespace zetl::emulator::check {

/// By lane, from the message's offsets of 32 bits in registers.
class LaneWords {
  public:
    /// Of local memory of so many bytes. Nothing for messages of another form, and for lanes that access something else
    /// than whole granules within it.
    static std::optional<LaneWords> of(const isa::Thread& thread, const isa::AccessPlan& plan,
                                       std::uint64_t localBytes) noexcept {
        std::optional<LaneWords> words;
        words.emplace();  // in the caller's place: copies of it take as long as the rest
        if (!words->take(thread, plan, localBytes)) words.reset();
        return words;
    }
    LaneWords() noexcept = default;

    /// Whether it is clear that no two lanes access the same word: each lane's words lie behind those of the lane
    /// before it, those of lanes that are off, too.
    bool areApart() const noexcept {
        const std::uint32_t count = lanes_ <= kHalf ? kLanes / 2 : kLanes;
        std::uint32_t unclear = 0;
        for (std::uint32_t lane = 0; lane + 1 < count; ++lane)
            unclear |= static_cast<std::uint32_t>(offset_[lane + 1] < offset_[lane]) |
                       static_cast<std::uint32_t>(offset_[lane + 1] - offset_[lane] < granules_ * kGranule);
        return unclear == 0;
    }

    /// Of a power of two.
    bool areMultiplesOf(std::uint32_t bytes) const noexcept { return (bits() & (bytes - 1)) == 0; }

    /// Whether some of them lie in these ranges of bytes.
    bool meet(std::span<const std::array<std::uint32_t, 2>> ranges) const noexcept {
        return std::ranges::any_of(ranges, [this](const auto& range) {
            bool any = false;
            each([&](std::uint32_t granule) {
                any |= granule * kGranule < range[1] && (granule + 1) * kGranule > range[0];
            });
            return any;
        });
    }

    /// Calls f(granule) for each that lanes access.
    template <class F>
    void each(F&& f) const {
        if (granules_ == 1 && lanes_ == ~0u) {  // most often
            for (std::uint32_t lane = 0; lane < kLanes; ++lane) f(offset_[lane] / kGranule);
            return;
        }
        for (std::uint32_t rest = lanes_; rest != 0; rest &= rest - 1) {
            const std::uint32_t first = offset_[static_cast<std::uint32_t>(std::countr_zero(rest))] / kGranule;
            for (std::uint32_t i = 0; i < granules_; ++i) f(first + i);
        }
    }

  private:
    static constexpr std::uint32_t kLanes = 32;
    static constexpr auto kBitOf = [] {
        std::array<std::uint32_t, kLanes> bits{};
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) bits[lane] = 1u << lane;
        return bits;
    }();

    /// That are set in an offset of one of the lanes.
    std::uint32_t bits() const noexcept {
        std::uint32_t bits = 0;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane)
            bits |= offset_[lane] & ((lanes_ & kBitOf[lane]) != 0 ? ~0u : 0);
        return bits;
    }

    bool take(const isa::Thread& thread, const isa::AccessPlan& plan, std::uint64_t localBytes) noexcept {
        const isa::AccessShape& shape = plan.shape;
        if (!plan.isPlain || shape.block || shape.addressBytes != sizeof(std::uint32_t) || shape.bytes % kGranule != 0)
            return false;
        lanes_ = isa::lanesOn(thread, plan.lanes);
        if (lanes_ == 0) return false;
        granules_ = shape.bytes / kGranule;
        std::memcpy(offset_.data(), thread.state + isa::layout::kGrf + plan.payload + shape.addressAt, sizeof offset_);
        for (std::uint32_t& offset : offset_) offset += static_cast<std::uint32_t>(shape.offset);
        const std::uint32_t all = bits();
        return all % kGranule == 0 && std::uint64_t{all} + shape.bytes <= localBytes;
    }

    static constexpr std::uint32_t kHalf = 0xffff;

    std::uint32_t lanes_ = 0;
    std::uint32_t granules_ = 0;  // of each lane
    std::array<std::uint32_t, kLanes> offset_;
};

}  // namespace zetl::emulator::check
