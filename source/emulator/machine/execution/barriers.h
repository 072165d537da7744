// The barriers of one work-group, in its gateway.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/isa/company.h"
#include "emulator/isa/environment.h"

namespace zetl::emulator::machine {

/// Threads signal a barrier and wait for it separately, so a wait ends with the phase in which the thread signalled.
/// Used by one host thread at a time.
class Barriers {
  public:
    /// For a new work-group.
    void reset(std::uint32_t threads, std::uint32_t barriers);

    /// Returns false if the message contradicts other signals of this phase, or names a barrier that the kernel does
    /// not have; problem() says which.
    bool signal(std::uint32_t thread, const isa::BarrierSignal& signal);
    /// Whether a thread that waits for this barrier may go on.
    bool open(std::uint32_t thread, std::uint8_t id) const noexcept;

    const std::string& problem() const noexcept { return problem_; }
    /// "barrier 0: 3 of 8 producers have signalled".
    std::string describe(std::uint8_t id) const;

    /// For host code; valid until reset().
    isa::GroupBarrier& barrier(std::uint8_t id) noexcept { return barriers_[id]; }
    /// The phase in which the thread last signalled; 0: none.
    std::uint32_t& signalledIn(std::uint32_t thread, std::uint8_t id) noexcept {
        return phases_[thread * barriers_.size() + id];
    }

  private:
    std::vector<isa::GroupBarrier> barriers_;
    std::vector<std::uint32_t> phases_;  // by thread and barrier
    std::string problem_;
};

}  // namespace zetl::emulator::machine
