// Finds waits of the host that nothing can end, for zetl check.
#pragma once

#include <cstdint>

#include "emulator/driver/execution/signal_state.h"

namespace zetl::emulator::driver {

class Stream;

/// SignalState::wait(). If calls are checked, a wait without a limit that nothing can end is reported, and ended as if
/// the device were lost, once no thread of the program is left that could end it.
SignalState::Value waitFor(SignalState& state, std::uint64_t nanoseconds) noexcept;

/// The same for a wait in several parts: call look() now and then.
class EndlessWait {
  public:
    static constexpr std::uint64_t kPart = 50'000'000;  ///< nanoseconds after which to look

    /// For a state, or, if that is null, for all of a stream. Whether waits are looked at at all: wanted().
    EndlessWait(SignalState* state, const Stream* stream) noexcept : state_(state), stream_(stream) {}
    static bool wanted() noexcept;
    void look() noexcept;

  private:
    SignalState* const state_;
    const Stream* const stream_;
    std::uint32_t looked_ = 0;
    bool told_ = false;
};

/// The process ends: reports what still waits for ever. Call it once.
void noteWaitsAtExit() noexcept;

}  // namespace zetl::emulator::driver
