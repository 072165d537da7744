// Watches the application's other functions: they make and end objects, execute lists, show that something may be
// complete, or must not reveal what the collector changed.
#include <algorithm>
#include <cstring>

#include "activity/state.h"

namespace zetl::activity {
namespace {

using State = Collector::State;
using Guard = std::lock_guard<std::mutex>;
using Extent = Executions::Extent;

/// The handle that a successful call wrote through its argument.
const void* made(Arguments arguments, int index) { return *argument<const void**>(arguments, index); }
const void* handle(Arguments arguments, int index = 0) { return argument<const void*>(arguments, index); }

// Queues and lists.

void queueMade(State& state, Arguments arguments, ze_result_t result) {
    if (result != ZE_RESULT_SUCCESS) return;
    const auto& description = *argument<const ze_command_queue_desc_t*>(arguments, 2);
    const Guard guard(state.mutex);
    state.objects.queues[made(arguments, 3)] = &state.objects.executions.open(
        made(arguments, 3), argument<ze_device_handle_t>(arguments, 1), description, false);
}

void queueEnds(State& state, Arguments arguments) {
    const Guard guard(state.mutex);
    const auto found = state.objects.queues.find(handle(arguments));
    if (found == state.objects.queues.end()) return;
    state.objects.executions.close(*found->second);
    state.objects.queues.erase(found);
}

ListState& newList(State& state, Arguments arguments) {
    auto& list = state.objects.lists[made(arguments, 3)];
    list = {};
    list.context = argument<ze_context_handle_t>(arguments, 0);
    list.device = argument<ze_device_handle_t>(arguments, 1);
    list.store = &state.objects.store(list.context, list.device);
    list.recorded = state.objects.executions.device(list.device).recorded;
    return list;
}

void listMade(State& state, Arguments arguments, ze_result_t result) {
    if (result != ZE_RESULT_SUCCESS) return;
    const Guard guard(state.mutex);
    newList(state, arguments);
}

void immediateMade(State& state, Arguments arguments, ze_result_t result) {
    if (result != ZE_RESULT_SUCCESS) return;
    const auto& description = *argument<const ze_command_queue_desc_t*>(arguments, 2);
    const Guard guard(state.mutex);
    newList(state, arguments).stream = &state.objects.executions.open(
        made(arguments, 3), argument<ze_device_handle_t>(arguments, 1), description, true);
}

/// Of the list's commands.
void tellOfEnd(State& state, Arguments arguments) {
    if (state.launches) state.launches->listEnds(argument<ze_command_list_handle_t>(arguments, 0));
}

void listIsReset(State& state, Arguments arguments) {
    const Guard guard(state.mutex);
    auto* list = state.objects.list(handle(arguments));
    if (!list) return;
    tellOfEnd(state, arguments);
    state.objects.clear(list->commands);
}

void listEnds(State& state, Arguments arguments) {
    const Guard guard(state.mutex);
    auto* list = state.objects.list(handle(arguments));
    if (!list) return;
    tellOfEnd(state, arguments);
    state.objects.clear(list->commands);
    state.objects.recording.erase(handle(arguments));
    if (list->stream) state.objects.executions.close(*list->stream);
    state.objects.lists.erase(handle(arguments));
}

/// The clone signals the same events, and there is no way to know when.
void listIsCloned(State& state, Arguments arguments) {
    const Guard guard(state.mutex);
    if (auto* list = state.objects.list(handle(arguments))) {
        list->commands.clear();
        list->measured = false;
    }
}

void nextMayChange(State& state, Arguments arguments) {
    const Guard guard(state.mutex);
    if (auto* list = state.objects.list(handle(arguments))) list->skipsNext = true;
}

void captureBegan(State& state, Arguments arguments, ze_result_t result) {
    if (result != ZE_RESULT_SUCCESS) return;
    const Guard guard(state.mutex);
    state.objects.recording.insert(handle(arguments));
}

void captureEnds(State& state, Arguments arguments, ze_result_t result) {
    const bool ended = result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS ||
                       result == ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED;
    if (!ended) return;
    const Guard guard(state.mutex);
    state.objects.recording.erase(handle(arguments));
}

void instantiated(State& state, Arguments arguments, ze_result_t result) {
    if (result != ZE_RESULT_SUCCESS) return;
    const Guard guard(state.mutex);
    state.objects.executables[made(arguments, 2)] = state.objects.graph(handle(arguments));
}

void graphEnds(State& state, Arguments arguments) {
    const Guard guard(state.mutex);
    state.objects.release(state.objects.graphs, handle(arguments));
}

void executableEnds(State& state, Arguments arguments) {
    const Guard guard(state.mutex);
    state.objects.release(state.objects.executables, handle(arguments));
}

template <class Visit>
void eachList(State& state, Arguments arguments, Visit visit) {
    const auto count = argument<std::uint32_t>(arguments, 1);
    const auto* handles = argument<const void* const*>(arguments, 2);
    if (!handles) return;
    for (std::uint32_t i = 0; i < count; ++i)
        if (auto* list = state.objects.list(handles[i])) visit(*list);
}

/// One of the lists that are to be executed; null: none is known.
const ListState* anyList(State& state, Arguments arguments) {
    const ListState* any = nullptr;
    eachList(state, arguments, [&](const ListState& list) { any = &list; });
    return any;
}

StreamState* streamOf(State& state, const void* queueOrList) {
    if (const auto queue = state.objects.queues.find(queueOrList); queue != state.objects.queues.end())
        return queue->second;
    const auto* list = state.objects.list(queueOrList);
    return list ? list->stream : nullptr;
}

/// What is to be done when the call that executes lists returns.
enum class Executing : std::uint8_t { nothing, withdrawing /* if it failed */, reading };
thread_local Executing executing = Executing::nothing;

void listsStart(State& state, Arguments arguments) {
    executing = Executing::nothing;
    if (!state.sink.wanted()) return;
    const Guard guard(state.mutex);
    auto* stream = streamOf(state, handle(arguments));
    if (!stream) stream = state.queueOf(handle(arguments), anyList(state, arguments));
    if (!stream) return;
    executing = stream->synchronous || stream->facts.immediate ? Executing::reading : Executing::withdrawing;
    const auto call = state.sink.call();
    const auto time = state.timeOfCall();
    eachList(state, arguments, [&](ListState& list) { state.objects.execute(list.commands, *stream, call, time); });
}

/// That of the executable graph that is appended, or null.
GraphState* graphOf(State& state, Arguments arguments) {
    const auto found = state.objects.executables.find(handle(arguments, 1));
    return found == state.objects.executables.end() ? nullptr : found->second.get();
}

/// An execution of a graph is a launch of all of its kernels.
void graphLaunches(State& state, Arguments arguments) {
    const Guard guard(state.mutex);
    const auto* const graph = graphOf(state, arguments);
    const auto* const list = state.objects.list(handle(arguments));
    if (!graph || graph->kernels.names.empty() || !list || !list->measured) return;
    if (!state.objects.recording.empty() && state.objects.recordingGraph(handle(arguments))) return;
    executing = Executing::reading;
    state.launches->launching({argument<ze_command_list_handle_t>(arguments, 0),
                               list->context,
                               list->device,
                               list->stream != nullptr,
                               {},
                               &graph->kernels});
}

void graphStarts(State& state, Arguments arguments) {
    executing = Executing::nothing;
    if (state.launches) return graphLaunches(state, arguments);
    if (!state.sink.wanted()) return;
    const Guard guard(state.mutex);
    auto* const stream = streamOf(state, handle(arguments));
    auto* const graph = graphOf(state, arguments);
    if (!stream || !graph) return;
    executing = Executing::reading;
    state.objects.execute(*graph, argument<ze_command_list_handle_t>(arguments, 0), *stream, state.sink.call(),
                          state.timeOfCall());
}

void graphStarted(State& state, Arguments arguments, ze_result_t result) {
    if (std::exchange(executing, Executing::nothing) == Executing::nothing) return;
    const Guard guard(state.mutex);
    if (state.launches) return state.launches->launched(result);
    auto* const stream = streamOf(state, handle(arguments));
    auto* const graph = graphOf(state, arguments);
    if (result != ZE_RESULT_SUCCESS && graph)
        state.objects.withdraw(graph->commands);
    else if (stream)
        state.objects.executions.submitted(*stream);
}

void listsStarted(State& state, Arguments arguments, ze_result_t result) {
    const auto left = std::exchange(executing, Executing::nothing);
    const bool failed = result != ZE_RESULT_SUCCESS;
    if (left == Executing::nothing || (left == Executing::withdrawing && !failed)) return;
    const Guard guard(state.mutex);
    auto* stream = streamOf(state, handle(arguments));
    if (failed)
        eachList(state, arguments, [&](ListState& list) { state.objects.withdraw(list.commands); });
    else if (stream)
        state.objects.executions.submitted(*stream);
}

// Calls that show that commands are over.

/// Whether nothing is to be read behind the wait in progress on this thread. That is found out before the wait: behind
/// it, the device has nothing to do until the program goes on.
thread_local bool nothingToRead = false;

void streamIsAwaited(State& state, Arguments arguments) {
    const Guard guard(state.mutex);
    const auto* const stream = streamOf(state, handle(arguments));
    nothingToRead = !state.launches && stream && state.objects.executions.isReadBesideWork(*stream);
}

void somethingIsAwaited(State& state, Arguments) {
    const Guard guard(state.mutex);
    nothingToRead = !state.launches && state.objects.executions.isReadBesideWork();
}

void streamIsIdle(State& state, Arguments arguments, ze_result_t result) {
    if (result != ZE_RESULT_SUCCESS) return;
    const Guard guard(state.mutex);
    if (state.launches) return state.launches->somethingIsOver();
    if (auto* stream = streamOf(state, handle(arguments))) state.objects.executions.read(*stream, Extent::all);
}

void somethingIsOver(State& state, Arguments, ze_result_t result) {
    if (result != ZE_RESULT_SUCCESS) return;
    const Guard guard(state.mutex);
    if (state.launches) return state.launches->somethingIsOver();
    state.objects.executions.readAll(Extent::oldest);
}

/// Behind a wait of which it is known whether anything is to be read.
template <Hook::Leave Read>
void waited(State& state, Arguments arguments, ze_result_t result) {
    if (!std::exchange(nothingToRead, false)) return Read(state, arguments, result);
    if (result == ZE_RESULT_SUCCESS) state.objects.executions.idle();
}

void eventChanges(State& state, Arguments arguments) {
    const Guard guard(state.mutex);
    state.objects.executions.lastLook(argument<ze_event_handle_t>(arguments, 0));
}

void eventIsResetByList(State& state, Arguments arguments) {
    const Guard guard(state.mutex);
    state.objects.executions.lastLook(argument<ze_event_handle_t>(arguments, 1));
}

// The application's pools and events, which get timestamps.

/// The description that the driver sees in the place of the application's, and the application's original one.
struct Described {
    const void* original = nullptr;
    Timestamps timestamps = Timestamps::none;
    ze_event_pool_desc_t pool;
    ze_event_counter_based_desc_t counter;
};
thread_local Described described;

constexpr std::uint32_t kPoolTimestamps =
    ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP;
constexpr std::uint32_t kCounterTimestamps =
    ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP | ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP;

/// Other processes see the flags of shared events, so those stay as they are.
template <class Description>
void describe(Arguments arguments, int index, Description& changed, std::uint32_t timestamps, std::uint32_t added,
              std::uint32_t shared) {
    auto& description = argument<const Description*>(arguments, index);
    described.original = description;
    described.timestamps = Timestamps::none;
    if (!description) return;
    if (description->flags & timestamps) described.timestamps = Timestamps::asked;
    if (description->flags & (timestamps | shared)) return;
    if (added == 0) return;
    described.timestamps = Timestamps::hidden;
    changed = *description;
    changed.flags |= added;
    description = &changed;
}

/// Whether the pool's events need no timestamps, since the driver records the times of commands.
bool isRecorded(State& state, std::uint32_t count, const ze_device_handle_t* devices) {
    const Guard guard(state.mutex);
    auto& executions = state.objects.executions;
    if (count == 0 || !devices) return executions.times.servesAll();
    return std::all_of(devices, devices + count,
                       [&](ze_device_handle_t device) { return executions.device(device).recorded; });
}

void poolBegins(State& state, Arguments arguments) {
    const bool recorded =
        isRecorded(state, argument<std::uint32_t>(arguments, 2), argument<const ze_device_handle_t*>(arguments, 3));
    describe(arguments, 1, described.pool, kPoolTimestamps, recorded ? 0 : ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
             ZE_EVENT_POOL_FLAG_IPC);
}

void poolMade(State& state, Arguments arguments, ze_result_t result) {
    argument<const void*>(arguments, 1) = described.original;
    if (result != ZE_RESULT_SUCCESS) return;
    const Guard guard(state.mutex);
    state.objects.pools[made(arguments, 4)] = described.timestamps;
}

void poolEnds(State& state, Arguments arguments) {
    const Guard guard(state.mutex);
    state.objects.pools.erase(handle(arguments));
}

void eventMade(State& state, Arguments arguments, ze_result_t result) {
    if (result != ZE_RESULT_SUCCESS) return;
    const Guard guard(state.mutex);
    const auto pool = state.objects.pools.find(handle(arguments));
    if (pool != state.objects.pools.end()) state.objects.events[made(arguments, 2)] = pool->second;
}

void counterBegins(State&, Arguments arguments) {
    describe(arguments, 2, described.counter, kCounterTimestamps, ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP,
             ZE_EVENT_COUNTER_BASED_FLAG_IPC);
}

void counterMade(State& state, Arguments arguments, ze_result_t result) {
    argument<const void*>(arguments, 2) = described.original;
    if (result != ZE_RESULT_SUCCESS) return;
    const Guard guard(state.mutex);
    state.objects.events[made(arguments, 3)] = described.timestamps;
    state.objects.counters.insert(made(arguments, 3));
}

void eventEnds(State& state, Arguments arguments) {
    eventChanges(state, arguments);
    const Guard guard(state.mutex);
    state.objects.events.erase(handle(arguments));
    state.objects.counters.erase(handle(arguments));
}

bool isHidden(State& state, const void* event) {
    const Guard guard(state.mutex);
    return state.objects.timestampsOf(event) == Timestamps::hidden;
}

template <std::uint32_t Flags>
void hideFlags(Arguments arguments, ze_result_t result, bool hidden) {
    if (hidden && result == ZE_RESULT_SUCCESS) *argument<std::uint32_t*>(arguments, 1) &= ~Flags;
}

void poolFlagsAsked(State& state, Arguments arguments, ze_result_t result) {
    const Guard guard(state.mutex);
    const auto pool = state.objects.pools.find(handle(arguments));
    const bool hidden = pool != state.objects.pools.end() && pool->second == Timestamps::hidden;
    hideFlags<kPoolTimestamps>(arguments, result, hidden);
}

void counterFlagsAsked(State& state, Arguments arguments, ze_result_t result) {
    hideFlags<kCounterTimestamps>(arguments, result, isHidden(state, handle(arguments)));
}

/// The specification requires that timestamps the application did not ask for are refused.
thread_local bool refusing = false;
thread_local ze_kernel_timestamp_result_t unseen;

void timestampAsked(State& state, Arguments arguments) {
    refusing = isHidden(state, handle(arguments));
    if (auto& place = argument<void*>(arguments, 1); refusing && place) place = &unseen;
}

/// If the application asks for nothing, the driver writes nothing.
void timestampsAsked(State& state, Arguments arguments) {
    refusing = false;
    const auto* events = argument<const void* const*>(arguments, 2);
    auto& count = argument<std::uint32_t>(arguments, 1);
    for (std::uint32_t i = 0; events && i < count; ++i) refusing = refusing || isHidden(state, events[i]);
    if (refusing) count = 0;
}

void packetsAsked(State& state, Arguments arguments) { refusing = isHidden(state, handle(arguments)); }

void timestampsAnswered(State& state, Arguments, ze_result_t result) {
    if (std::exchange(refusing, false) && result == ZE_RESULT_SUCCESS)
        state.calls.tracerSetResult(ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

// The rest.

void kernelMade(State& state, Arguments arguments, ze_result_t result) {
    if (result != ZE_RESULT_SUCCESS) return;
    const auto* name = argument<const ze_kernel_desc_t*>(arguments, 1)->pKernelName;
    const Guard guard(state.mutex);
    state.objects.addKernel(made(arguments, 2), name ? name : "");
}

void groupSizeSet(State& state, Arguments arguments, ze_result_t result) {
    if (result != ZE_RESULT_SUCCESS) return;
    const Guard guard(state.mutex);
    auto* const kernel = state.objects.kernel(handle(arguments));
    if (!kernel) return;
    for (int i = 0; i < 3; ++i) kernel->facts.groupSize[i] = argument<std::uint32_t>(arguments, i + 1);
}

/// Local memory is an argument without a value; so is a null pointer, of 8 bytes.
void argumentSet(State& state, Arguments arguments, ze_result_t result) {
    const auto bytes = argument<std::size_t>(arguments, 2);
    if (argument<const void*>(arguments, 3) || bytes <= sizeof(void*) || result != ZE_RESULT_SUCCESS) return;
    const Guard guard(state.mutex);
    if (auto* const kernel = state.objects.kernel(handle(arguments)))
        kernel->localArguments[argument<std::uint32_t>(arguments, 1)] = bytes;
}

void contextEnds(State& state, Arguments arguments) {
    const Guard guard(state.mutex);
    state.objects.endContext(argument<ze_context_handle_t>(arguments, 0));
}

}  // namespace

constexpr std::array<Hook, kHookCount> kHooks = {{
    {"zeCommandQueueCreate", nullptr, queueMade},
    {"zeCommandQueueDestroy", queueEnds},
    {"zeCommandListCreate", nullptr, listMade, Hook::For::launches},
    {"zeCommandListCreateImmediate", nullptr, immediateMade, Hook::For::launches},
    {"zeCommandListReset", listIsReset, nullptr, Hook::For::launches},
    {"zeCommandListDestroy", listEnds, nullptr, Hook::For::launches},
    {"zeCommandListCreateCloneExp", listIsCloned, nullptr, Hook::For::launches},
    {"zeCommandListGetNextCommandIdExp", nextMayChange, nullptr, Hook::For::launches},
    {"zeCommandListGetNextCommandIdWithKernelsExp", nextMayChange, nullptr, Hook::For::launches},
    {"zeCommandListBeginGraphCaptureExt", nullptr, captureBegan, Hook::For::launches},
    {"zeCommandListBeginCaptureIntoGraphExt", nullptr, captureBegan, Hook::For::launches},
    {"zeCommandListEndGraphCaptureExt", nullptr, captureEnds, Hook::For::launches},
    {"zeGraphInstantiateExt", nullptr, instantiated, Hook::For::launches},
    {"zeCommandListAppendGraphExt", graphStarts, graphStarted, Hook::For::launches},
    {"zeGraphDestroyExt", graphEnds, nullptr, Hook::For::launches},
    {"zeExecutableGraphDestroyExt", executableEnds, nullptr, Hook::For::launches},
    {"zeCommandQueueExecuteCommandLists", listsStart, listsStarted},
    {"zeCommandListImmediateAppendCommandListsExp", listsStart, listsStarted},
    {"zeCommandListImmediateAppendCommandListsWithParameters", listsStart, listsStarted},
    {"zeCommandQueueSynchronize", streamIsAwaited, waited<streamIsIdle>, Hook::For::launches},
    {"zeCommandListHostSynchronize", streamIsAwaited, waited<streamIsIdle>, Hook::For::launches},
    {"zeDeviceSynchronize", somethingIsAwaited, waited<somethingIsOver>, Hook::For::launches},
    {"zeFenceHostSynchronize", somethingIsAwaited, waited<somethingIsOver>, Hook::For::launches},
    {"zeFenceQueryStatus", nullptr, somethingIsOver},
    {"zeEventHostSynchronize", somethingIsAwaited, waited<somethingIsOver>, Hook::For::launches},
    {"zeEventQueryStatus", nullptr, somethingIsOver},
    {"zeEventHostReset", eventChanges},
    {"zeEventHostSignal", eventChanges},
    {"zeCommandListAppendEventReset", eventIsResetByList},
    {"zeEventPoolCreate", poolBegins, poolMade},
    {"zeEventPoolDestroy", poolEnds},
    {"zeEventPoolGetFlags", nullptr, poolFlagsAsked},
    {"zeEventCreate", nullptr, eventMade},
    {"zeEventCounterBasedCreate", counterBegins, counterMade},
    {"zeEventGetCounterBasedFlags", nullptr, counterFlagsAsked},
    {"zeEventDestroy", eventEnds},
    {"zeEventQueryKernelTimestamp", timestampAsked, timestampsAnswered},
    {"zeEventQueryKernelTimestampsExt", packetsAsked, timestampsAnswered},
    {"zeEventQueryTimestampsExp", packetsAsked, timestampsAnswered},
    {"zeCommandListAppendQueryKernelTimestamps", timestampsAsked, timestampsAnswered},
    {"zeKernelCreate", nullptr, kernelMade},
    {"zeKernelSetGroupSize", nullptr, groupSizeSet},
    {"zeKernelSetArgumentValue", nullptr, argumentSet},
    {"zeContextDestroy", contextEnds},
}};

}  // namespace zetl::activity
