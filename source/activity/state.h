// The collector's state, and its action at each call of the application.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <utility>

#include "activity/append_functions.h"
#include "activity/launch_observer.h"
#include "activity/objects.h"

namespace zetl::activity {

/// The argument of a tracer's callback: the addresses of the call's arguments, in order.
using Arguments = const void* const*;

struct Appending;

/// Runs before and after each function that matters. Thread-safe; never waits for a device.
struct Collector::State {
    State(const LevelZero& calls, Sink& sink, LaunchObserver* launches, bool late)
        : calls(calls), sink(sink), launches(launches), late(late), objects(this->calls, sink, launches == nullptr) {}

    void enterAppend(const AppendFunction& function, Arguments arguments);
    void leaveAppend(const AppendFunction& function, Arguments arguments, ze_result_t result);

    const LevelZero calls;
    Sink& sink;
    LaunchObserver* const launches;  // not null: it observes launches, and nothing is measured
    const bool late;                 // the application has older objects
    std::mutex mutex;
    Objects objects;          // under the mutex
    State* former = nullptr;  // the collector retired before this one

    /// When the call in progress on this thread began, or a moment later.
    std::uint64_t timeOfCall() {
        const auto known = sink.began();
        return known != 0 ? known : hostNow();
    }
    /// Null: not to be measured.
    ListState* listOf(const void* handle);
    StreamState* queueOf(const void* handle, const ListState* executed);
    KernelState* kernelOf(const void* handle);
    Timestamps timestampsOf(const void* event);

  private:
    void enterLaunch(const AppendFunction& function, Arguments arguments);
    void leaveLaunch(const AppendFunction& function, Arguments arguments, ze_result_t result);
    /// Whether a graph captures the launch, or may do so.
    [[gnu::cold, gnu::noinline]] bool mayBeCaptured(const AppendFunction& function, Arguments arguments);
    /// Whether a command gets an event of the collector in the place of this one of the application's: a graph may be
    /// recording it, and the event would not tell when it ended.
    bool isUnreadable(ze_event_handle_t signal);
    /// Appends a command that signals the application's event.
    [[gnu::cold, gnu::noinline]] void signalWanted(const Appending& done, Arguments arguments);
    /// Adds the kernel that the call has launched, while the device executes it.
    void describeKernel(const AppendFunction& function, Arguments arguments, Command& command);
    /// Keeps the command with the graph into which its list records; returns false if it does not.
    [[gnu::cold, gnu::noinline]] bool keepInGraph(const Command& command, Arguments arguments);
};

/// Device activity's action for a function that does not append.
struct Hook {
    using Enter = void (*)(Collector::State& state, Arguments arguments);
    using Leave = void (*)(Collector::State& state, Arguments arguments, ze_result_t result);
    enum class For : std::uint8_t { times, launches /* and times */ };
    const char* function;
    Enter enter = nullptr;
    Leave leave = nullptr;
    For reason = For::times;
};

inline constexpr std::size_t kHookCount = 44;
extern const std::array<Hook, kHookCount> kHooks;

/// An argument of a call, for reading and changing.
template <class T>
T& argument(Arguments arguments, int index) {
    return *static_cast<T*>(const_cast<void*>(arguments[index]));
}

}  // namespace zetl::activity
