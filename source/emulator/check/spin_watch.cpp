#include "emulator/check/spin_watch.h"

#include <cstring>

namespace zetl::emulator::check {
namespace {

/// Of all registers that a thread computes with, and where it is.
std::uint64_t stateOf(const isa::Thread& thread, isa::Line line) noexcept {
    constexpr std::uint64_t kPrime = 0x9e37'79b9'7f4a'7c15;
    constexpr std::uint32_t kEnd = isa::layout::kFlags + 4 * sizeof(std::uint32_t);
    std::uint64_t hash = line * kPrime;
    for (std::uint32_t at = 0; at + sizeof(std::uint64_t) <= kEnd; at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, thread.state + at, sizeof word);
        hash = ((hash ^ word) * kPrime) ^ (hash >> 29);
    }
    return hash ^ thread.active;
}

}  // namespace

bool SpinWatch::sees(const isa::Thread& thread, isa::Line line, std::uint64_t progress,
                     Clock::time_point now) noexcept {
    const std::uint64_t state = stateOf(thread, line);
    if (progress != progress_) {
        progress_ = progress;
        since_ = now;
        reference_ = state;
        seen_ = 0;
        next_ = 1;
        return false;
    }
    if (state == reference_) return now - since_ >= kSpinLimit;
    if (++seen_ == next_) {
        reference_ = state;
        next_ *= 2;
    }
    return false;
}

}  // namespace zetl::emulator::check
