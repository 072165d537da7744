// What debug control reports, for tests that wait for it.
#pragma once

#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "kernel_bench.h"

namespace zetl::emulator::machine::bench {

constexpr std::uint32_t kSuppress = 1u << 15;  // of cr0.0
constexpr std::uint32_t kStep = 1u << 31;      // of cr0.1

/// Collects what a tile's control reports. Thread-safe.
class StopEvents {
  public:
    Control::Sink sink() {
        return [this](const StopEvent& event) {
            std::lock_guard guard(mutex_);
            events_.push_back(event);
        };
    }
    /// Waits for the next event.
    StopEvent next() {
        StopEvent event{};
        const bool came = KernelBench::eventually([&] {
            std::lock_guard guard(mutex_);
            if (events_.empty()) return false;
            event = events_.front();
            events_.erase(events_.begin());
            return true;
        });
        EXPECT_TRUE(came) << "no event";
        return event;
    }
    std::size_t waiting() {
        std::lock_guard guard(mutex_);
        return events_.size();
    }

  private:
    std::mutex mutex_;
    std::vector<StopEvent> events_;
};

}  // namespace zetl::emulator::machine::bench
