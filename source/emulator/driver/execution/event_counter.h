// The word behind a counter-based event that kernels and the host may poll (zeEventCounterBasedGetDeviceAddress).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace zetl::emulator::driver {

class WatchedWord;

/// Numbers the commands that are to signal an event, and holds the number of the last one that did, in memory of the
/// device. In memory of the application, it adds an increment for each command that did instead. Thread-safe.
class EventCounter {
  public:
    /// Null if there is no device memory left.
    static std::shared_ptr<EventCounter> create();
    /// Use create().
    explicit EventCounter(std::uint64_t address) noexcept;
    EventCounter(std::shared_ptr<const WatchedWord> word, std::uint64_t increment) noexcept;
    EventCounter(const EventCounter&) = delete;
    EventCounter& operator=(const EventCounter&) = delete;
    ~EventCounter();

    std::uint64_t address() const noexcept { return address_; }
    /// True in memory of the application.
    bool aggregates() const noexcept { return word_ != nullptr; }
    /// The number of a command that is being appended.
    std::uint64_t next() noexcept { return issued_.fetch_add(1, std::memory_order_relaxed) + 1; }
    /// The command of that number was accepted, or has signalled the event.
    void accepted(std::uint64_t number) noexcept;
    void complete(std::uint64_t number);
    /// The number of the last command that was accepted; 0: none.
    std::uint64_t awaited() const noexcept { return accepted_.load(std::memory_order_relaxed); }

  private:
    const std::uint64_t address_;
    const std::shared_ptr<const WatchedWord> word_ = {};
    const std::uint64_t increment_ = 0;
    std::atomic<std::uint64_t> issued_{0};
    std::atomic<std::uint64_t> accepted_{0};
};

}  // namespace zetl::emulator::driver
