// ze_event_handle_t (core specification, "Events").
#pragma once

#include <atomic>
#include <memory>

#include "nvidia/driver/execution/counter_states.h"
#include "nvidia/driver/execution/event_pool.h"
#include "nvidia/driver/execution/signal_word.h"
#include "nvidia/driver/shared_parts.h"

namespace zetl::nvidia {

/// An event: a word that streams write and wait for, so that the host and any stream can be on either side, in any
/// order. Events with timestamps also have two CUDA events around the command. Thread-safe. The append functions expect
/// the stream's context to be current.
class Event : public Object<Event, ze_event_handle_t> {
  public:
    static constexpr const char* kNoun = "event";

    static Result<std::shared_ptr<Event>> create(std::shared_ptr<EventPool> pool, SignalWord word, Gate gate,
                                                 const ze_event_desc_t& description);
    /// The same with the word as it is.
    static Result<std::shared_ptr<Event>> createUnreset(std::shared_ptr<EventPool> pool, SignalWord word, Gate gate,
                                                        const ze_event_desc_t& description);
    /// A counter-based event. INVALID_ENUMERATION; INVALID_ARGUMENT for both kinds of timestamps; UNSUPPORTED_FEATURE
    /// for other processes, and counters of the application.
    static Result<std::shared_ptr<Event>> createCounter(std::shared_ptr<Context> context, Context::Member place,
                                                        const ze_event_counter_based_desc_t& description);
    Event(std::shared_ptr<EventPool> pool, SignalWord word, Gate gate, const ze_event_desc_t& description);
    ~Event();

    /// Call it in front of the signalling command. With `closely`, start, command and signal of an event with
    /// timestamps reach the device together, so that the time between them is not the host's; open() must follow them.
    Status appendStart(CUstream stream, bool closely) noexcept;
    void open() const noexcept { gate_.open(); }
    /// Call it behind the command.
    Status appendSignal(CUstream stream) noexcept;
    Status appendReset(CUstream stream) noexcept;
    Status appendWait(CUstream stream) const noexcept;
    /// appendSignal() to a stream that CUDA captures, without timestamps: each launch of the graph signals, which
    /// noteComing() must follow.
    Status appendToGraph(CUstream stream) const noexcept { return word_.appendSignal(stream); }
    void noteComing() noexcept { coming_.store(true); }

    bool hasTimestamps() const noexcept { return end_ != nullptr; }
    /// True from the submission of a signal, or the host's signal, until a reset. Always for an event that other
    /// processes may signal: nobody here knows when, so the device waits.
    bool isComing() const noexcept;

    /// What a command that is submitted now waits for, or signals: an event of its own if this one is counter-based.
    std::shared_ptr<Event> toWaitFor();
    Result<std::shared_ptr<Event>> toSignal();
    /// The same for a command that is recorded. It signals an event that is counter-based itself: each execution
    /// signals that one anew, and what was recorded to wait waits for the last execution.
    std::shared_ptr<Event> toWaitForRecorded();
    Result<std::shared_ptr<Event>> toSignalRecorded();
    bool isCounterBased() const noexcept { return counter_ != nullptr; }
    /// INVALID_ARGUMENT if lists of this kind must not signal it.
    Status checkSignalledBy(bool immediate) const;

    // The exported functions, without their first argument.
    ze_event_counter_based_flags_t counterFlags() const noexcept { return counterFlags_; }
    Status hostSignal();
    Status hostReset();
    Status queryStatus();
    Status hostSynchronize(std::uint64_t nanoseconds);
    Status queryKernelTimestamp(ze_kernel_timestamp_result_t* out);
    Status queryTimestamps(std::uint32_t* count, ze_kernel_timestamp_result_t* out);
    Status getEventPool(ze_event_pool_handle_t* out);
    /// From which value on the word at the address says that the command that is to signal it last has done so.
    Status getDeviceAddress(std::uint64_t* value, std::uint64_t* address);
    Status getSignalScope(ze_event_scope_flags_t* out);
    Status getWaitScope(ze_event_scope_flags_t* out);

  private:
    static Result<std::shared_ptr<Event>> createCounting(std::shared_ptr<EventPool> pool, std::uint32_t value,
                                                         const ze_event_desc_t& description,
                                                         ze_event_counter_based_flags_t flags);
    /// The state that the host looks at: this, unless it is counter-based.
    const Event& looked(std::shared_ptr<Event>& keep) const noexcept;
    Result<ze_kernel_timestamp_data_t> span();

    const std::shared_ptr<EventPool> pool_;
    const SignalWord word_;
    Gate gate_;
    const ze_event_scope_flags_t signalScope_;
    const ze_event_scope_flags_t waitScope_;
    std::unique_ptr<CounterStates> counter_;  ///< of a counter-based event; constant once it is created
    ze_event_counter_based_flags_t counterFlags_ = 0;
    /// null without timestamps
    CUevent begin_ = nullptr;
    CUevent end_ = nullptr;
    std::atomic<bool> coming_{false};
    std::atomic<bool> recorded_{false};       ///< the last signal came from a command
    std::atomic<std::uint64_t> hostTime_{0};  ///< device time of the host's signal
};

}  // namespace zetl::nvidia
