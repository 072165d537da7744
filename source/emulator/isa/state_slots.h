// A set of slots of Thread::state, each the size of a register: those that may hold something other than zero.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "emulator/isa/state_layout.h"

namespace zetl::emulator::isa {

class StateSlots {
  public:
    static constexpr std::uint32_t kSlots = layout::kArchitectureEnd / layout::kRegisterBytes;

    /// Neighbouring slots, in bytes.
    struct Run {
        std::uint32_t place;
        std::uint32_t bytes;
    };

    static constexpr StateSlots all() noexcept {
        StateSlots slots;
        slots.add(0, layout::kArchitectureEnd);
        return slots;
    }

    /// Adds all slots that the bytes touch; bytes beyond the last slot are left out.
    constexpr void add(std::uint32_t place, std::uint32_t bytes) noexcept {
        const std::uint32_t end = (place + bytes + layout::kRegisterBytes - 1) / layout::kRegisterBytes;
        for (std::uint32_t slot = place / layout::kRegisterBytes; slot < std::min(end, kSlots); ++slot)
            words_[slot / kBits] |= 1ull << slot % kBits;
    }
    constexpr void add(const StateSlots& others) noexcept {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= others.words_[w];
    }
    /// Drops the slots that `others` does not have.
    constexpr void keep(const StateSlots& others) noexcept {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= others.words_[w];
    }
    constexpr bool contains(std::uint32_t place) const noexcept {
        const std::uint32_t slot = place / layout::kRegisterBytes;
        return slot < kSlots && (words_[slot / kBits] >> slot % kBits & 1) != 0;
    }

    /// Calls f(Run) for each run of neighbours, in ascending order.
    template <class F>
    void eachRun(F&& f) const {
        for (std::uint32_t w = 0; w < words_.size(); ++w)
            for (std::uint64_t left = words_[w]; left != 0;) {
                const auto first = static_cast<std::uint32_t>(std::countr_zero(left));
                const auto count = std::min(static_cast<std::uint32_t>(std::countr_one(left >> first)), kLongestRun);
                f(Run{(w * kBits + first) * layout::kRegisterBytes, count * layout::kRegisterBytes});
                left = first + count == kBits ? 0 : left >> (first + count) << (first + count);
            }
    }
    std::vector<Run> runs() const {
        std::vector<Run> list;
        eachRun([&](const Run& run) { list.push_back(run); });
        return list;
    }

  private:
    static constexpr std::uint32_t kBits = 64;
    static constexpr std::uint32_t kLongestRun = 31;  // from 2 KB on the host's library clears by an instruction that
                                                      // begins slowly
    std::array<std::uint64_t, (kSlots + kBits - 1) / kBits> words_{};
};

}  // namespace zetl::emulator::isa
