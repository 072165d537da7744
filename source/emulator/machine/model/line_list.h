// The cache lines of one access to memory, for the trace.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "emulator/machine/model/trace.h"

namespace zetl::emulator::machine {

/// The lines that the lanes touch, neighbours together, in the order of the lanes.
class LineList {
  public:
    explicit LineList(std::uint32_t lineBytes) : shift_(std::countr_zero(lineBytes)) {}

    void add(std::uint64_t place, std::uint32_t bytes) noexcept {
        const std::uint64_t last = (place + bytes - 1) >> shift_;
        for (std::uint64_t line = place >> shift_; line <= last; ++line) add(line);
    }
    std::span<const LineRun> runs() const noexcept { return {reinterpret_cast<const LineRun*>(storage_), count_}; }

  private:
    void add(std::uint64_t line) noexcept {
        LineRun* const runs = reinterpret_cast<LineRun*>(storage_);
        if (count_ != 0) {
            LineRun& latest = runs[count_ - 1];
            if (line - latest.first < latest.count) return;
            if (line == latest.first + latest.count && latest.count < LineRun::kMost) {
                ++latest.count;
                return note(line);
            }
            if (isKnown(line)) return;
        }
        if (count_ == kMostRuns) return;
        ::new (static_cast<void*>(runs + count_++)) LineRun{line, 1};
        note(line);
    }
    /// For most lines their bit shows that they are new.
    bool isKnown(std::uint64_t line) const noexcept {
        if ((seen_[bitOf(line) / kBits] >> bitOf(line) % kBits & 1) == 0) return false;
        return std::ranges::any_of(runs(), [line](const LineRun& run) { return line - run.first < run.count; });
    }
    void note(std::uint64_t line) noexcept { seen_[bitOf(line) / kBits] |= std::uint64_t{1} << bitOf(line) % kBits; }
    static std::size_t bitOf(std::uint64_t line) noexcept {
        return (line ^ line >> 8 ^ line >> 16) % (kBits * kSeenWords);
    }

    static constexpr std::size_t kMostRuns = 128;
    static constexpr std::size_t kBits = 64;
    static constexpr std::size_t kSeenWords = 4;  // so many that few of the lines of 32 lanes share a bit
    const int shift_;
    std::array<std::uint64_t, kSeenWords> seen_{};  ///< one bit per line; some lines share a bit
    std::size_t count_ = 0;
    alignas(LineRun) std::byte storage_[kMostRuns * sizeof(LineRun)];  // made run by run: most accesses have few
};

}  // namespace zetl::emulator::machine
