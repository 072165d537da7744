// Visits of recorded commands, as profilers make them: every command of a graph or list is seen, changed, or appended
// again with commands around it.
#include <string>
#include <vector>

#include "emulated_gpu/gpu.h"
#include "support/scenario.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

// The structures of Intel's driver.
struct Concrete {
    std::uint32_t stype = 0x00030031;
    const void* pNext = nullptr;
    const char* function = nullptr;
    void* callback = nullptr;
};
using Around = void (*)(const char*, void*, std::uint32_t*, ze_event_handle_t**, ze_event_handle_t*);
struct Visit {
    std::uint32_t stype = 0x00030032;
    const void* pNext = nullptr;
    void* data = nullptr;
    ze_command_list_handle_t target = nullptr;
    Around before = nullptr;
    std::uint32_t defaultOperation = 0;
    Around after = nullptr;
};
constexpr std::uint32_t kReappend = 1;

using VisitGraph = ze_result_t(ze_graph_handle_t, const Visit*);
using VisitList = ze_result_t(ze_command_list_handle_t, const Visit*);

/// What a visit saw, and what it appends to.
struct Visited {
    std::vector<std::string> functions = {};
    std::vector<std::string> kernels = {};
    ze_command_list_handle_t target = nullptr;
    ze_event_handle_t signal = nullptr;
    ze_result_t answer = ZE_RESULT_SUCCESS;
};

ze_result_t seeLaunch(ze_command_list_handle_t, ze_kernel_handle_t kernel, const ze_group_count_t* groups,
                      ze_event_handle_t, std::uint32_t waits, ze_event_handle_t* wait, void* data) {
    auto& seen = *static_cast<Visited*>(data);
    std::size_t size = 0;
    EXPECT_OK(zeKernelGetName(kernel, &size, nullptr));
    std::string name(size, '\0');
    EXPECT_OK(zeKernelGetName(kernel, &size, name.data()));
    seen.kernels.push_back(name.c_str());
    if (seen.target) {
        EXPECT_OK(zeCommandListAppendLaunchKernel(seen.target, kernel, groups, seen.signal, waits, wait));
    }
    return seen.answer;
}

void seeBefore(const char* function, void* data, std::uint32_t*, ze_event_handle_t**, ze_event_handle_t* signal) {
    auto& seen = *static_cast<Visited*>(data);
    seen.functions.emplace_back(function);
    if (seen.signal) *signal = seen.signal;
}
void seeAfter(const char* function, void* data, std::uint32_t*, ze_event_handle_t**, ze_event_handle_t*) {
    static_cast<Visited*>(data)->functions.push_back("after " + std::string(function));
}

Concrete visitorOf(const char* function, decltype(seeLaunch)* callback) {
    return {.function = function, .callback = reinterpret_cast<void*>(callback)};
}

/// A graph with a launch, a fill whose pattern is gone, and a region copy whose regions are.
ze_graph_handle_t recordedGraph(const Gpu& gpu, ze_command_list_handle_t list, int* data) {
    EXPECT_OK(DRIVER_CALL(gpu, zeCommandListBeginGraphCaptureExt)(list, nullptr));
    const auto kernel = gpu.kernel("count");
    Gpu::arguments(kernel, data);
    EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    auto* const other = data + 8;
    Gpu::arguments(kernel, other);
    {
        const int pattern = 77;
        EXPECT_OK(zeCommandListAppendMemoryFill(list, data + 1, &pattern, sizeof pattern, 8, nullptr, 0, nullptr));
        const ze_copy_region_t region{0, 0, 0, 8, 1, 1};
        EXPECT_OK(zeCommandListAppendMemoryCopyRegion(list, data + 4, &region, 8, 8, data + 1, &region, 8, 8, nullptr,
                                                      0, nullptr));
    }
    ze_graph_handle_t graph = nullptr;
    EXPECT_OK(DRIVER_CALL(gpu, zeCommandListEndGraphCaptureExt)(list, nullptr, &graph));
    EXPECT_OK(zeKernelDestroy(kernel));
    return graph;
}

SCENARIO(aGraphIsVisitedAndAppendedAgain) {
    const Gpu gpu;
    auto* data = gpu.shared(16);
    const auto graph = recordedGraph(gpu, gpu.immediate(), data);
    const auto visit = gpu.function<VisitGraph>("zeGraphVisitExt");
    // Only looked at.
    Visited seen;
    Visit how{.data = &seen, .before = seeBefore};
    ASSERT_OK(visit(graph, &how));
    EXPECT_EQ(seen.functions,
              (std::vector<std::string>{"zeCommandListAppendLaunchKernel", "zeCommandListAppendMemoryFill",
                                        "zeCommandListAppendMemoryCopyRegion"}));
    // Appended again to a list of the profiler, the launch by a visitor of its own, with an event.
    const auto pool = gpu.pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    const auto list = gpu.list();
    seen = {.target = list, .signal = Gpu::event(pool)};
    const auto launches = visitorOf("zeCommandListAppendLaunchKernel", seeLaunch);
    how = {.pNext = &launches, .data = &seen, .target = list, .defaultOperation = kReappend, .after = seeAfter};
    ASSERT_OK(visit(graph, &how));
    EXPECT_EQ(seen.kernels, std::vector<std::string>{"count"});
    EXPECT_EQ(seen.functions, (std::vector<std::string>{"after zeCommandListAppendMemoryFill",
                                                        "after zeCommandListAppendMemoryCopyRegion"}));
    ASSERT_OK(DRIVER_CALL(gpu, zeGraphDestroyExt)(graph));
    ASSERT_OK(gpu.run(list));
    EXPECT_OK(zeEventQueryStatus(seen.signal));
    for (int i = 0; i < 16; ++i) EXPECT_EQ(data[i], i == 0 ? 1 : i == 1 || i == 2 || i == 4 || i == 5 ? 77 : 0) << i;
}
TEST(Visit, AGraphIsVisitedAndAppendedAgain) { EXPECT_RUNS(emulated("aGraphIsVisitedAndAppendedAgain")); }

/// A profiler records the graph of an application again, with an event for each launch.
SCENARIO(aGraphIsRecordedAgain) {
    const Gpu gpu;
    auto* data = gpu.shared(16);
    const auto list = gpu.immediate();
    const auto graph = recordedGraph(gpu, list, data);
    Visited seen{.target = list, .signal = Gpu::event(gpu.pool(1))};
    const auto launches = visitorOf("zeCommandListAppendLaunchKernel", seeLaunch);
    const Visit how{.pNext = &launches, .data = &seen, .defaultOperation = kReappend};
    ASSERT_OK(DRIVER_CALL(gpu, zeCommandListBeginGraphCaptureExt)(list, nullptr));
    ASSERT_OK(gpu.function<VisitGraph>("zeGraphVisitExt")(graph, &how)) << "onto the list that it was recorded on";
    ze_graph_handle_t again = nullptr;
    ASSERT_OK(DRIVER_CALL(gpu, zeCommandListEndGraphCaptureExt)(list, nullptr, &again));
    ze_executable_graph_handle_t executable = nullptr;
    ASSERT_OK(DRIVER_CALL(gpu, zeGraphInstantiateExt)(again, nullptr, &executable));
    ASSERT_OK(DRIVER_CALL(gpu, zeCommandListAppendGraphExt)(list, executable, nullptr, nullptr, 0, nullptr));
    ASSERT_OK(zeEventHostSynchronize(seen.signal, UINT64_MAX));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    EXPECT_EQ(data[0], 1);
    EXPECT_EQ(data[4], 77);
}
TEST(Visit, AGraphIsRecordedAgain) { EXPECT_RUNS(emulated("aGraphIsRecordedAgain")); }

/// Every kind of append, visited on a list and executed from another.
SCENARIO(aListIsVisitedIfItWasMadeForIt) {
    const Gpu gpu;
    const auto visit = gpu.function<VisitList>("zeCommandListVisitExt");
    auto* data = gpu.shared(64);
    const ze_command_list_desc_t description{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, nullptr, 0, ZE_BIT(6)};
    ze_command_list_handle_t list = nullptr;
    ASSERT_OK(zeCommandListCreate(gpu.context(), gpu.device(), &description, &list));
    const auto module = gpu.module();
    const auto kernel = Gpu::kernelOf(module, "count");
    const auto pool = gpu.pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    auto event = Gpu::event(pool);
    Gpu::arguments(kernel, data);
    auto* stamp = gpu.shared<std::uint64_t>(1);
    auto* times = gpu.shared<ze_kernel_timestamp_result_t>(1);
    auto* counts = gpu.shared<ze_group_count_t>(1);
    auto* number = gpu.shared<std::uint32_t>(1);
    *counts = kOneGroup;
    *number = 1;
    std::vector<std::string> wanted;
#define APPEND(name, ...)                                     \
    do {                                                      \
        ASSERT_OK(DRIVER_CALL(gpu, name)(list, __VA_ARGS__)); \
        wanted.push_back(#name);                              \
    } while (false)
    APPEND(zeCommandListAppendWriteGlobalTimestamp, stamp, nullptr, 0, nullptr);
    APPEND(zeCommandListAppendLaunchKernel, kernel, &kOneGroup, event, 0, nullptr);
    APPEND(zeCommandListAppendWaitOnEvents, 1, &event);
    APPEND(zeCommandListAppendQueryKernelTimestamps, 1, &event, times, nullptr, nullptr, 0, nullptr);
    APPEND(zeCommandListAppendEventReset, event);
    APPEND(zeCommandListAppendSignalEventWithParameters, nullptr, event);
    APPEND(zeCommandListAppendWaitOnEventsWithParameters, nullptr, 1, &event);
    APPEND(zeCommandListAppendEventReset, event);
    APPEND(zeCommandListAppendSignalEvent, event);
    APPEND(zeCommandListAppendBarrier, nullptr, 1, &event);
    const std::size_t size = 4;
    const void* range = data;
    APPEND(zeCommandListAppendMemoryRangesBarrier, 1, &size, &range, nullptr, 0, nullptr);
    APPEND(zeCommandListAppendLaunchCooperativeKernel, kernel, &kOneGroup, nullptr, 0, nullptr);
    APPEND(zeCommandListAppendLaunchKernelIndirect, kernel, counts, nullptr, 0, nullptr);
    auto several = kernel;
    APPEND(zeCommandListAppendLaunchMultipleKernelsIndirect, 1, &several, number, counts, nullptr, 0, nullptr);
    {
        const ze_command_list_append_launch_kernel_param_cooperative_desc_t cooperative{
            ZE_STRUCTURE_TYPE_COMMAND_LIST_APPEND_PARAM_COOPERATIVE_DESC, nullptr, true};
        APPEND(zeCommandListAppendLaunchKernelWithParameters, kernel, &kOneGroup, &cooperative, nullptr, 0, nullptr);
        void* values[] = {&data};
        APPEND(zeCommandListAppendLaunchKernelWithArguments, kernel, kOneGroup, ze_group_size_t{1, 1, 1}, values,
               nullptr, nullptr, 0, nullptr);
    }
    APPEND(zeCommandListAppendMemoryCopy, data + 1, data, 4, nullptr, 0, nullptr);
    APPEND(zeCommandListAppendMemoryCopyFromContext, data + 2, gpu.context(), data, 4, nullptr, 0, nullptr);
    APPEND(zeCommandListAppendMemoryCopyWithParameters, data + 3, data, 4, nullptr, nullptr, 0, nullptr);
    const int pattern = 9;
    APPEND(zeCommandListAppendMemoryFillWithParameters, data + 4, &pattern, 4, 4, nullptr, nullptr, 0, nullptr);
    APPEND(zeCommandListAppendMemoryPrefetch, data, 4);
    APPEND(zeCommandListAppendMemAdvise, gpu.device(), data, 4, ZE_MEMORY_ADVICE_SET_READ_MOSTLY);
    APPEND(
        zeCommandListAppendHostFunction, [](void* value) { static_cast<int*>(value)[5] = 5; }, data, nullptr, nullptr,
        0, nullptr);
#undef APPEND
    Visited seen;
    const auto target = gpu.list();
    Visit how{.data = &seen, .target = target, .before = seeBefore, .defaultOperation = kReappend};
    ASSERT_OK(visit(list, &how));
    EXPECT_EQ(seen.functions, wanted);
    ASSERT_OK(gpu.run(target));
    EXPECT_EQ(data[0], 6) << "launches";
    EXPECT_EQ(data[1], 6);
    EXPECT_EQ(data[2], 6);
    EXPECT_EQ(data[3], 6);
    EXPECT_EQ(data[4], 9);
    EXPECT_EQ(data[5], 5);
    EXPECT_NE(*stamp, 0u);
    EXPECT_LT(times->global.kernelStart, times->global.kernelEnd);
    ASSERT_OK(zeCommandListReset(list));
    seen = {};
    ASSERT_OK(visit(list, &how));
    EXPECT_TRUE(seen.functions.empty());
}
TEST(Visit, AListIsVisitedIfItWasMadeForIt) { EXPECT_RUNS(emulated("aListIsVisitedIfItWasMadeForIt")); }

SCENARIO(visitsThatCannotBeAreRefused) {
    const Gpu gpu;
    const auto visit = gpu.function<VisitGraph>("zeGraphVisitExt");
    const auto visitList = gpu.function<VisitList>("zeCommandListVisitExt");
    const auto graph = recordedGraph(gpu, gpu.immediate(), gpu.shared(16));
    Visited seen;
    Visit how{.data = &seen};
    EXPECT_EQ(visit(nullptr, &how), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(visitList(nullptr, &how), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(visit(graph, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(visitList(gpu.list(), &how), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) << "not made for visits";
    EXPECT_EQ(visitList(gpu.immediate(), &how), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    auto concrete = visitorOf("zeCommandListAppendLaunchKernel", seeLaunch);
    how.pNext = &concrete;
    concrete.stype = 1;
    EXPECT_EQ(visit(graph, &how), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    concrete.stype = 0x00030031;
    concrete.function = nullptr;
    EXPECT_EQ(visit(graph, &how), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    concrete.function = "zeCommandListClose";
    EXPECT_EQ(visit(graph, &how), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    concrete.function = "zeCommandListAppendSignalExternalSemaphoreExt";
    EXPECT_OK(visit(graph, &how)) << "profilers bring visitors for what is never recorded here";
    concrete.function = "zeCommandListAppendLaunchKernel";
    const auto twice = concrete;
    concrete.pNext = &twice;
    EXPECT_EQ(visit(graph, &how), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    concrete.pNext = nullptr;
    how.defaultOperation = 2;
    EXPECT_EQ(visit(graph, &how), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    // A visitor's answer ends the visit, whatever it is.
    how.defaultOperation = 0;
    how.before = seeBefore;
    seen.answer = static_cast<ze_result_t>(0x12345);
    EXPECT_EQ(visit(graph, &how), seen.answer);
    EXPECT_TRUE(seen.functions.empty());
}
TEST(Visit, WhatCannotBeIsRefused) { EXPECT_RUNS(emulated("visitsThatCannotBeAreRefused")); }

}  // namespace
}  // namespace zetl::test
