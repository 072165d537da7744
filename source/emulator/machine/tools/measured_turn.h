// The time of a worker's turn, for programs that measure where time goes.
#pragma once

#include "emulator/isa/host_times.h"

namespace zetl::emulator::machine {

/// Adds its own lifetime to HostTimes::turns.
class MeasuredTurn {
  public:
    /// Null: measures nothing.
    explicit MeasuredTurn(isa::HostTimes* times) noexcept : times_(times) {
        if (times_ != nullptr) begin_ = __builtin_ia32_rdtsc();
    }
    MeasuredTurn(const MeasuredTurn&) = delete;
    MeasuredTurn& operator=(const MeasuredTurn&) = delete;
    ~MeasuredTurn() {
        if (times_ != nullptr) times_->turns.fetch_add(__builtin_ia32_rdtsc() - begin_, std::memory_order_relaxed);
    }

  private:
    isa::HostTimes* const times_;
    std::uint64_t begin_ = 0;
};

}  // namespace zetl::emulator::machine
