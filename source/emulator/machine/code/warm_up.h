// How long threads of a kernel run by its steps before the kernel is translated.
#pragma once

#include <atomic>
#include <cstdint>

namespace zetl::emulator::machine {

/// For one place where threads start, over all launches. Thread-safe.
class WarmUp {
  public:
    /// `instructions`: the number executed by steps after which host code would have paid for itself.
    explicit WarmUp(std::uint64_t instructions) noexcept : left_(static_cast<std::int64_t>(instructions)) {}

    /// Threads have executed `instructions` more by steps. Returns true for the one call that reaches the limit: its
    /// caller translates the kernel, and calls end().
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
