// The one-shot signal behind events and fences: a word that host threads and device workers wait for.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>

namespace zetl::emulator::driver {

/// Waits without limit, as in every ze...Synchronize function.
inline constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();

/// Lives in private or in shared memory (event pools opened by several processes), so it holds no pointer and its
/// waiters sleep on a process-shared futex. Zeroed memory is a valid, unsignalled state. Thread-safe.
struct alignas(64) SignalState {
    enum class Value : std::uint32_t {
        pending = 0,
        signalled = 1,
        lost = 2,  ///< the work that would signal it was abandoned after a fault
    };
    /// In device ticks.
    struct Span {
        std::uint64_t start = 0;
        std::uint64_t end = 0;
    };
    static constexpr std::uint32_t kMostTiles = 8;
    /// Start and end of the signalling command; both 0 if the host signalled.
    struct Times {
        std::uint64_t start = 0;
        std::uint64_t end = 0;
        std::uint32_t tileCount = 0;              ///< 0: it did not run on tiles, or on a single one
        std::array<Span, kMostTiles> tiles = {};  ///< spans of its parts on the first tiles of the device
        std::uint64_t work = 0;                   ///< in the time of the timing model: the end of what it comes behind
    };

    Value value() const noexcept { return static_cast<Value>(word.load(std::memory_order_acquire)); }
    void reset() noexcept;
    void signal(Times when) noexcept;
    void lose() noexcept;
    /// Blocks until it is not pending or `nanoseconds` are over (0: does not block).
    Value wait(std::uint64_t nanoseconds) noexcept;
    /// The times of the last signal.
    Times times() const noexcept;

    std::atomic<std::uint32_t> word;
    std::atomic<std::uint32_t> tileCount;
    std::atomic<std::uint64_t> start, end;
    std::atomic<std::uint64_t> work;
    struct {
        std::atomic<std::uint64_t> start, end;
    } tiles[kMostTiles];

  private:
    void publish(Value value) noexcept;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace zetl::emulator::driver
