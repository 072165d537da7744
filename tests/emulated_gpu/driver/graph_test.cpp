// Graphs: recording, forks and joins, executions, and what is refused.
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "emulated_gpu/graphs.h"
#include "support/scenario.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

constexpr std::uint64_t kForever = UINT64_MAX;
constexpr ze_event_counter_based_flags_t kImmediateKind = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE;

/// Adds 1 to *counter.
ze_result_t count(ze_command_list_handle_t list, ze_kernel_handle_t kernel, ze_event_handle_t signal = nullptr,
                  std::uint32_t waits = 0, ze_event_handle_t* wait = nullptr) {
    return zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, signal, waits, wait);
}

SCENARIO(aGraphExecutesWhatWasRecorded) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    auto* counter = gpu.shared(2);
    const auto kernel = gpu.kernel("count");
    Gpu::arguments(kernel, counter);
    const auto list = gpu.immediate();
    EXPECT_EQ(graphs.records(list), ZE_RESULT_QUERY_FALSE);
    ASSERT_OK(graphs.begin(list, nullptr));
    EXPECT_EQ(graphs.records(list), ZE_RESULT_QUERY_TRUE);
    ASSERT_OK(count(list, kernel));
    ASSERT_OK(count(list, kernel));
    Gpu::arguments(kernel, counter + 1);  // the recorded launches keep their argument
    ze_graph_handle_t current = nullptr;
    ASSERT_OK(graphs.graphOf(list, &current));
    const auto graph = graphs.recorded(list);
    EXPECT_EQ(graph, current);
    EXPECT_EQ(graphs.records(list), ZE_RESULT_QUERY_FALSE);
    EXPECT_EQ(graphs.graphOf(list, &current), ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING);
    EXPECT_EQ(current, nullptr);
    ASSERT_OK(gpu.synchronize(list, kForever));
    EXPECT_EQ(*counter, 0) << "recording executes nothing";
    EXPECT_EQ(graphs.isEmpty(graph), ZE_RESULT_QUERY_FALSE);
    const auto executable = graphs.executable(graph);
    for (int i = 1; i <= 100; ++i) {
        ASSERT_OK(graphs.run(list, executable));
        ASSERT_EQ(*counter, 2 * i);
    }
    EXPECT_EQ(counter[1], 0);
    ze_graph_handle_t source = nullptr;
    ASSERT_OK(graphs.source(executable, &source));
    EXPECT_EQ(source, graph);
    ze_command_list_handle_t primary = nullptr;
    ASSERT_OK(graphs.primary(graph, &primary));
    EXPECT_EQ(primary, list);
    ASSERT_OK(graphs.destroy(graph));
    EXPECT_EQ(graphs.source(executable, &source), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ASSERT_OK(graphs.run(list, executable));
    ASSERT_OK(graphs.destroyExecutable(executable));
}
TEST(Graph, ExecutesWhatWasRecorded) { EXPECT_RUNS(emulated("aGraphExecutesWhatWasRecorded")); }

SCENARIO(aGraphIsRecordedIntoAGivenOne) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    auto* data = gpu.shared(1);
    ze_graph_handle_t graph = nullptr;
    ASSERT_OK(graphs.create(gpu.context(), nullptr, &graph));
    EXPECT_EQ(graphs.isEmpty(graph), ZE_RESULT_QUERY_TRUE);
    ze_executable_graph_handle_t none = nullptr;
    EXPECT_EQ(graphs.instantiate(graph, nullptr, &none), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "never recorded";
    ze_command_list_handle_t primary = nullptr;
    EXPECT_EQ(graphs.primary(graph, &primary), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    const auto list = gpu.immediate();
    ASSERT_OK(graphs.beginInto(list, graph, nullptr));
    EXPECT_EQ(graphs.instantiate(graph, nullptr, &none), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "being recorded";
    EXPECT_EQ(graphs.beginInto(gpu.immediate(), graph, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "twice at once";
    ASSERT_OK(appendFill(list, data, 7));
    ASSERT_OK(graphs.end(list, nullptr, nullptr)) << "a given graph's handle is known";
    EXPECT_EQ(graphs.beginInto(list, graph, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "it has commands";
    ASSERT_OK(graphs.run(list, graphs.executable(graph)));
    EXPECT_EQ(*data, 7);
    ASSERT_OK(graphs.begin(list, nullptr));
    EXPECT_EQ(graphs.end(list, nullptr, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(graphs.records(list), ZE_RESULT_QUERY_TRUE);
    // An empty graph only waits and signals.
    const auto empty = graphs.executable(graphs.recorded(list));
    const auto pool = gpu.pool(2);
    auto before = Gpu::event(pool, 0);
    const auto after = Gpu::event(pool, 1);
    ASSERT_OK(graphs.append(list, empty, nullptr, after, 1, &before));
    EXPECT_EQ(zeEventHostSynchronize(after, 1'000'000), ZE_RESULT_NOT_READY);
    ASSERT_OK(zeEventHostSignal(before));
    EXPECT_OK(zeEventHostSynchronize(after, kForever));
}
TEST(Graph, IsRecordedIntoAGivenOne) { EXPECT_RUNS(emulated("aGraphIsRecordedIntoAGivenOne")); }

/// Two forks from a list that is not in order, joined by a wait and by the waits of a launch.
SCENARIO(forksAndJoinsAreRecorded) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    constexpr std::uint32_t kItems = 64;
    auto* data = gpu.shared(3 * kItems);
    const auto module = gpu.module();
    const auto add = [&](int* a, int* b, int* c) {
        const auto kernel = Gpu::kernelOf(module, "add", kItems);
        Gpu::arguments(kernel, a, b, c);
        return kernel;
    };
    const auto pool = gpu.pool(5);
    ze_event_handle_t events[5];
    for (std::uint32_t i = 0; i < 5; ++i) events[i] = Gpu::event(pool, i);
    const auto list = gpu.immediate();
    const auto left = gpu.immediate();
    const auto right = gpu.immediate();
    auto* first = data;
    auto* second = data + kItems;
    auto* sum = data + 2 * kItems;
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(zeCommandListAppendSignalEvent(list, events[0]));
    ASSERT_OK(zeCommandListAppendLaunchKernel(left, add(first, first, first), &kOneGroup, events[1], 1, &events[0]));
    ASSERT_OK(
        zeCommandListAppendLaunchKernel(right, add(second, second, second), &kOneGroup, events[2], 1, &events[0]));
    EXPECT_EQ(graphs.records(left), ZE_RESULT_QUERY_TRUE);
    ze_graph_handle_t root = nullptr;
    EXPECT_EQ(graphs.end(left, nullptr, &root), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "not the primary list";
    ASSERT_OK(graphs.graphOf(left, &root));
    EXPECT_EQ(graphs.isEmpty(root), ZE_RESULT_ERROR_INVALID_GRAPH) << "not joined yet";
    ASSERT_OK(zeCommandListAppendWaitOnEvents(list, 1, &events[1]));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, add(first, second, sum), &kOneGroup, events[3], 1, &events[2]));
    const auto graph = graphs.recorded(list);
    EXPECT_EQ(graph, root);
    EXPECT_EQ(graphs.records(left), ZE_RESULT_QUERY_FALSE);
    for (std::uint32_t i = 0; i < kItems; ++i) first[i] = second[i] = static_cast<int>(i) + 2;
    const auto executable = graphs.executable(graph);
    ASSERT_OK(graphs.append(list, executable, nullptr, events[4], 0, nullptr));
    ASSERT_OK(zeEventHostSynchronize(events[4], kForever));
    for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(sum[i], (static_cast<int>(i) + 2) * 4);
    EXPECT_OK(zeEventQueryStatus(events[3])) << "regular events are signalled";
    ASSERT_OK(graphs.run(list, executable));
    for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(sum[i], (static_cast<int>(i) + 2) * 8);
}
TEST(Graph, ForksAndJoinsAreRecorded) { EXPECT_RUNS(emulated("forksAndJoinsAreRecorded")); }

SCENARIO(unjoinedForksMakeAGraphInvalid) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    auto* data = gpu.shared(1);
    const auto list = graphs.inOrder();
    const auto child = graphs.inOrder();
    auto fork = graphs.counter(kImmediateKind);
    auto join = graphs.counter(kImmediateKind);
    for (const bool behind : {false, true}) {  // with work behind the join, or without a join
        ASSERT_OK(graphs.begin(list, nullptr));
        ASSERT_OK(zeCommandListAppendSignalEvent(list, fork));
        ASSERT_OK(zeCommandListAppendWaitOnEvents(child, 1, &fork));
        ASSERT_OK(appendFill(child, data, 1, join));
        if (behind) {
            ASSERT_OK(zeCommandListAppendWaitOnEvents(list, 1, &join));
            ASSERT_OK(appendFill(child, data, 2));
        }
        ze_graph_handle_t graph = nullptr;
        EXPECT_EQ(graphs.end(list, nullptr, &graph), ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS);
        ASSERT_NE(graph, nullptr);
        EXPECT_EQ(graphs.isEmpty(graph), ZE_RESULT_ERROR_INVALID_GRAPH);
        ze_executable_graph_handle_t none = nullptr;
        EXPECT_EQ(graphs.instantiate(graph, nullptr, &none), ZE_RESULT_ERROR_INVALID_GRAPH);
        EXPECT_OK(graphs.destroy(graph));
        EXPECT_EQ(graphs.records(child), ZE_RESULT_QUERY_FALSE);
    }
    // What is no work may follow, and the last signal counts.
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(zeCommandListAppendSignalEvent(list, fork));
    ASSERT_OK(appendFill(child, data, 3, join, 1, &fork));
    ASSERT_OK(zeCommandListAppendWaitOnEvents(list, 1, &join));
    ASSERT_OK(appendFill(child, data, 4, join));
    ASSERT_OK(zeCommandListAppendWaitOnEvents(list, 1, &join));
    ASSERT_OK(zeCommandListAppendBarrier(child, nullptr, 0, nullptr));
    ASSERT_OK(graphs.run(list, graphs.executable(graphs.recorded(list))));
    EXPECT_EQ(*data, 4);
}
TEST(Graph, UnjoinedForksMakeItInvalid) { EXPECT_RUNS(emulated("unjoinedForksMakeAGraphInvalid")); }

SCENARIO(whatCannotBeRecordedIsRefused) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    auto* data = gpu.shared(1);
    const auto list = graphs.inOrder();
    const auto other = graphs.inOrder();
    EXPECT_EQ(graphs.begin(gpu.list(), nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "a regular list";
    const auto synchronous = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    EXPECT_EQ(graphs.begin(synchronous, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(graphs.begin(list, &gpu), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "there are no parameters";
    ASSERT_OK(graphs.begin(list, nullptr));
    EXPECT_EQ(graphs.begin(list, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "captured twice";
    auto internal = graphs.counter(kImmediateKind | ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE);
    ASSERT_OK(appendFill(list, data, 1, internal));
    // The host does not wait for what is recorded.
    EXPECT_EQ(gpu.synchronize(list, 0), ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(zeEventHostSynchronize(internal, 0), ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    // No other list or graph within it.
    auto closed = gpu.list();
    ASSERT_OK(zeCommandListClose(closed));
    const auto appendLists = DRIVER_CALL(gpu, zeCommandListImmediateAppendCommandListsExp);
    EXPECT_EQ(appendLists(list, 1, &closed, nullptr, 0, nullptr), ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(appendLists(other, 1, &closed, nullptr, 1, &internal), ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    // Lists that cannot be recorded do not wait for what is.
    EXPECT_EQ(zeCommandListAppendWaitOnEvents(gpu.list(), 1, &internal), ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    EXPECT_EQ(zeCommandListAppendWaitOnEvents(synchronous, 1, &internal), ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    EXPECT_EQ(appendFill(other, data, 1, internal), ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT);
    // Two captures do not meet.
    ASSERT_OK(graphs.begin(other, nullptr));
    EXPECT_EQ(appendFill(other, data, 1, nullptr, 1, &internal), ZE_RESULT_ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT);
    const auto shared = graphs.counter(kImmediateKind | ZE_EVENT_COUNTER_BASED_FLAG_IPC |
                                       static_cast<unsigned>(ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL));
    EXPECT_EQ(appendFill(other, data, 1, shared), ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    const auto second = graphs.executable(graphs.recorded(other));
    EXPECT_EQ(graphs.append(list, second, nullptr, nullptr, 0, nullptr), ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    const auto first = graphs.executable(graphs.recorded(list));
    EXPECT_OK(zeEventHostSynchronize(internal, kForever)) << "an ordinary event again";
    EXPECT_EQ(graphs.append(gpu.list(), first, nullptr, nullptr, 0, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(graphs.append(list, first, &gpu, nullptr, 0, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(graphs.append(list, first, nullptr, nullptr, 0xffffffff, nullptr), ZE_RESULT_ERROR_INVALID_SIZE);
    EXPECT_EQ(*data, 0);
    ASSERT_OK(graphs.append(synchronous, first, nullptr, nullptr, 0, nullptr));
    EXPECT_EQ(*data, 1) << "a synchronous list waits";
}
TEST(Graph, WhatCannotBeRecordedIsRefused) { EXPECT_RUNS(emulated("whatCannotBeRecordedIsRefused")); }

SCENARIO(externalEventsReachOutOfAGraph) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    auto* data = gpu.shared(2);
    const auto list = graphs.inOrder();
    const auto outside = graphs.inOrder();
    constexpr auto kExternal = static_cast<ze_event_counter_based_flags_t>(ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL);
    auto before = graphs.counter(kImmediateKind | kExternal);
    auto after = graphs.counter(kImmediateKind | kExternal | ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE);
    const auto counter = gpu.kernel("count");
    Gpu::arguments(counter, data);
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(count(list, counter, after, 1, &before));
    const auto executable = graphs.executable(graphs.recorded(list));
    const auto pool = gpu.pool(3);
    for (std::uint32_t i = 0; i < 3; ++i) {
        // Each execution waits for what the event stands for by then.
        auto gate = Gpu::event(pool, i);
        ASSERT_OK(appendFill(outside, data + 1, static_cast<int>(i), before, 1, &gate));
        ASSERT_OK(graphs.append(list, executable, nullptr, nullptr, 0, nullptr));
        EXPECT_EQ(zeEventHostSynchronize(after, 1'000'000), ZE_RESULT_NOT_READY);
        ASSERT_OK(zeEventHostSignal(gate));
        ASSERT_OK(zeEventHostSynchronize(after, kForever));
        EXPECT_EQ(data[0], static_cast<int>(i) + 1);
    }
}
TEST(Graph, ExternalEventsReachOutOfIt) { EXPECT_RUNS(emulated("externalEventsReachOutOfAGraph")); }

SCENARIO(timestampsOfAGraphAreRead) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    auto* data = gpu.shared(1);
    auto* results = gpu.shared<ze_kernel_timestamp_result_t>(1);
    const auto kernel = gpu.kernel("count");
    Gpu::arguments(kernel, data);
    const auto list = graphs.inOrder();
    auto timed = graphs.counter(kImmediateKind | ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP);
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(count(list, kernel, timed));
    ASSERT_OK(zeCommandListAppendQueryKernelTimestamps(list, 1, &timed, results, nullptr, nullptr, 0, nullptr));
    const auto graph = graphs.recorded(list);
    const ze_executable_graph_handle_t both[] = {graphs.executable(graph), graphs.executable(graph)};
    std::uint64_t last = 0;
    for (const auto executable : {both[0], both[1], both[0]}) {
        ASSERT_OK(graphs.run(list, executable));
        EXPECT_LT(results->global.kernelStart, results->global.kernelEnd);
        EXPECT_NE(results->global.kernelStart, last) << "those of this execution";
        last = results->global.kernelStart;
    }
}
TEST(Graph, TimestampsAreRead) { EXPECT_RUNS(emulated("timestampsOfAGraphAreRead")); }

SCENARIO(oneExecutionFollowsTheOther) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    auto* data = gpu.shared(1);
    const auto counter = gpu.kernel("count");
    Gpu::arguments(counter, data);
    const auto list = gpu.immediate();
    const auto second = gpu.immediate();
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(count(list, counter));
    const auto executable = graphs.executable(graphs.recorded(list));
    auto gate = Gpu::event(gpu.pool(1));
    ASSERT_OK(graphs.append(list, executable, nullptr, nullptr, 1, &gate));
    ASSERT_OK(graphs.append(second, executable, nullptr, nullptr, 0, nullptr));
    EXPECT_EQ(gpu.synchronize(second, 2'000'000), ZE_RESULT_NOT_READY);
    ASSERT_OK(zeEventHostSignal(gate));
    ASSERT_OK(gpu.synchronize(second, kForever));
    EXPECT_EQ(*data, 2);
}
TEST(Graph, OneExecutionFollowsTheOther) { EXPECT_RUNS(emulated("oneExecutionFollowsTheOther")); }

SCENARIO(graphsMayBeDestroyedWhileTheyRun) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    auto* data = gpu.shared(2);
    const auto module = gpu.module();
    const auto spin = Gpu::kernelOf(module, "spin");
    Gpu::arguments(spin, data);
    const auto list = gpu.immediate();
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(count(list, spin));
    ASSERT_OK(appendFill(list, data + 1, 5));
    const auto graph = graphs.recorded(list);
    static int calls = 0;
    calls = 0;
    int orders[] = {1, 2};
    for (int& order : orders)
        ASSERT_OK(graphs.whenDestroyed(
            graph, [](void* of) { EXPECT_EQ(++calls, *static_cast<int*>(of)); }, &order, nullptr));
    EXPECT_EQ(graphs.whenDestroyed(graph, nullptr, nullptr, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(graphs.whenDestroyed(
                  graph, [](void*) {}, nullptr, data),
              ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    const auto executable = graphs.executable(graph);
    ASSERT_OK(graphs.append(list, executable, nullptr, nullptr, 0, nullptr));
    ASSERT_OK(graphs.destroyExecutable(executable));
    ASSERT_OK(graphs.destroy(graph));
    EXPECT_EQ(calls, 2);
    ASSERT_OK(zeKernelDestroy(spin));
    *static_cast<volatile int*>(data) = 1;
    ASSERT_OK(gpu.synchronize(list, kForever));
    EXPECT_EQ(data[1], 5);
    EXPECT_EQ(graphs.destroyExecutable(executable), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(graphs.append(list, executable, nullptr, nullptr, 0, nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(graphs.destroy(graph), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}
TEST(Graph, MayBeDestroyedWhileItRuns) { EXPECT_RUNS(emulated("graphsMayBeDestroyedWhileTheyRun")); }

SCENARIO(capturesEndWithTheirObjects) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    auto* data = gpu.shared(1);
    auto list = gpu.immediate();
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(appendFill(list, data, 1));
    ze_graph_handle_t graph = nullptr;
    ASSERT_OK(graphs.graphOf(list, &graph));
    ASSERT_OK(graphs.destroy(graph));
    EXPECT_EQ(graphs.records(list), ZE_RESULT_QUERY_FALSE) << "its graph is gone";
    ASSERT_OK(appendFill(list, data, 2));
    ASSERT_OK(gpu.synchronize(list, kForever));
    EXPECT_EQ(*data, 2);
    // The primary list.
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(graphs.graphOf(list, &graph));
    ASSERT_OK(zeCommandListDestroy(list));
    ze_executable_graph_handle_t none = nullptr;
    EXPECT_EQ(graphs.instantiate(graph, nullptr, &none), ZE_RESULT_ERROR_INVALID_GRAPH);
    ASSERT_OK(graphs.destroy(graph));
    // A fork.
    list = gpu.immediate();
    const auto child = gpu.immediate();
    auto event = Gpu::event(gpu.pool(1));
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(appendFill(list, data, 3, event));
    ASSERT_OK(appendFill(child, data, 4, nullptr, 1, &event));
    ASSERT_OK(zeCommandListDestroy(child));
    EXPECT_EQ(graphs.end(list, nullptr, &graph), ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED);
    // An event that was destroyed is still part of the graph.
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(appendFill(list, data, 5, event));
    ASSERT_OK(zeEventDestroy(event));
    ASSERT_OK(graphs.run(list, graphs.executable(graphs.recorded(list))));
    EXPECT_EQ(*data, 5);
}
TEST(Graph, CapturesEndWithTheirObjects) { EXPECT_RUNS(emulated("capturesEndWithTheirObjects")); }

SCENARIO(graphsStayOnTheirDevice) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    const auto devices = listOf(zeDeviceGet, gpu.driver());
    ASSERT_EQ(devices.size(), 2u);
    const Gpu other = gpu.on(devices[1]);
    auto* data = gpu.shared(1);
    const auto list = gpu.immediate();
    const auto foreign = other.immediate();
    auto event = Gpu::event(gpu.pool(1));
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(appendFill(list, data, 1, event));
    EXPECT_EQ(zeCommandListAppendWaitOnEvents(foreign, 1, &event), ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    const auto executable = graphs.executable(graphs.recorded(list));
    EXPECT_EQ(graphs.append(foreign, executable, nullptr, nullptr, 0, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(graphs.run(list, executable));
}
TEST(Graph, StaysOnItsDevice) { EXPECT_RUNS(emulated("graphsStayOnTheirDevice", "two-devices")); }

SCENARIO(capturesPauseAndResume) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    auto* data = gpu.shared(2);
    const auto list = gpu.immediate();
    const auto event = Gpu::event(gpu.pool(1));
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(appendFill(list, data, 1, event));
    ze_graph_handle_t graph = nullptr;
    ASSERT_OK(graphs.graphOf(list, &graph));
    EXPECT_EQ(graphs.resume(graph), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ASSERT_OK(graphs.pause(graph));
    EXPECT_EQ(graphs.pause(graph), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(graphs.records(list), ZE_RESULT_QUERY_FALSE);
    ASSERT_OK(appendFill(list, data + 1, 2));
    ASSERT_OK(gpu.synchronize(list, kForever));
    EXPECT_EQ(data[0], 0);
    EXPECT_EQ(data[1], 2);
    EXPECT_EQ(zeEventHostSynchronize(event, 0), ZE_RESULT_NOT_READY) << "an ordinary event meanwhile";
    ASSERT_OK(graphs.resume(graph));
    EXPECT_EQ(zeEventHostSynchronize(event, 0), ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    data[1] = 0;
    ASSERT_EQ(graphs.recorded(list), graph);
    ASSERT_OK(graphs.run(list, graphs.executable(graph)));
    EXPECT_EQ(data[0], 1);
    EXPECT_EQ(data[1], 0);
    EXPECT_EQ(graphs.pause(graph), ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING);
    EXPECT_EQ(graphs.resume(graph), ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING);
    ze_graph_handle_t other = nullptr;
    ASSERT_OK(graphs.create(gpu.context(), nullptr, &other));
    std::uint64_t ids[2] = {};
    ASSERT_OK(graphs.id(graph, &ids[0]));
    ASSERT_OK(graphs.id(other, &ids[1]));
    EXPECT_NE(ids[0], ids[1]);
}
TEST(Graph, CapturesPauseAndResume) { EXPECT_RUNS(emulated("capturesPauseAndResume")); }

struct DumpMode {
    std::uint32_t stype = 0x00020048;
    const void* pNext = nullptr;
    std::uint32_t mode = 0;
};

SCENARIO(graphsAreWrittenAsText) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    auto* data = gpu.shared(1);
    const auto kernel = gpu.kernel("count");
    Gpu::arguments(kernel, data);
    const auto list = gpu.immediate();
    const auto child = gpu.immediate();
    auto event = Gpu::event(gpu.pool(1));
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(count(list, kernel, event));
    ASSERT_OK(appendFill(child, data, 1, nullptr, 1, &event));
    ze_graph_handle_t graph = nullptr;
    EXPECT_EQ(graphs.end(list, nullptr, &graph), ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS);
    const std::string path = ::testing::TempDir() + "graph." + std::to_string(getpid()) + ".dot";
    const auto text = [&](const void* mode) {
        EXPECT_OK(graphs.dump(graph, path.c_str(), mode));
        std::ifstream file(path);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    const std::string detailed = text(nullptr);
    EXPECT_EQ(detailed.find("digraph \"graph\" {"), 0u);
    for (const char* part : {"zeCommandListAppendLaunchKernel", "kernel: count", "zeCommandListAppendMemoryFill",
                             "Subgraph 1-1", "unjoined fork"})
        EXPECT_NE(detailed.find(part), std::string::npos) << part;
    DumpMode mode{.mode = 1};
    EXPECT_EQ(text(&mode).find("kernel: count"), std::string::npos);
    mode.mode = 3;
    EXPECT_NE(text(&mode).find("shape=ellipse"), std::string::npos);
    mode.mode = 4;
    EXPECT_EQ(graphs.dump(graph, path.c_str(), &mode), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    mode.stype = 1;
    EXPECT_EQ(graphs.dump(graph, path.c_str(), &mode), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(graphs.dump(graph, "/no/such/directory/graph", nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(graphs.dump(graph, nullptr, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    std::remove(path.c_str());
}
TEST(Graph, IsWrittenAsText) { EXPECT_RUNS(emulated("graphsAreWrittenAsText")); }

/// The functions before they were standard.
SCENARIO(theFormerFunctionsWork) {
    const Gpu gpu;
    using Made = ze_result_t(ze_context_handle_t, ze_graph_handle_t*, void*);
    using Begun = ze_result_t(ze_command_list_handle_t, ze_graph_handle_t, void*);
    using Ended = ze_result_t(ze_command_list_handle_t, ze_graph_handle_t*, void*);
    using Instantiated = ze_result_t(ze_graph_handle_t, ze_executable_graph_handle_t*, void*);
    using Asked = ze_result_t(ze_command_list_handle_t);
    using Emptied = ze_result_t(ze_graph_handle_t);
    using Appended = ze_result_t(ze_command_list_handle_t, ze_executable_graph_handle_t, void*, ze_event_handle_t,
                                 std::uint32_t, ze_event_handle_t*);
    constexpr auto kTrue = static_cast<ze_result_t>(0x7fff0000);
    constexpr auto kFalse = static_cast<ze_result_t>(0x7fff0001);
    auto* data = gpu.shared(1);
    const auto list = gpu.immediate();
    ze_graph_handle_t graph = nullptr;
    ASSERT_OK(gpu.function<Made>("zeGraphCreateExp")(gpu.context(), &graph, nullptr));
    EXPECT_EQ(gpu.function<Emptied>("zeGraphIsEmptyExp")(graph), kTrue);
    ASSERT_OK(gpu.function<Begun>("zeCommandListBeginCaptureIntoGraphExp")(list, graph, nullptr));
    EXPECT_EQ(gpu.function<Asked>("zeCommandListIsGraphCaptureEnabledExp")(list), kTrue);
    ASSERT_OK(appendFill(list, data, 9));
    ASSERT_OK(gpu.function<Ended>("zeCommandListEndGraphCaptureExp")(list, &graph, nullptr));
    EXPECT_EQ(gpu.function<Asked>("zeCommandListIsGraphCaptureEnabledExp")(list), kFalse);
    EXPECT_EQ(gpu.function<Emptied>("zeGraphIsEmptyExp")(graph), kFalse);
    ze_executable_graph_handle_t executable = nullptr;
    ASSERT_OK(gpu.function<Instantiated>("zeCommandListInstantiateGraphExp")(graph, &executable, nullptr));
    ASSERT_OK(gpu.function<Appended>("zeCommandListAppendGraphExp")(list, executable, nullptr, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(list, kForever));
    EXPECT_EQ(*data, 9);
    ASSERT_OK(gpu.function<ze_result_t(ze_executable_graph_handle_t)>("zeExecutableGraphDestroyExp")(executable));
    ASSERT_OK(gpu.function<Emptied>("zeGraphDestroyExp")(graph));
}
TEST(Graph, TheFormerFunctionsWork) { EXPECT_RUNS(emulated("theFormerFunctionsWork")); }

SCENARIO(graphsAreAnnounced) {
    const Gpu gpu;
    struct {
        std::uint32_t stype = 0x00020047;
        void* pNext = nullptr;
        std::uint32_t flags = 0;
    } graphs;
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    properties.pNext = &graphs;
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &properties));
    EXPECT_EQ(graphs.flags, 1u) << "graphs that do not change";
    int announced = 0;
    for (const auto& each : listOf(zeDriverGetExtensionProperties, gpu.driver()))
        announced += std::string(each.name).ends_with("_record_replay_graph") ? 1 : 0;
    EXPECT_EQ(announced, 2);
}
TEST(Graph, AreAnnounced) { EXPECT_RUNS(emulated("graphsAreAnnounced")); }

SCENARIO(handlesOfGraphsAreChecked) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    const auto list = gpu.immediate();
    ASSERT_OK(graphs.begin(list, nullptr));
    const auto graph = graphs.recorded(list);
    const auto executable = graphs.executable(graph);
    constexpr auto kBad = ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    // Null, and an object of another type.
    const auto wrong = reinterpret_cast<ze_graph_handle_t>(gpu.context());
    for (const auto bad : {ze_graph_handle_t{}, wrong}) {
        ze_executable_graph_handle_t made = nullptr;
        ze_command_list_handle_t primary = nullptr;
        std::uint64_t id = 0;
        EXPECT_EQ(graphs.beginInto(list, bad, nullptr), kBad);
        EXPECT_EQ(graphs.primary(bad, &primary), kBad);
        EXPECT_EQ(graphs.whenDestroyed(
                      bad, [](void*) {}, nullptr, nullptr),
                  kBad);
        EXPECT_EQ(graphs.instantiate(bad, nullptr, &made), kBad);
        EXPECT_EQ(graphs.isEmpty(bad), kBad);
        EXPECT_EQ(graphs.dump(bad, "/dev/null", nullptr), kBad);
        EXPECT_EQ(graphs.destroy(bad), kBad);
        EXPECT_EQ(graphs.pause(bad), kBad);
        EXPECT_EQ(graphs.resume(bad), kBad);
        EXPECT_EQ(graphs.id(bad, &id), kBad);
        const auto alike = reinterpret_cast<ze_executable_graph_handle_t>(bad);
        ze_graph_handle_t source = nullptr;
        EXPECT_EQ(graphs.source(alike, &source), kBad);
        EXPECT_EQ(graphs.destroyExecutable(alike), kBad);
        EXPECT_EQ(graphs.append(list, alike, nullptr, nullptr, 0, nullptr), kBad);
        const auto notAList = reinterpret_cast<ze_command_list_handle_t>(bad);
        EXPECT_EQ(graphs.begin(notAList, nullptr), kBad);
        EXPECT_EQ(graphs.beginInto(notAList, graph, nullptr), kBad);
        EXPECT_EQ(graphs.records(notAList), kBad);
        EXPECT_EQ(graphs.end(notAList, nullptr, &source), kBad);
        EXPECT_EQ(graphs.graphOf(notAList, &source), kBad);
        EXPECT_EQ(graphs.append(notAList, executable, nullptr, nullptr, 0, nullptr), kBad);
    }
    constexpr auto kNull = ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    EXPECT_EQ(graphs.create(gpu.context(), nullptr, nullptr), kNull);
    EXPECT_EQ(graphs.create(nullptr, nullptr, nullptr), kBad);
    EXPECT_EQ(graphs.instantiate(graph, nullptr, nullptr), kNull);
    EXPECT_EQ(graphs.primary(graph, nullptr), kNull);
    EXPECT_EQ(graphs.source(executable, nullptr), kNull);
    EXPECT_EQ(graphs.graphOf(list, nullptr), kNull);
    EXPECT_EQ(graphs.id(graph, nullptr), kNull);
    ze_graph_handle_t none = nullptr;
    EXPECT_EQ(graphs.end(list, nullptr, &none), ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING);
}
TEST(Graph, HandlesAreChecked) { EXPECT_RUNS(emulated("handlesOfGraphsAreChecked")); }

/// Threads that record, execute and append at the same time.
SCENARIO(threadsRecordAndExecuteAtOnce) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    constexpr int kThreads = 4;
    constexpr int kRounds = 50;
    auto* data = gpu.shared(kThreads + 1);
    const auto module = gpu.module();
    const auto shared = Gpu::kernelOf(module, "count");
    Gpu::arguments(shared, data + kThreads);
    const auto list = gpu.immediate();
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(count(list, shared));
    const auto common = graphs.executable(graphs.recorded(list));
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&, i] {
            const auto own = Gpu::kernelOf(module, "count");
            Gpu::arguments(own, data + i);
            const auto mine = gpu.immediate();
            for (int round = 0; round < kRounds; ++round) {
                ASSERT_OK(graphs.begin(mine, nullptr));
                ASSERT_OK(count(mine, own));
                const auto graph = graphs.recorded(mine);
                const auto executable = graphs.executable(graph);
                ASSERT_OK(graphs.append(mine, common, nullptr, nullptr, 0, nullptr));
                ASSERT_OK(graphs.run(mine, executable));
                ASSERT_OK(graphs.destroyExecutable(executable));
                ASSERT_OK(graphs.destroy(graph));
            }
        });
    for (auto& thread : threads) thread.join();
    for (int i = 0; i < kThreads; ++i) EXPECT_EQ(data[i], kRounds);
    EXPECT_EQ(data[kThreads], kThreads * kRounds);
}
TEST(Graph, ThreadsRecordAndExecuteAtOnce) { EXPECT_RUNS(emulated("threadsRecordAndExecuteAtOnce")); }

}  // namespace
}  // namespace zetl::test
