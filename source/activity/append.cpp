// Watches commands being appended: a command without a signal event gets one of the collector's.
#include "activity/state.h"

namespace zetl::activity {

struct Appending {
    ListState* list = nullptr;  // null: not measured
    Command command;
    std::uint64_t time = 0;
    ze_event_handle_t wanted = nullptr;  // what the application passed in the place of the collector's event
};

namespace {

/// The call that this thread is in. Calls do not nest: those made inside one are not traced.
thread_local Appending appending;
/// What this thread's call is for the observer of launches.
enum class Launching : std::uint8_t { unknown, known, capturing /* perhaps */ };
thread_local Launching launching = Launching::unknown;

std::uint64_t bytesOf(const AppendFunction& function, Arguments arguments) {
    return function.size < 0 ? 0 : argument<std::size_t>(arguments, function.size);
}

std::span<const ze_kernel_handle_t> kernelsOf(const AppendFunction& function, Arguments arguments) {
    if (function.kernel >= 0) return {&argument<ze_kernel_handle_t>(arguments, function.kernel), 1};
    if (function.kernels < 0) return {};
    const auto* const all = argument<const ze_kernel_handle_t*>(arguments, function.kernels + 1);
    return {all, all ? argument<std::uint32_t>(arguments, function.kernels) : 0};
}

void copyShape(const ze_group_count_t& groups, LaunchShape& shape) {
    shape.groups[0] = groups.groupCountX;
    shape.groups[1] = groups.groupCountY;
    shape.groups[2] = groups.groupCountZ;
}

/// `shape`: the kernel's own, to which the call adds.
LaunchShape shapeOf(const AppendFunction& function, Arguments arguments, LaunchShape shape) {
    if (function.groups >= 0)
        if (const auto* groups = argument<const ze_group_count_t*>(arguments, function.groups))
            copyShape(*groups, shape);
    if (function.shape >= 0) {
        copyShape(argument<ze_group_count_t>(arguments, function.shape), shape);
        const auto& size = argument<ze_group_size_t>(arguments, function.shape + 1);
        shape.groupSize[0] = size.groupSizeX;
        shape.groupSize[1] = size.groupSizeY;
        shape.groupSize[2] = size.groupSizeZ;
    }
    return shape;
}

/// Whether a driver that records times records those of such commands.
bool isRecorded(Work work) { return work == Work::kernel || work == Work::copy || work == Work::fill; }

}  // namespace

bool Collector::State::mayBeCaptured(const AppendFunction& function, Arguments arguments) {
    // A list that waits for an event may become a fork of the graph.
    const bool waits = argument<std::uint32_t>(arguments, function.signal + 1) != 0;
    return waits || objects.recordingGraph(argument<const void*>(arguments, 0));
}

void Collector::State::enterLaunch(const AppendFunction& function, Arguments arguments) {
    launching = Launching::unknown;
    const std::lock_guard guard(mutex);
    const auto handle = argument<ze_command_list_handle_t>(arguments, 0);
    auto* const list = objects.list(handle);
    if (!list || !list->measuresNext() || function.work != Work::kernel) return;
    if (!objects.recording.empty() && mayBeCaptured(function, arguments)) {
        launching = Launching::capturing;
        return;
    }
    launching = Launching::known;
    launches->launching({handle, list->context, list->device, list->stream != nullptr, kernelsOf(function, arguments)});
}

void Collector::State::leaveLaunch(const AppendFunction& function, Arguments arguments, ze_result_t result) {
    const auto left = std::exchange(launching, Launching::unknown);
    if (left == Launching::unknown) return;
    const std::lock_guard guard(mutex);
    if (left == Launching::known) return launches->launched(result);
    auto* const graph =
        result == ZE_RESULT_SUCCESS ? objects.recordingGraph(argument<const void*>(arguments, 0)) : nullptr;
    if (graph) launches->captured(kernelsOf(function, arguments), graph->kernels);
}

void Collector::State::enterAppend(const AppendFunction& function, Arguments arguments) {
    if (launches) return enterLaunch(function, arguments);
    appending.list = nullptr;
    if (!sink.wanted()) return;
    const std::lock_guard guard(mutex);
    auto* list = listOf(argument<const void*>(arguments, 0));
    if (!list || !list->measuresNext()) return;
    auto& signal = argument<ze_event_handle_t>(arguments, function.signal);
    Command command{signal, nullptr, function.work, 0, bytesOf(function, arguments), sink.call(), {}};
    if (list->recorded) {
        // Other commands take the device no time.
        if (!isRecorded(function.work)) return;
        command.event = nullptr;
        command.tag = objects.executions.beginTag();
        appending = {list, command, timeOfCall()};
        return;
    }
    const auto wanted = signal;
    if (!signal || isUnreadable(signal)) {
        command.store = list->store;
        command.event = list->store->take();
    } else if (timestampsOf(signal) == Timestamps::none || (list->stream && objects.executions.running(signal))) {
        command.event = nullptr;
    }
    if (!command.event) return objects.executions.missed();
    signal = command.event;
    appending = {list, command, timeOfCall(), wanted};
}

bool Collector::State::isUnreadable(ze_event_handle_t signal) {
    // What an executable graph does with counter-based events of the application cannot be read from outside, and what
    // the application does with its other events must not depend on whether executions overlap. Only behind the call is
    // it known whether it made its list a fork of a graph.
    return !objects.recording.empty() &&
           (timestampsOf(signal) != Timestamps::asked || objects.counters.contains(signal));
}

void Collector::State::signalWanted(const Appending& done, Arguments arguments) {
    const auto list = argument<ze_command_list_handle_t>(arguments, 0);
    auto ended = done.command.event;
    const auto result = calls.commandListAppendBarrier(list, done.wanted, 1, &ended);
    if (result != ZE_RESULT_SUCCESS) calls.tracerSetResult(result);
}

void Collector::State::describeKernel(const AppendFunction& function, Arguments arguments, Command& command) {
    if (function.kernel < 0) return;
    const auto* const kernel = kernelOf(argument<const void*>(arguments, function.kernel));
    if (!kernel) return;
    command.kernel = kernel->number;
    command.shape = shapeOf(function, arguments, kernel->shape());
}

bool Collector::State::keepInGraph(const Command& command, Arguments arguments) {
    auto* const graph = objects.recordingGraph(argument<const void*>(arguments, 0));
    if (!graph) return false;
    graph->commands.push_back(command);
    return true;
}

void Collector::State::leaveAppend(const AppendFunction& function, Arguments arguments, ze_result_t result) {
    if (launches) return leaveLaunch(function, arguments, result);
    if (!appending.list) return;
    auto& [list, command, time, wanted] = appending;
    if (command.store) argument<ze_event_handle_t>(arguments, function.signal) = wanted;
    const std::lock_guard guard(mutex);
    describeKernel(function, arguments, command);
    if (command.store && wanted && result == ZE_RESULT_SUCCESS) signalWanted(appending, arguments);
    if (result != ZE_RESULT_SUCCESS) {
        if (command.store) command.store->giveBack(command.event);
    } else if (!objects.recording.empty() && keepInGraph(command, arguments)) {
        // Programs without graphs pay one look at an empty set.
    } else if (list->stream) {
        objects.executions.add(*list->stream, command, command.appended, time, true);
        objects.executions.submitted(*list->stream);
    } else {
        list->commands.push_back(command);
    }
    if (command.tag != 0) objects.executions.endTag(command.tag);
    list = nullptr;
}

}  // namespace zetl::activity
