// A thread that reads the same again and again waits for another one.
#pragma once

#include <cstdint>

namespace zetl::emulator::isa {

struct Step;

/// Groups wait for each other by atomics, in the look-back of a scan for example. One that polls for a whole quantum
/// keeps a worker from the group for which it waits.
class Polling {
  public:
    /// The step has read something without effect. Whether the rest of the quantum is better spent on another thread.
    bool isInVain(const Step* step, std::uint64_t seen) noexcept {
        const bool again = step == step_ && seen == seen_;
        step_ = step;
        seen_ = seen;
        times_ = again ? times_ + 1 : 0;
        return again && times_ % kPatience == 0;
    }

  private:
    static constexpr std::uint32_t kPatience = 8;

    const Step* step_ = nullptr;
    std::uint64_t seen_ = 0;
    std::uint32_t times_ = 0;
};

}  // namespace zetl::emulator::isa
