// Spans of what a device did, collected beside an application that knows nothing of it: through the stock loader, the
// layer in its slot, on the emulated GPU.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <map>
#include <string>
#include <thread>

#include "emulated_gpu/gpu.h"
#include "emulated_gpu/graphs.h"
#include "emulated_gpu/watched_activity.h"
#include "support/scenario.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

std::uint64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
}

/// Distances that two readings of a pair of clocks may differ by.
constexpr std::uint64_t kSlack = 2'000'000;

/// Everything of an immediate list, whose commands have no events.
SCENARIO(anImmediateListsCommandsHaveSpans) {
    Watched watched;
    const Gpu gpu;
    auto* out = gpu.shared<std::uint32_t>(64);
    auto* copy = gpu.shared<std::uint32_t>(64);
    const auto kernel = writingKernel(gpu, out);
    const auto list = gpu.immediate();
    const auto begin = now();
    const std::uint32_t zero = 0;
    watched.spans.current = 7;
    ASSERT_OK(zeCommandListAppendMemoryFill(list, copy, &zero, sizeof zero, 256, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    watched.spans.current = 8;
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, copy, out, 256, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    watched.collector->readComplete();
    const auto end = now();
    EXPECT_EQ(copy[63], 63u) << "what the application asked for was done";
    ASSERT_EQ(watched.spans.all.size(), 5u);
    const auto kernels = watched.spans.of(Work::kernel);
    ASSERT_EQ(kernels.size(), 1u);
    EXPECT_EQ(watched.spans.names[kernels[0].kernel], "writeIds");
    EXPECT_EQ(kernels[0].appended, 8u);
    EXPECT_EQ(kernels[0].submitted, 8u);
    ASSERT_EQ(watched.spans.of(Work::fill).size(), 1u);
    EXPECT_EQ(watched.spans.of(Work::fill)[0].appended, 7u);
    EXPECT_EQ(watched.spans.of(Work::fill)[0].bytes, 256u);
    EXPECT_EQ(watched.spans.of(Work::copy).size(), 1u);
    EXPECT_EQ(watched.spans.of(Work::barrier).size(), 2u);
    for (const auto& span : watched.spans.all) {
        EXPECT_GE(span.begin + kSlack, begin);
        EXPECT_LE(span.end, end + kSlack);
        EXPECT_GE(span.end, span.begin);
    }
    EXPECT_LE(watched.spans.of(Work::fill)[0].end, kernels[0].end);
    ASSERT_EQ(watched.spans.streams.size(), 1u);
    EXPECT_EQ(watched.spans.streams.begin()->second.handle, list);
    EXPECT_TRUE(watched.spans.streams.begin()->second.immediate);
    EXPECT_EQ(watched.collector->missing().commands, 0u);
    EXPECT_EQ(watched.collector->missing().unread, 0u);
}
TEST(DeviceActivity, AnImmediateListsCommandsHaveSpans) { EXPECT_RUNS(watched("anImmediateListsCommandsHaveSpans")); }

/// Spans have what the launch, the kernel's arguments and its group size said when it was appended.
SCENARIO(aLaunchHasItsShape) {
    Watched watched;
    const Gpu gpu;
    const auto kernel = gpu.kernel("reverse", 8);
    auto* data = gpu.shared<int>(64);
    ASSERT_OK(zeKernelSetArgumentValue(kernel, 0, sizeof data, &data));
    ASSERT_OK(zeKernelSetArgumentValue(kernel, 1, 128, nullptr));
    const auto list = gpu.immediate();
    const auto begin = now();
    const ze_group_count_t groups{2, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    ASSERT_OK(zeKernelSetGroupSize(kernel, 4, 1, 1));
    ASSERT_OK(zeKernelSetArgumentValue(kernel, 1, 64, nullptr));
    ASSERT_OK(zeCommandListAppendLaunchCooperativeKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    watched.collector->readComplete();
    const auto kernels = watched.spans.of(Work::kernel);
    ASSERT_EQ(kernels.size(), 2u);
    EXPECT_TRUE(std::ranges::equal(kernels[0].shape.groups, std::array{2u, 1u, 1u}));
    EXPECT_TRUE(std::ranges::equal(kernels[0].shape.groupSize, std::array{8u, 1u, 1u}));
    EXPECT_EQ(kernels[0].shape.localBytes, 128u);
    EXPECT_EQ(kernels[0].shape.registers, 128u);
    EXPECT_GE(kernels[0].shape.simdWidth, 8u);
    EXPECT_GE(kernels[0].submittedAt, begin);
    EXPECT_LE(kernels[0].submittedAt, kernels[0].end + kSlack);
    EXPECT_TRUE(std::ranges::equal(kernels[1].shape.groups, std::array{1u, 1u, 1u}));
    EXPECT_TRUE(std::ranges::equal(kernels[1].shape.groupSize, std::array{4u, 1u, 1u}));
    EXPECT_EQ(kernels[1].shape.localBytes, 64u);
    EXPECT_EQ(watched.spans.of(Work::barrier).at(0).shape.groups[0], 0u);
}
TEST(DeviceActivity, ALaunchHasItsShape) { EXPECT_RUNS(watched("aLaunchHasItsShape")); }

/// A list that is executed three times has three spans a command, each with the execution that it was of.
SCENARIO(eachExecutionOfAListHasSpans) {
    Watched watched;
    const Gpu gpu;
    const auto kernel = writingKernel(gpu, gpu.shared<std::uint32_t>(64));
    const auto list = gpu.list();
    watched.spans.current = 100;
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListClose(list));
    const auto queue = gpu.queue();
    auto executed = list;
    for (std::uint64_t run = 1; run <= 3; ++run) {
        watched.spans.current = run;
        ASSERT_OK(zeCommandQueueExecuteCommandLists(queue, 1, &executed, nullptr));
        ASSERT_OK(zeCommandQueueSynchronize(queue, UINT64_MAX));
    }
    const auto kernels = watched.spans.of(Work::kernel);
    ASSERT_EQ(kernels.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(kernels[i].appended, 100u);
        EXPECT_EQ(kernels[i].submitted, i + 1);
        EXPECT_GE(kernels[i].begin, i > 0 ? kernels[i - 1].end : 0);
    }
    EXPECT_EQ(watched.spans.of(Work::barrier).size(), 3u);
    ASSERT_OK(zeCommandListReset(list));
    ASSERT_OK(zeCommandListDestroy(list));
    ASSERT_OK(zeCommandQueueDestroy(queue));
    EXPECT_EQ(watched.spans.all.size(), 6u) << "nothing twice";
    EXPECT_EQ(watched.collector->missing().commands, 0u);
}
TEST(DeviceActivity, EachExecutionOfAListHasSpans) { EXPECT_RUNS(watched("eachExecutionOfAListHasSpans")); }

/// Commands of a graph, also of a fork, have a span per execution; recording has none.
template <class Find>
void executionsOfAGraphHaveSpans(Watched& watched, const Gpu& gpu, Find find) {
#define LOADERS(name) reinterpret_cast<decltype(&::name)>(find(#name))
    const auto kernel = writingKernel(gpu, gpu.shared<std::uint32_t>(64));
    const auto list = gpu.immediate();
    const auto child = gpu.immediate();
    const auto pool = gpu.pool(2);
    auto fork = Gpu::event(pool, 0);
    auto join = Gpu::event(pool, 1);
    watched.spans.current = 100;
    ASSERT_OK(LOADERS(zeCommandListBeginGraphCaptureExt)(list, nullptr));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, fork, 0, nullptr));
    ASSERT_OK(zeCommandListAppendLaunchKernel(child, kernel, &kOneGroup, join, 1, &fork));
    ASSERT_OK(zeCommandListAppendWaitOnEvents(list, 1, &join));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    ze_graph_handle_t graph = nullptr;
    ASSERT_OK(LOADERS(zeCommandListEndGraphCaptureExt)(list, nullptr, &graph));
    ze_executable_graph_handle_t executable = nullptr;
    ASSERT_OK(LOADERS(zeGraphInstantiateExt)(graph, nullptr, &executable));
    EXPECT_EQ(watched.collector->missing().unread, 0u) << "nothing is under way";
    for (std::uint64_t run = 1; run <= 3; ++run) {
        watched.spans.current = run;
        ASSERT_OK(LOADERS(zeCommandListAppendGraphExt)(list, executable, nullptr, nullptr, 0, nullptr));
        ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
        ASSERT_OK(zeEventHostReset(fork));
        ASSERT_OK(zeEventHostReset(join));
    }
    ASSERT_OK(LOADERS(zeExecutableGraphDestroyExt)(executable));
    ASSERT_OK(LOADERS(zeGraphDestroyExt)(graph));
#undef LOADERS
    watched.collector->readComplete();
    std::map<std::uint64_t, int> launches;
    for (const auto& span : watched.spans.of(Work::kernel)) {
        EXPECT_EQ(span.appended, 100u);
        ++launches[span.submitted];
    }
    EXPECT_EQ(launches, (std::map<std::uint64_t, int>{{1, 3}, {2, 3}, {3, 3}}));
    EXPECT_EQ(watched.collector->missing().commands, 0u);
}
SCENARIO(eachExecutionOfAGraphHasSpans) {
    if (!dlsym(RTLD_DEFAULT, "zeCommandListBeginGraphCaptureExt")) return;  // the loader knows no graphs
    Watched watched;
    const Gpu gpu;
    executionsOfAGraphHaveSpans(watched, gpu, [](const char* name) { return dlsym(RTLD_DEFAULT, name); });
}
TEST(DeviceActivity, EachExecutionOfAGraphHasSpans) { EXPECT_RUNS(watched("eachExecutionOfAGraphHasSpans")); }

/// Executions of one graph that follow each other on two lists while nobody waits, behind an event that is still to be
/// signalled.
SCENARIO(overlappingExecutionsOfAGraphHaveSpans) {
    Watched watched;
    const Gpu gpu;
    const Graphs graphs(gpu);
    const auto kernel = writingKernel(gpu, gpu.shared<std::uint32_t>(64));
    const std::array lists{gpu.immediate(), gpu.immediate()};
    const auto pool = gpu.pool(2);
    auto gate = Gpu::event(pool, 0);
    const auto own = Gpu::event(pool, 1);
    ASSERT_OK(graphs.begin(lists[0], nullptr));
    ASSERT_OK(zeCommandListAppendLaunchKernel(lists[0], kernel, &kOneGroup, own, 0, nullptr));
    ASSERT_OK(zeCommandListAppendLaunchKernel(lists[0], kernel, &kOneGroup, nullptr, 0, nullptr));
    const auto graph = graphs.recorded(lists[0]);
    const auto executable = graphs.executable(graph);
    constexpr std::uint64_t kRuns = 6;
    for (std::uint64_t run = 1; run <= kRuns; ++run) {
        watched.spans.current = run;
        ASSERT_OK(graphs.append(lists[(run - 1) / 3], executable, nullptr, nullptr, 1, &gate));
    }
    EXPECT_EQ(watched.collector->missing().unread, 2 * kRuns);
    EXPECT_EQ(zeEventQueryStatus(own), ZE_RESULT_NOT_READY);
    ASSERT_OK(zeEventHostSignal(gate));
    for (const auto list : lists) ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    EXPECT_EQ(zeEventQueryStatus(own), ZE_RESULT_SUCCESS) << "the application's event is as without a collector";
    ASSERT_OK(graphs.destroyExecutable(executable));
    ASSERT_OK(graphs.destroy(graph));
    watched.collector->readComplete();
    auto spans = watched.spans.of(Work::kernel);
    ASSERT_EQ(spans.size(), 2 * kRuns);
    EXPECT_EQ(watched.collector->missing().commands, 0u);
    EXPECT_EQ(watched.collector->missing().unread, 0u);
    std::ranges::sort(spans, {}, &Span::begin);
    for (std::size_t i = 0; i < spans.size(); ++i) {
        EXPECT_EQ(spans[i].submitted, i / 2 + 1) << "the times are those of the execution";
        if (i > 0) {
            EXPECT_GE(spans[i].begin, spans[i - 1].end);
        }
    }
}
TEST(DeviceActivity, OverlappingExecutionsOfAGraphHaveSpans) {
    EXPECT_RUNS(watched("overlappingExecutionsOfAGraphHaveSpans"));
}

/// As SYCL's queues record: each command signals the same counter-based event, made by a function of Intel's driver.
SCENARIO(recordedCounterBasedEventsDoNotHideSpans) {
    if (!dlsym(RTLD_DEFAULT, "zeCommandListBeginGraphCaptureExt")) return;  // the loader knows no graphs
    Watched watched;
    const Gpu gpu;
#define LOADERS(name) reinterpret_cast<decltype(&::name)>(dlsym(RTLD_DEFAULT, #name))
    using Create = ze_result_t (*)(ze_context_handle_t, ze_device_handle_t, const void*, ze_event_handle_t*);
    const auto create = reinterpret_cast<Create>(gpu.function<void()>("zexCounterBasedEventCreate2"));
    ze_event_handle_t event = nullptr;
    ASSERT_OK(create(gpu.context(), gpu.device(), nullptr, &event));
    auto* const data = gpu.shared<std::uint32_t>(64);
    const auto kernel = writingKernel(gpu, data);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    const auto child = gpu.immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    ze_event_handle_t joined = nullptr;
    ASSERT_OK(create(gpu.context(), gpu.device(), nullptr, &joined));
    ASSERT_OK(LOADERS(zeCommandListBeginGraphCaptureExt)(list, nullptr));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, event, 0, nullptr));
    ASSERT_OK(zeCommandListAppendLaunchKernel(child, kernel, &kOneGroup, joined, 1, &event));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, event, 1, &joined));
    ze_graph_handle_t graph = nullptr;
    ASSERT_OK(LOADERS(zeCommandListEndGraphCaptureExt)(list, nullptr, &graph));
    ze_executable_graph_handle_t executable = nullptr;
    ASSERT_OK(LOADERS(zeGraphInstantiateExt)(graph, nullptr, &executable));
    for (int run = 0; run < 2; ++run) {
        ASSERT_OK(LOADERS(zeCommandListAppendGraphExt)(list, executable, nullptr, event, 0, nullptr));
        ASSERT_OK(zeEventHostSynchronize(event, UINT64_MAX));
        ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    }
#undef LOADERS
    watched.collector->readComplete();
    EXPECT_EQ(watched.spans.of(Work::kernel).size(), 6u);
    EXPECT_EQ(watched.collector->missing().commands, 0u);
}
TEST(DeviceActivity, RecordedCounterBasedEventsDoNotHideSpans) {
    EXPECT_RUNS(watched("recordedCounterBasedEventsDoNotHideSpans"));
}

/// The same under any loader, by functions that the program asks the driver for.
SCENARIO(eachExecutionOfAGraphByNameHasSpans) {
    Watched watched;
    const Gpu gpu;
    executionsOfAGraphHaveSpans(watched, gpu, [&](const char* name) {
        void* found = nullptr;
        EXPECT_OK(zeDriverGetExtensionFunctionAddress(gpu.driver(), name, &found));
        return found;
    });
}
TEST(DeviceActivity, EachExecutionOfAGraphByNameHasSpans) {
    EXPECT_RUNS(watched("eachExecutionOfAGraphByNameHasSpans"));
}

/// The same by the functions' names before they were standard, as older programs ask for them.
using FormerEnd = ze_result_t (*)(ze_command_list_handle_t, ze_graph_handle_t*, void*);
using FormerInstantiate = ze_result_t (*)(ze_graph_handle_t, ze_executable_graph_handle_t*, void*);
FormerEnd formerEnd = nullptr;
FormerInstantiate formerInstantiate = nullptr;

SCENARIO(eachExecutionOfAFormerGraphHasSpans) {
    Watched watched;
    const Gpu gpu;
    const auto byName = [&](const std::string& name) {
        void* found = nullptr;
        EXPECT_OK(zeDriverGetExtensionFunctionAddress(gpu.driver(), name.c_str(), &found)) << name;
        return found;
    };
    formerEnd = reinterpret_cast<FormerEnd>(byName("zeCommandListEndGraphCaptureExp"));
    formerInstantiate = reinterpret_cast<FormerInstantiate>(byName("zeCommandListInstantiateGraphExp"));
    const decltype(&zeCommandListEndGraphCaptureExt) end = [](auto list, auto parameters, auto graph) {
        return formerEnd(list, graph, const_cast<void*>(parameters));
    };
    const decltype(&zeGraphInstantiateExt) instantiate = [](auto graph, auto parameters, auto executable) {
        return formerInstantiate(graph, executable, const_cast<void*>(parameters));
    };
    executionsOfAGraphHaveSpans(watched, gpu, [&](std::string name) {
        if (name == "zeCommandListEndGraphCaptureExt") return reinterpret_cast<void*>(end);
        if (name == "zeGraphInstantiateExt") return reinterpret_cast<void*>(instantiate);
        return byName(name.replace(name.size() - 3, 3, "Exp"));
    });
    using Ask = ze_result_t (*)(ze_command_list_handle_t);
    const auto records = reinterpret_cast<Ask>(byName("zeCommandListIsGraphCaptureEnabledExp"));
    EXPECT_EQ(records(gpu.immediate()), static_cast<ze_result_t>(0x7fff0001)) << "answers keep their former codes";
    EXPECT_EQ(records(nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}
TEST(DeviceActivity, EachExecutionOfAFormerGraphHasSpans) {
    EXPECT_RUNS(watched("eachExecutionOfAFormerGraphHasSpans"));
}

/// The application's own events and pools look as they do without a collector.
SCENARIO(theApplicationSeesWhatItMade) {
    Watched watched;
    const Gpu gpu;
    const auto plainPool = gpu.pool(2);
    const auto timedPool = gpu.pool(1, kTimed);
    const auto plain = Gpu::event(plainPool);
    const auto timed = Gpu::event(timedPool);
    const auto kernel = writingKernel(gpu, gpu.shared<std::uint32_t>(64));
    const auto list = gpu.immediate();
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, plain, 0, nullptr));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, timed, 0, nullptr));
    ASSERT_OK(zeEventHostSynchronize(plain, UINT64_MAX));
    ASSERT_OK(zeEventHostSynchronize(timed, UINT64_MAX));
    ze_kernel_timestamp_result_t times{};
    times.global.kernelEnd = 99;
    EXPECT_EQ(zeEventQueryKernelTimestamp(plain, &times), ZE_RESULT_ERROR_INVALID_ARGUMENT)
        << "no timestamps were asked for";
    EXPECT_EQ(times.global.kernelEnd, 99u) << "and nothing was written";
    auto* results = gpu.shared<ze_kernel_timestamp_result_t>(1);
    auto asked = plain;
    EXPECT_EQ(zeCommandListAppendQueryKernelTimestamps(list, 1, &asked, results, nullptr, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ASSERT_OK(zeEventQueryKernelTimestamp(timed, &times));
    ASSERT_EQ(watched.spans.all.size(), 2u);
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &properties));
    const auto cycles = (times.global.kernelEnd - times.global.kernelStart) &
                        ((std::uint64_t(1) << properties.kernelTimestampValidBits) - 1);
    EXPECT_NEAR(static_cast<double>(watched.spans.all[1].end - watched.spans.all[1].begin),
                static_cast<double>(cycles) * 1e9 / static_cast<double>(properties.timerResolution), 1.0)
        << "the collector and the application read the same times";
    EXPECT_EQ(zeEventQueryStatus(plain), ZE_RESULT_SUCCESS) << "an event that was read stays signalled";
    ASSERT_OK(zeEventHostReset(plain));
    EXPECT_EQ(zeEventQueryStatus(plain), ZE_RESULT_NOT_READY);
}
TEST(DeviceActivity, TheApplicationSeesWhatItMade) { EXPECT_RUNS(watched("theApplicationSeesWhatItMade")); }

/// An event that is reset, or destroyed, right after the wait is read before.
SCENARIO(eventsAreReadBeforeTheyChange) {
    Watched watched;
    const Gpu gpu;
    const auto event = Gpu::event(gpu.pool(1));
    const auto kernel = writingKernel(gpu, gpu.shared<std::uint32_t>(64));
    const auto list = gpu.immediate();
    for (int i = 0; i < 10; ++i) {
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, event, 0, nullptr));
        while (zeEventQueryStatus(event) != ZE_RESULT_SUCCESS) std::this_thread::yield();
        if (i == 9)
            ASSERT_OK(zeEventDestroy(event));
        else
            ASSERT_OK(zeEventHostReset(event));
    }
    EXPECT_EQ(watched.spans.of(Work::kernel).size(), 10u);
    EXPECT_EQ(watched.collector->missing().commands, 0u);
}
TEST(DeviceActivity, EventsAreReadBeforeTheyChange) { EXPECT_RUNS(watched("eventsAreReadBeforeTheyChange")); }

/// Commands without a waiter are read while the list goes on, and the collector's events are used again.
SCENARIO(manyCommandsTakeFewEvents) {
    Watched watched;
    const Gpu gpu;
    auto* data = gpu.shared(1);
    const auto list = gpu.immediate();
    const int one = 1;
    for (int i = 0; i < 5000; ++i)
        ASSERT_OK(zeCommandListAppendMemoryFill(list, data, &one, sizeof one, sizeof one, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    ASSERT_OK(zeCommandListDestroy(list));
    EXPECT_EQ(watched.spans.of(Work::fill).size(), 5000u);
    ASSERT_OK(zeContextDestroy(gpu.context())) << "nothing of the collector's is left in it";
}
TEST(DeviceActivity, ManyCommandsTakeFewEvents) { EXPECT_RUNS(watched("manyCommandsTakeFewEvents")); }

SCENARIO(refusedCommandsHaveNoSpans) {
    Watched watched;
    const Gpu gpu;
    const auto list = gpu.immediate();
    EXPECT_NE(zeCommandListAppendLaunchKernel(list, nullptr, &kOneGroup, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_NE(zeCommandListAppendBarrier(nullptr, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    auto closedList = gpu.list();
    ASSERT_OK(zeCommandListAppendBarrier(closedList, nullptr, 0, nullptr));
    EXPECT_NE(zeCommandQueueExecuteCommandLists(nullptr, 1, &closedList, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_NE(zeCommandQueueExecuteCommandLists(gpu.queue(), 1, nullptr, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_NE(zeCommandListCreate(nullptr, nullptr, nullptr, nullptr), ZE_RESULT_SUCCESS);
    watched.collector->readComplete();
    EXPECT_TRUE(watched.spans.all.empty());
    EXPECT_EQ(watched.collector->missing().unread, 0u);
}
TEST(DeviceActivity, RefusedCommandsHaveNoSpans) { EXPECT_RUNS(watched("refusedCommandsHaveNoSpans")); }

SCENARIO(unwantedCommandsHaveNoSpans) {
    Watched watched;
    const Gpu gpu;
    const auto list = gpu.immediate();
    watched.spans.isWanted = false;
    ASSERT_OK(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    watched.spans.isWanted = true;
    ASSERT_OK(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    watched.collector->readComplete();
    EXPECT_EQ(watched.spans.all.size(), 1u);
}
TEST(DeviceActivity, UnwantedCommandsHaveNoSpans) { EXPECT_RUNS(watched("unwantedCommandsHaveNoSpans")); }

SCENARIO(threadsHaveListsOfTheirOwn) {
    Watched watched;
    const Gpu gpu;
    auto* data = gpu.shared(4);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&, i] {
            const auto list = gpu.immediate();
            for (int j = 0; j < 200; ++j)
                EXPECT_OK(zeCommandListAppendMemoryFill(list, data + i, &j, sizeof j, sizeof j, nullptr, 0, nullptr));
            EXPECT_OK(gpu.synchronize(list, UINT64_MAX));
            EXPECT_OK(zeCommandListDestroy(list));
        });
    for (auto& each : threads) each.join();
    EXPECT_EQ(watched.spans.all.size(), 800u);
    EXPECT_EQ(watched.spans.streams.size(), 4u);
}
TEST(DeviceActivity, ThreadsHaveListsOfTheirOwn) { EXPECT_RUNS(watched("threadsHaveListsOfTheirOwn")); }

SCENARIO(thereIsOneCollectorAProcess) {
    Watched watched;
    std::string failure;
    auto* layer = dlopen("libze_tools_layer.so.1", RTLD_NOW | RTLD_NOLOAD);
    EXPECT_EQ(activity::Collector::start(layer, watched.spans, failure), nullptr);
    EXPECT_EQ(failure, "device activity is collected already in this process");
    watched.collector.reset();
    const auto again = activity::Collector::start(layer, watched.spans, failure);
    EXPECT_NE(again, nullptr);
    EXPECT_EQ(activity::Collector::start(dlopen(nullptr, RTLD_NOW), watched.spans, failure), nullptr);
}
TEST(DeviceActivity, ThereIsOneCollectorAProcess) { EXPECT_RUNS(watched("thereIsOneCollectorAProcess")); }

}  // namespace
}  // namespace zetl::test
