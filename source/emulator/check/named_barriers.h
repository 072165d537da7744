// Order that named barriers make between threads of a group: only those meet that signal the same barrier, so each
// thread has a time of its own, and knows up to which time of each other thread it comes behind.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emulator/isa/environment.h"

namespace zetl::emulator::check {

/// Used by the worker that has the group's turn.
class NamedBarriers {
  public:
    static constexpr std::size_t kMemories = 2;
    using ByMemory = std::array<bool, kMemories>;

    /// Of a group that begins. With one barrier, or none, all threads meet, and nothing is kept here.
    void begin(std::uint32_t threads, std::uint32_t barriers);
    bool any() const noexcept { return !meetings_.empty(); }

    /// Increases when the thread signals.
    std::uint32_t timeOf(std::uint32_t thread) const noexcept { return thread < own_.size() ? own_[thread] : 0; }
    /// Whether a thread comes behind what the other one did at that time of its own.
    bool isBehind(std::uint32_t thread, std::uint32_t other, std::uint32_t time) const noexcept {
        return isKnown(thread, other) && time < seen_[thread][other].done;
    }
    /// The same, and the thread sees what the other one wrote then.
    bool sees(std::uint32_t thread, std::uint32_t other, std::uint32_t time, std::size_t memory) const noexcept {
        return isKnown(thread, other) && time < seen_[thread][other].visible[memory];
    }

    /// The thread signals a barrier, and has fenced all that it wrote to these memories.
    void signal(std::uint32_t thread, const isa::BarrierSignal& signal, const ByMemory& fenced);

  private:
    /// Times of a thread before which it is done, and what it wrote is seen.
    struct Until {
        std::uint32_t done = 0;
        std::array<std::uint32_t, kMemories> visible{};
    };
    using Seen = std::vector<Until>;  // by thread

    /// From the first thread that signals to the last one.
    struct Meeting {
        Seen brought;
        std::vector<std::uint32_t> waiting;
        std::uint32_t arrived = 0;
        std::uint32_t producers = 0;
    };

    bool isKnown(std::uint32_t thread, std::uint32_t other) const noexcept {
        return thread < seen_.size() && other < seen_.size();
    }
    static void add(Seen& to, const Seen& from);

    std::vector<std::uint32_t> own_;
    std::vector<Seen> seen_;         // by thread
    std::vector<Meeting> meetings_;  // by barrier
};

}  // namespace zetl::emulator::check
