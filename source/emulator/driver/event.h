// ze_event_handle_t (core specification, "Events").
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "base/synchronized.h"
#include "emulator/driver/event_pool.h"
#include "emulator/driver/object.h"
#include "emulator/driver/signal_state.h"

namespace zetl::emulator::driver {

/// An event. An ordinary one has the same signal state all its life; a counter-based one gets a new state with each
/// command that is to signal it, so waits appended earlier keep waiting for what they were appended for. Thread-safe.
class Event : public Object<Event, ze_event_handle_t> {
  public:
    static constexpr const char* kNoun = "event";

    /// INVALID_ARGUMENT for an index that the pool does not have.
    static Result<std::shared_ptr<Event>> create(std::shared_ptr<EventPool> pool, const ze_event_desc_t& description);
    Event(std::shared_ptr<EventPool> pool, const ze_event_desc_t& description);

    /// The state that commands appended now wait for and that the host looks at.
    std::shared_ptr<SignalState> state() const;
    /// The state that a command appended now is to signal.
    std::shared_ptr<SignalState> stateToSignal();

    Status hostSignal();
    Status hostReset();
    Status query() const;
    Status synchronize(std::uint64_t nanoseconds) const;

    /// NOT_READY until signalled; INVALID_ARGUMENT if the pool has no timestamps.
    Status timestamps(ze_kernel_timestamp_result_t& out) const;
    /// The same for each part of a command that ran on several tiles; of a sub-device, for the part on its tile.
    Result<std::vector<SignalState::Span>> packets(Device& device) const;

    EventPool& pool() const noexcept { return *pool_; }
    ze_event_scope_flags_t signalScope() const noexcept { return signalScope_; }
    ze_event_scope_flags_t waitScope() const noexcept { return waitScope_; }

  private:
    Result<SignalState::Times> signalledTimes() const;

    std::shared_ptr<EventPool> pool_;
    ze_event_scope_flags_t signalScope_, waitScope_;
    Synchronized<std::shared_ptr<SignalState>> state_;
};

/// What zeEventQueryKernelTimestamp reports of a time span or a signalled state: both domains are the same clock, cut
/// to the valid bits.
ze_kernel_timestamp_result_t kernelTimestamps(const SignalState::Span& span, Device& device) noexcept;
ze_kernel_timestamp_result_t kernelTimestamps(const SignalState& state, Device& device) noexcept;

/// SUCCESS, NOT_READY or DEVICE_LOST.
Status codeOf(SignalState::Value value) noexcept;

}  // namespace zetl::emulator::driver
