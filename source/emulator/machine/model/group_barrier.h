// The barrier of a work-group in the model.
#pragma once

#include <cstdint>
#include <vector>

namespace zetl::emulator::machine {

/// The n-th wait of a thread is over when every thread that has not ended has signalled n times, or when no other
/// thread of the group can go on (named barriers are not told apart).
class GroupBarrier {
  public:
    explicit GroupBarrier(std::uint32_t threads) noexcept : live_(threads) {}

    /// Whether the n-th wait is over now.
    bool signal(std::uint32_t nth, std::uint64_t time);
    void leave() noexcept { --live_; }
    std::uint32_t live() const noexcept { return live_; }
    /// Whether the n-th wait, from 0, is over, and the time of the signal that ended it.
    bool open(std::uint32_t nth, std::uint64_t& since) const noexcept;

  private:
    struct Phase {
        std::uint32_t signals = 0;
        std::uint64_t last = 0;
    };
    std::uint32_t live_;
    std::vector<Phase> phases_;
};

}  // namespace zetl::emulator::machine
