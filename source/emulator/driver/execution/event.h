// ze_event_handle_t (core specification, "Events").
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "base/synchronized.h"
#include "emulator/driver/execution/event_counter.h"
#include "emulator/driver/execution/event_pool.h"
#include "emulator/driver/execution/signal_state.h"
#include "emulator/driver/execution/watched_word.h"
#include "emulator/driver/shared_parts.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {

class Stream;

/// Identifies what will signal an event: a submission of a stream, by its number. No stream if that is not known.
struct Signaller {
    std::weak_ptr<Stream> stream = {};
    std::uint64_t number = 0;
};

/// An event. An ordinary one has the same signal state all its life; a counter-based one gets a new state with each
/// command that will signal it, so waits appended earlier keep waiting for the command for which they were appended.
/// The memory of a state that other processes see is a pool of its own. Thread-safe.
class Event : public Object<Event, ze_event_handle_t> {
  public:
    static constexpr const char* kNoun = "event";

    /// INVALID_ARGUMENT for an index that the pool does not have.
    static Result<std::shared_ptr<Event>> create(std::shared_ptr<EventPool> pool, const ze_event_desc_t& description);
    /// INVALID_ENUMERATION; INVALID_ARGUMENT for both kinds of timestamps, timestamps for other processes, or a counter
    /// of the application that is no memory or no counter; UNSUPPORTED_FEATURE for such a counter and other processes.
    static Result<std::shared_ptr<Event>> createCounter(std::shared_ptr<Context> context,
                                                        std::shared_ptr<Device> device,
                                                        const ze_event_counter_based_desc_t& description);
    // The same, under the names of Intel's driver. Without a description, the event is for both kinds of lists and
    // visible to the host.
    static Result<std::shared_ptr<Event>> createCounter2(std::shared_ptr<Context> context,
                                                         std::shared_ptr<Device> device,
                                                         const ze_event_counter_based_desc_t* description);
    static Result<std::shared_ptr<Event>> createFormerCounter(std::shared_ptr<Context> context,
                                                              std::shared_ptr<Device> device,
                                                              std::uint64_t* deviceAddress, std::uint64_t* hostAddress,
                                                              std::uint64_t value, const ze_event_desc_t& description);
    /// The event behind a handle of another process.
    static Result<std::shared_ptr<Event>> openCounterHandle(std::shared_ptr<Context> context,
                                                            const ze_ipc_event_counter_based_handle_t& handle);
    /// The only event of a pool that was opened by a handle of counterHandle(). It waits for the command that was to
    /// signal the exported event when the handle was made, until a command is to signal this event itself.
    static std::shared_ptr<Event> openCounter(std::shared_ptr<EventPool> pool);
    /// A counter in memory of the application.
    struct OwnCounter {
        std::shared_ptr<WatchedWord> word;
        std::uint64_t increment;  ///< of each command that signals; 0: these commands renew the event, as usual
    };
    Event(std::shared_ptr<EventPool> pool, const ze_event_desc_t& description,
          ze_event_counter_based_flags_t counterFlags = 0, OwnCounter own = {});

    /// The state that commands appended now wait for, and that the host looks at.
    std::shared_ptr<SignalState> state() const;
    /// The state that a command being appended will signal. The event does not change until the command is accepted.
    class Claim {
      public:
        Claim() = default;
        const std::shared_ptr<SignalState>& state() const noexcept { return state_; }
        /// What the event's counter holds once the command has signalled; 0 without a counter.
        std::uint64_t number() const noexcept { return number_; }
        /// The command is accepted: from now on, waits for the event wait for it, and help its signaller.
        void keep(Signaller by = {}) const;

      private:
        friend class Event;
        std::shared_ptr<Event> event_;  ///< null: nothing is claimed
        std::shared_ptr<SignalState> state_;
        std::shared_ptr<EventPool> shared_;
        std::uint64_t number_ = 0;
    };
    Claim claim();
    /// Makes `state` the one that the host looks at and that commands appended now wait for; the event's counter holds
    /// `number` then.
    void adopt(std::shared_ptr<SignalState> state, Signaller by, std::uint64_t number);

    /// Null for an event that is not counter-based, or was opened.
    const std::shared_ptr<EventCounter>& counter() const noexcept { return counter_; }
    /// Where to poll, and from which value on the last command appended so far has signalled the event.
    /// INVALID_ARGUMENT for an event that is not counter-based, was opened, or that no command is to signal.
    Status deviceAddress(std::uint64_t& value, std::uint64_t& address) const;

    Status hostSignal();
    Status hostReset();
    Status query() const;
    Status synchronize(std::uint64_t nanoseconds) const;

    /// A handle for another process; it is good until a new command is to signal the event. INVALID_ARGUMENT without
    /// ZE_EVENT_COUNTER_BASED_FLAG_IPC.
    Result<IpcHandle> counterHandle() const;
    Status getCounterHandle(ze_ipc_event_counter_based_handle_t& out) const;
    /// Ends the life of an event that was opened; INVALID_ARGUMENT for others.
    Status closeCounter();
    /// 0 for events of zeEventCreate.
    ze_event_counter_based_flags_t counterFlags() const noexcept { return counterFlags_; }
    /// ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE and ..._NON_IMMEDIATE: the lists that may signal a counter-based event.
    ze_event_counter_based_flags_t signalledBy() const noexcept;

    /// INVALID_ARGUMENT, with a log line, if the pool has no timestamps.
    Status requireTimestamps() const;
    /// NOT_READY until signalled; INVALID_ARGUMENT if the pool has no timestamps.
    Status timestamps(ze_kernel_timestamp_result_t& out) const;
    /// The same for each part of a command that ran on several tiles; for a sub-device, the part on its tile.
    Result<std::vector<SignalState::Span>> packets(Device& device) const;

    EventPool& pool() const noexcept { return *pool_; }
    /// Its pool, if the application has a handle of it: INVALID_ARGUMENT.
    Result<EventPool*> livePool() const;
    ze_event_scope_flags_t signalScope() const noexcept { return signalScope_; }
    ze_event_scope_flags_t waitScope() const noexcept { return waitScope_; }

    // The timestamps of as many of the event's packets as the caller has room for; their number is returned in `count`.
    // The signal decides the number; before it, `count` is the most there can be. `out` may be null. NOT_READY.
    Status queryTimestamps(Device& device, std::uint32_t& count, ze_kernel_timestamp_result_t* out);
    Status queryTimestampsExt(Device& device, std::uint32_t& count,
                              ze_event_query_kernel_timestamps_results_ext_properties_t* out);

  private:
    Result<SignalState::Times> signalledTimes() const;
    template <class F>
    Status eachPacket(Device& device, std::uint32_t& count, F&& write) const;
    /// A state, what shares it with other processes, and what will signal it.
    struct Current {
        std::shared_ptr<SignalState> state;
        std::shared_ptr<EventPool> shared;
        Signaller by = {};
        std::shared_ptr<WatchedWord> word = {};  ///< what decides in place of the state
    };
    bool aggregates() const noexcept { return counter_ && counter_->aggregates(); }
    static Current first(const std::shared_ptr<EventPool>& pool, std::uint32_t index);
    Current fresh() const;
    void renew(Current next);

    std::shared_ptr<EventPool> pool_;
    ze_event_scope_flags_t signalScope_;
    ze_event_scope_flags_t waitScope_;
    ze_event_counter_based_flags_t counterFlags_;
    const std::shared_ptr<EventCounter> counter_;
    Synchronized<Current> current_;
};

/// The answer of zeEventQueryKernelTimestamp for a time span or a signalled state: both domains are the same clock, cut
/// to the valid bits.
ze_kernel_timestamp_result_t kernelTimestamps(const SignalState::Span& span, Device& device) noexcept;
ze_kernel_timestamp_result_t kernelTimestamps(const SignalState& state, Device& device) noexcept;

/// SUCCESS, NOT_READY or DEVICE_LOST.
Status codeOf(SignalState::Value value) noexcept;

}  // namespace zetl::emulator::driver
