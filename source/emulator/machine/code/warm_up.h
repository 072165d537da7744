// How long threads of a kernel run by its steps before it is translated.
#pragma once

#include <atomic>
#include <cstdint>

namespace zetl::emulator::machine {

/// Of one place where threads start, over all launches. Thread-safe.
class WarmUp {
  public:
    /// `instructions`: after so many, by steps, host code would have paid for itself.
    explicit WarmUp(std::uint64_t instructions) noexcept : left_(static_cast<std::int64_t>(instructions)) {}

    /// Threads executed some by steps. True for the one call with which that is enough: who made it translates the
    /// kernel, and calls end().
    bool add(std::int64_t instructions) noexcept {
        if (left_.load(std::memory_order_relaxed) <= 0) return false;
        const std::int64_t before = left_.fetch_sub(instructions, std::memory_order_relaxed);
        return before > 0 && before <= instructions;
    }
    void end() noexcept { over_.store(true, std::memory_order_release); }
    bool over() const noexcept { return over_.load(std::memory_order_acquire); }

  private:
    std::atomic<std::int64_t> left_;
    std::atomic<bool> over_{false};
};

}  // namespace zetl::emulator::machine
