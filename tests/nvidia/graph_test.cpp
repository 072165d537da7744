// Graphs on NVIDIA's GPUs: what CUDA executes as one, what stands between, and what is refused.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "emulated_gpu/graphs.h"
#include "nvidia_gpu.h"

namespace zetl::test {
namespace {

constexpr std::uint64_t kForever = UINT64_MAX;

/// data[0] += value, in one work-item.
ze_result_t add(ze_command_list_handle_t list, ze_kernel_handle_t kernel, int* data, std::uint32_t value,
                ze_event_handle_t signal = nullptr, std::uint32_t waits = 0, ze_event_handle_t* wait = nullptr) {
    Gpu::arguments(kernel, data, value);
    return zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, signal, waits, wait);
}

ze_result_t copy(ze_command_list_handle_t list, void* to, const void* from, ze_event_handle_t signal = nullptr,
                 std::uint32_t waits = 0, ze_event_handle_t* wait = nullptr) {
    return zeCommandListAppendMemoryCopy(list, to, from, sizeof(int), signal, waits, wait);
}

/// How often the stand-in's function was called; without it, what is expected.
unsigned calls(const char* function, unsigned expected) {
    if (realGpu()) return expected;
    void* const library = dlopen(inBuildTree("tests/nvidia/libcuda_stand_in.so").c_str(), RTLD_NOW | RTLD_NOLOAD);
    return reinterpret_cast<unsigned (*)(const char*)>(dlsym(library, "standInCalls"))(function);
}

SCENARIO(cudaExecutesAGraph) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    auto* data = gpu.host(2);
    auto* onDevice = gpu.device(1);
    data[0] = data[1] = 0;
    const auto kernel = ptxKernel(gpu, "add");
    const auto list = gpu.immediate();
    EXPECT_EQ(graphs.records(list), ZE_RESULT_QUERY_FALSE);
    ASSERT_OK(graphs.begin(list, nullptr));
    EXPECT_EQ(graphs.records(list), ZE_RESULT_QUERY_TRUE);
    ASSERT_OK(copy(list, onDevice, data));
    ASSERT_OK(add(list, kernel, onDevice, 2));
    ASSERT_OK(add(list, kernel, onDevice, 3));
    ASSERT_OK(copy(list, data, onDevice));
    ASSERT_OK(appendFill(list, data + 1, 77));
    Gpu::arguments(kernel, data, 1000u);  // the recorded launches keep their arguments
    const auto graph = graphs.recorded(list);
    ASSERT_OK(gpu.synchronize(list, kForever));
    EXPECT_EQ(data[0], 0) << "recording executes nothing";
    EXPECT_EQ(graphs.isEmpty(graph), ZE_RESULT_QUERY_FALSE);
    const auto executable = graphs.executable(graph);
    ASSERT_OK(zeKernelDestroy(kernel));
    for (int i = 1; i <= 50; ++i) {
        ASSERT_OK(graphs.run(list, executable));
        ASSERT_EQ(data[0], 5 * i);
        ASSERT_EQ(data[1], 77);
    }
    EXPECT_EQ(calls("cuGraphLaunch", 50), 50u);
    EXPECT_EQ(calls("cuLaunchKernel", 2), 2u) << "once each, when they were captured";
    ze_graph_handle_t source = nullptr;
    ASSERT_OK(graphs.source(executable, &source));
    EXPECT_EQ(source, graph);
    ASSERT_OK(graphs.destroy(graph));
    EXPECT_EQ(graphs.source(executable, &source), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ASSERT_OK(graphs.run(list, executable));
    EXPECT_EQ(data[0], 255);
    ASSERT_OK(graphs.destroyExecutable(executable));
}
TEST(NvidiaGraph, IsExecutedByCuda) { EXPECT_RUNS(onNvidia("cudaExecutesAGraph")); }

/// Each branch of the diamond has two commands; the stand-in runs what may run in the order of an adversary.
SCENARIO(forksOverlapAndJoinsHold) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    auto* data = gpu.host(4);
    const auto kernel = ptxKernel(gpu, "add");
    const auto pool = gpu.pool(5);
    ze_event_handle_t events[5];
    for (std::uint32_t i = 0; i < 5; ++i) events[i] = Gpu::event(pool, i);
    const auto list = gpu.immediate();
    const auto left = gpu.immediate();
    const auto right = gpu.immediate();
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(appendFill(list, data, 1, events[0]));
    ASSERT_OK(copy(left, data + 1, data, nullptr, 1, &events[0]));
    ASSERT_OK(copy(right, data + 2, data, nullptr, 1, &events[0]));
    ASSERT_OK(add(left, kernel, data + 1, 10, events[1]));
    ASSERT_OK(add(right, kernel, data + 2, 20, events[2]));
    EXPECT_EQ(graphs.records(left), ZE_RESULT_QUERY_TRUE);
    ze_graph_handle_t graph = nullptr;
    ASSERT_OK(graphs.graphOf(right, &graph));
    EXPECT_EQ(graphs.isEmpty(graph), ZE_RESULT_ERROR_INVALID_GRAPH) << "not joined yet";
    ASSERT_OK(zeCommandListAppendWaitOnEvents(list, 1, &events[1]));
    ASSERT_OK(copy(list, data + 3, data + 1));
    ASSERT_OK(zeCommandListAppendWaitOnEvents(list, 1, &events[2]));
    ASSERT_OK(copy(list, data, data + 2, events[3]));
    ASSERT_EQ(graphs.recorded(list), graph);
    EXPECT_EQ(graphs.records(left), ZE_RESULT_QUERY_FALSE);
    const auto executable = graphs.executable(graph);
    for (int i = 0; i < 3; ++i) {
        std::fill_n(data, 4, 0);
        ASSERT_OK(graphs.append(list, executable, nullptr, events[4], 0, nullptr));
        ASSERT_OK(zeEventHostSynchronize(events[4], kForever));
        EXPECT_EQ(data[3], 11);
        EXPECT_EQ(data[0], 21);
        for (int event = 0; event < 4; ++event) EXPECT_OK(zeEventQueryStatus(events[event])) << event;
        for (auto* event : events) ASSERT_OK(zeEventHostReset(event));
    }
    EXPECT_EQ(calls("cuGraphLaunch", 3), 3u);
}
TEST(NvidiaGraph, ForksOverlapAndJoinsHold) { EXPECT_RUNS(onNvidia("forksOverlapAndJoinsHold")); }

/// Waits for the outside, times, resets and plain memory stand between the CUDA graphs.
SCENARIO(otherCommandsStandBetween) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    auto* data = gpu.host(2);
    int plain = 0;
    data[0] = data[1] = 0;
    const auto kernel = ptxKernel(gpu, "add");
    const auto pool = gpu.pool(3);
    auto gate = Gpu::event(pool, 0);
    auto between = Gpu::event(pool, 1);
    auto again = Gpu::event(pool, 2);
    auto timed = Gpu::event(gpu.pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP));
    const auto list = gpu.immediate();
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(add(list, kernel, data, 1));
    ASSERT_OK(add(list, kernel, data, 1, between));
    ASSERT_OK(add(list, kernel, data, 1, nullptr, 1, &gate));
    ASSERT_OK(add(list, kernel, data, 1, timed));
    ASSERT_OK(add(list, kernel, data, 1, again));
    ASSERT_OK(zeCommandListAppendEventReset(list, again));
    ASSERT_OK(add(list, kernel, data, 1, again));
    ASSERT_OK(zeCommandListAppendWaitOnEvents(list, 1, &again));
    ASSERT_OK(copy(list, &plain, data));
    ASSERT_OK(appendFill(list, data + 1, 4));
    const auto executable = graphs.executable(graphs.recorded(list));
    for (int i = 1; i <= 2; ++i) {
        ASSERT_OK(graphs.append(list, executable, nullptr, nullptr, 0, nullptr));
        ASSERT_OK(zeEventHostSynchronize(between, kForever));
        EXPECT_EQ(data[0], 6 * i - 4);
        EXPECT_EQ(gpu.synchronize(list, 1'000'000), ZE_RESULT_NOT_READY) << "it waits for the host";
        ASSERT_OK(zeEventHostSignal(gate));
        ASSERT_OK(gpu.synchronize(list, kForever));
        EXPECT_EQ(data[0], 6 * i);
        EXPECT_EQ(plain, 6 * i);
        EXPECT_EQ(data[1], 4);
        EXPECT_OK(zeEventQueryStatus(again));
        ze_kernel_timestamp_result_t times{};
        ASSERT_OK(zeEventQueryKernelTimestamp(timed, &times));
        EXPECT_LE(times.global.kernelStart, times.global.kernelEnd);
        for (auto* event : {gate, between, timed}) ASSERT_OK(zeEventHostReset(event));
    }
}
TEST(NvidiaGraph, OtherCommandsStandBetween) { EXPECT_RUNS(onNvidia("otherCommandsStandBetween")); }

SCENARIO(whatNoGraphRecordsIsRefused) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    auto* data = gpu.host(1);
    *data = 0;
    const auto pool = gpu.pool(2);
    auto inside = Gpu::event(pool, 0);
    const auto list = gpu.immediate();
    const auto other = gpu.immediate();
    const auto synchronous = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    EXPECT_EQ(graphs.begin(gpu.list(), nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(graphs.begin(synchronous, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ASSERT_OK(graphs.begin(list, nullptr));
    EXPECT_EQ(graphs.begin(list, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "captured twice";
    ASSERT_OK(appendFill(list, data, 1, inside));
    EXPECT_EQ(gpu.synchronize(list, 0), ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(zeEventHostSynchronize(inside, 0), ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    auto closed = gpu.list();
    ASSERT_OK(zeCommandListClose(closed));
    const auto appendLists = DRIVER_CALL(gpu, zeCommandListImmediateAppendCommandListsExp);
    EXPECT_EQ(appendLists(list, 1, &closed, nullptr, 0, nullptr), ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(zeCommandListAppendWaitOnEvents(gpu.list(), 1, &inside), ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    EXPECT_EQ(zeCommandListAppendWaitOnEvents(synchronous, 1, &inside), ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    ASSERT_OK(graphs.begin(other, nullptr));
    EXPECT_EQ(appendFill(other, data, 1, nullptr, 1, &inside), ZE_RESULT_ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT);
    EXPECT_EQ(appendFill(other, data, 1, nullptr, 1, nullptr), ZE_RESULT_ERROR_INVALID_SIZE);
    const auto empty = graphs.executable(graphs.recorded(other));
    EXPECT_EQ(graphs.append(list, empty, nullptr, nullptr, 0, nullptr), ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    const auto executable = graphs.executable(graphs.recorded(list));
    EXPECT_EQ(graphs.append(gpu.list(), executable, nullptr, nullptr, 0, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(graphs.append(list, executable, &gpu, nullptr, 0, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(graphs.append(list, executable, nullptr, nullptr, 0xffffffff, nullptr), ZE_RESULT_ERROR_INVALID_SIZE);
    EXPECT_EQ(*data, 0);
    ASSERT_OK(graphs.append(synchronous, executable, nullptr, nullptr, 0, nullptr));
    EXPECT_EQ(*data, 1) << "a synchronous list waits";
    // An unjoined fork, and one whose list is gone.
    for (const bool destroyed : {false, true}) {
        const auto child = gpu.immediate();
        ASSERT_OK(graphs.begin(list, nullptr));
        ASSERT_OK(appendFill(list, data, 1, inside));
        ASSERT_OK(appendFill(child, data, 2, nullptr, 1, &inside));
        if (destroyed) {
            ASSERT_OK(zeCommandListDestroy(child));
        }
        ze_graph_handle_t graph = nullptr;
        EXPECT_EQ(graphs.end(list, nullptr, &graph),
                  destroyed ? ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED : ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS);
        ze_executable_graph_handle_t none = nullptr;
        EXPECT_EQ(graphs.instantiate(graph, nullptr, &none), ZE_RESULT_ERROR_INVALID_GRAPH);
        ASSERT_OK(graphs.destroy(graph));
        EXPECT_EQ(graphs.destroy(graph), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    }
    EXPECT_EQ(graphs.append(list, nullptr, nullptr, nullptr, 0, nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(graphs.instantiate(reinterpret_cast<ze_graph_handle_t>(gpu.context()), nullptr, nullptr),
              ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}
TEST(NvidiaGraph, WhatItCannotRecordIsRefused) { EXPECT_RUNS(onNvidia("whatNoGraphRecordsIsRefused")); }

SCENARIO(executionsFollowEachOtherAcrossLists) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    auto* data = gpu.host(1);
    *data = 0;
    const auto kernel = ptxKernel(gpu, "add");
    const auto pool = gpu.pool(2);
    auto gate = Gpu::event(pool);
    const auto inside = Gpu::event(pool, 1);
    const auto list = gpu.immediate();
    const auto second = gpu.immediate();
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(add(list, kernel, data, 1));
    ASSERT_OK(add(list, kernel, data, 1));
    ASSERT_OK(add(list, kernel, data, 1, inside));
    ze_graph_handle_t graph = nullptr;
    ASSERT_OK(graphs.graphOf(list, &graph));
    // A pause lets the list work as usual.
    ASSERT_OK(graphs.pause(graph));
    EXPECT_EQ(graphs.pause(graph), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ASSERT_OK(add(list, kernel, data, 100));
    ASSERT_OK(gpu.synchronize(list, kForever));
    EXPECT_EQ(*data, 100);
    ASSERT_OK(graphs.resume(graph));
    ASSERT_EQ(graphs.recorded(list), graph);
    static int ended = 0;
    ended = 0;
    ASSERT_OK(graphs.whenDestroyed(
        graph, [](void* by) { ended += *static_cast<int*>(by); }, data, nullptr));
    const auto executable = graphs.executable(graph);
    ASSERT_OK(graphs.append(list, executable, nullptr, nullptr, 1, &gate));
    ASSERT_OK(graphs.append(second, executable, nullptr, nullptr, 0, nullptr));
    EXPECT_EQ(gpu.synchronize(second, 2'000'000), ZE_RESULT_NOT_READY);
    // They may go while they are to run.
    ASSERT_OK(graphs.destroyExecutable(executable));
    ASSERT_OK(graphs.destroy(graph));
    EXPECT_EQ(ended, 100);
    ASSERT_OK(zeKernelDestroy(kernel));
    ASSERT_OK(zeEventHostSignal(gate));
    ASSERT_OK(gpu.synchronize(second, kForever));
    EXPECT_EQ(*data, 106);
    EXPECT_EQ(graphs.append(list, executable, nullptr, nullptr, 0, nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}
TEST(NvidiaGraph, ExecutionsFollowEachOtherAcrossLists) {
    EXPECT_RUNS(onNvidia("executionsFollowEachOtherAcrossLists"));
}

/// A host function, the former names of the functions, a dump, what the device says.
SCENARIO(graphsAreFoundByTheirFormerNames) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    using Made = ze_result_t(ze_context_handle_t, ze_graph_handle_t*, void*);
    using Ended = ze_result_t(ze_command_list_handle_t, ze_graph_handle_t*, void*);
    using Begun = ze_result_t(ze_command_list_handle_t, ze_graph_handle_t, void*);
    using Instantiated = ze_result_t(ze_graph_handle_t, ze_executable_graph_handle_t*, void*);
    auto* data = gpu.host(1);
    *data = 0;
    static int seen = 0;
    const auto kernel = ptxKernel(gpu, "add");
    const auto list = gpu.immediate();
    ze_graph_handle_t graph = nullptr;
    ASSERT_OK(gpu.function<Made>("zeGraphCreateExp")(gpu.context(), &graph, nullptr));
    ASSERT_OK(gpu.function<Begun>("zeCommandListBeginCaptureIntoGraphExp")(list, graph, nullptr));
    ASSERT_OK(add(list, kernel, data, 7));
    ASSERT_OK(DRIVER_CALL(gpu, zeCommandListAppendHostFunction)(
        list, [](void* memory) { seen = *static_cast<int*>(memory); }, data, nullptr, nullptr, 0, nullptr));
    ASSERT_OK(gpu.function<Ended>("zeCommandListEndGraphCaptureExp")(list, &graph, nullptr));
    ze_executable_graph_handle_t executable = nullptr;
    ASSERT_OK(gpu.function<Instantiated>("zeCommandListInstantiateGraphExp")(graph, &executable, nullptr));
    ASSERT_OK(graphs.run(list, executable));
    EXPECT_EQ(seen, 7);
    const std::string path = ::testing::TempDir() + "nvidia_graph." + std::to_string(getpid()) + ".dot";
    ASSERT_OK(graphs.dump(graph, path.c_str(), nullptr));
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    EXPECT_NE(text.find("kernel: add"), std::string::npos) << text;
    std::remove(path.c_str());
    struct {
        std::uint32_t stype = 0x00020047;
        void* pNext = nullptr;
        std::uint32_t flags = 0;
    } announced;
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    properties.pNext = &announced;
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &properties));
    EXPECT_EQ(announced.flags, 1u);
}
TEST(NvidiaGraph, IsFoundByFormerNames) { EXPECT_RUNS(onNvidia("graphsAreFoundByTheirFormerNames")); }

SCENARIO(threadsRecordAndExecuteGraphs) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    constexpr int kThreads = 4;
    constexpr int kRounds = 10;
    auto* data = gpu.host(kThreads);
    std::fill_n(data, kThreads, 0);
    std::vector<ze_kernel_handle_t> kernels;
    for (int i = 0; i < kThreads; ++i) kernels.push_back(ptxKernel(gpu, "add"));
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&, i] {
            const auto list = gpu.immediate();
            for (int round = 0; round < kRounds; ++round) {
                ASSERT_OK(graphs.begin(list, nullptr));
                ASSERT_OK(add(list, kernels[i], data + i, 1));
                ASSERT_OK(add(list, kernels[i], data + i, 2));
                const auto graph = graphs.recorded(list);
                const auto executable = graphs.executable(graph);
                ASSERT_OK(graphs.run(list, executable));
                ASSERT_OK(graphs.destroyExecutable(executable));
                ASSERT_OK(graphs.destroy(graph));
            }
        });
    for (auto& thread : threads) thread.join();
    for (int i = 0; i < kThreads; ++i) EXPECT_EQ(data[i], 3 * kRounds);
}
TEST(NvidiaGraph, ThreadsRecordAndExecute) { EXPECT_RUNS(onNvidia("threadsRecordAndExecuteGraphs")); }

/// An error of CUDA while a graph is made leaves nothing half done.
SCENARIO(failuresOfCudaAreAnswered) {
    const Gpu gpu;
    const Graphs graphs(gpu);
    auto* data = gpu.host(1);
    *data = 0;
    const auto list = gpu.immediate();
    ASSERT_OK(graphs.begin(list, nullptr));
    ASSERT_OK(appendFill(list, data, 1));
    ASSERT_OK(appendFill(list, data, 2));
    const auto graph = graphs.recorded(list);
    ze_executable_graph_handle_t executable = nullptr;
    for (const char* function : {"cuStreamBeginCapture_v2", "cuStreamWaitEvent", "cuStreamEndCapture",
                                 "cuGraphInstantiateWithFlags", "cuGraphLaunch"}) {
        ASSERT_EQ(setenv("STAND_IN_FAILURES", (function + std::string("=2")).c_str(), 1), 0);
        const bool launching = function == std::string("cuGraphLaunch");
        const ze_result_t made = graphs.instantiate(graph, nullptr, &executable);
        EXPECT_EQ(made, launching ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY) << function;
        if (launching) {
            EXPECT_EQ(graphs.append(list, executable, nullptr, nullptr, 0, nullptr),
                      ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
        }
    }
    ASSERT_EQ(unsetenv("STAND_IN_FAILURES"), 0);
    ASSERT_OK(graphs.run(list, executable));
    EXPECT_EQ(*data, 2);
}
TEST(NvidiaGraph, FailuresOfCudaAreAnswered) { EXPECT_RUNS(onStandIn("failuresOfCudaAreAnswered")); }

}  // namespace
}  // namespace zetl::test
