// Messages of atomics on the same memory, one after the other.
//
// Two cores whose atomics meet in the same lines pass each line back and forth once per operation. Taking turns by
// whole messages, they pass it once per message. Threads that wait look ever more seldom, so the core that had the turn
// mostly has it again, with the lines still in its cache. Only speed depends on it: the operations are atomic by
// themselves, and a thread that waits too long goes on without a turn.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace {

class Turn {
  public:
    /// Waits for the turn at the memory around `host`, for some hundred microseconds at most.
    explicit Turn(const void* host) noexcept : taken_(take(placeOf(host))) {}
    ~Turn() {
        if (taken_ != nullptr) taken_->store(false, std::memory_order_release);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    static constexpr int kLongestPause = 2048;  // between two looks, in the processor's pauses of some 40 ns
    static constexpr int kPatience = 8192;      // pauses in total
    static constexpr std::size_t kPlaces = 64;
    using Flag = std::atomic<bool>;
    struct alignas(128) Place {  // processors fetch lines in pairs
        Flag taken;
    };

    static Flag& placeOf(const void* host) noexcept {
        static constinit std::array<Place, kPlaces> places{};
        return places[(reinterpret_cast<std::uintptr_t>(host) >> 12) % kPlaces].taken;
    }
    static Flag* take(Flag& taken) noexcept {
        for (int pauses = 1, waited = 0; waited < kPatience; waited += pauses) {
            if (!taken.load(std::memory_order_relaxed) && !taken.exchange(true, std::memory_order_acquire))
                return &taken;
            for (int i = 0; i < pauses; ++i) __builtin_ia32_pause();
            pauses = std::min(2 * pauses, kLongestPause);
        }
        return nullptr;
    }

    Flag* taken_;
};

}  // namespace
