// The gate on what the layer adds to a call, in instructions from the application's call to its return: trampoline,
// callbacks, and what the loader does for a layer. The rest, its own way to an empty driver function, differs by its
// release.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

#include "benchmark/callgrind.h"
#include "benchmark/workload.h"
#include "support/scenario.h"
#include "ze_tools_layer/device_activity.h"

namespace zetl::test {
namespace {

long number(const char* variable) { return std::atol(std::getenv(variable)); }

SCENARIO(repeatCall) {
    const Workload workload(static_cast<int>(number("ZETL_BENCHMARK_TRACERS")));
    for (long i = number("ZETL_BENCHMARK_CALLS"); i > 0; --i) workload.call();
}

struct CountingSink final : activity::Sink {
    void took(const activity::Span&) noexcept override { ++spans; }
    long spans = 0;
};

/// The collector, in a process whose loader has the layer.
class Measured {
  public:
    Measured() {
        zeInit(0);
        auto* layer = dlopen("libze_tools_layer.so.1", RTLD_NOW | RTLD_NOLOAD);
        std::string failure;
        collector_ = activity::Collector::start(layer, sink_, failure);
        EXPECT_NE(collector_, nullptr) << failure;
    }
    /// Every launch's span is read.
    void expectSpans(long count) {
        collector_->readComplete();
        EXPECT_EQ(sink_.spans, count);
    }

  private:
    CountingSink sink_;
    std::unique_ptr<activity::Collector> collector_;
};

void launch(ze_command_list_handle_t list, ze_event_handle_t signal = nullptr) {
    const ze_group_count_t groups{1, 1, 1};
    zeCommandListAppendLaunchKernel(list, reinterpret_cast<ze_kernel_handle_t>(list), &groups, signal, 0, nullptr);
}

ze_command_list_handle_t immediateList() {
    const auto& objects = Objects::get();
    const ze_command_queue_desc_t description{};
    ze_command_list_handle_t list = nullptr;
    EXPECT_EQ(zeCommandListCreateImmediate(objects.context, objects.device, &description, &list), ZE_RESULT_SUCCESS);
    return list;
}

SCENARIO(repeatMeasuredCall) {
    Measured measured;
    const auto list = immediateList();
    const long calls = number("ZETL_BENCHMARK_CALLS");
    for (long i = calls; i > 0; --i) launch(list);
    measured.expectSpans(calls);
}

/// Each launch signals an event of the application's, which waits for it and resets it.
SCENARIO(repeatMeasuredWait) {
    Measured measured;
    const auto& objects = Objects::get();
    const auto list = immediateList();
    const ze_event_pool_desc_t poolDescription{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr,
                                               ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1};
    const ze_event_desc_t first{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, 0, ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_pool_handle_t pool = nullptr;
    ze_event_handle_t event = nullptr;
    ASSERT_EQ(zeEventPoolCreate(objects.context, &poolDescription, 0, nullptr, &pool), ZE_RESULT_SUCCESS);
    ASSERT_EQ(zeEventCreate(pool, &first, &event), ZE_RESULT_SUCCESS);
    const long calls = number("ZETL_BENCHMARK_CALLS");
    for (long i = calls; i > 0; --i) {
        launch(list, event);
        zeEventHostSynchronize(event, UINT64_MAX);
        zeEventHostReset(event);
    }
    measured.expectSpans(calls);
}

/// A list of a hundred launches, executed again and again: `calls` launches in all.
SCENARIO(repeatMeasuredList) {
    Measured measured;
    const auto& objects = Objects::get();
    const ze_command_list_desc_t description{};
    const ze_command_queue_desc_t queueDescription{};
    ze_command_list_handle_t list = nullptr;
    ze_command_queue_handle_t queue = nullptr;
    ASSERT_EQ(zeCommandListCreate(objects.context, objects.device, &description, &list), ZE_RESULT_SUCCESS);
    ASSERT_EQ(zeCommandQueueCreate(objects.context, objects.device, &queueDescription, &queue), ZE_RESULT_SUCCESS);
    constexpr long kLaunches = 100;
    for (long i = 0; i < kLaunches; ++i) launch(list);
    const long calls = number("ZETL_BENCHMARK_CALLS");
    for (long i = calls; i > 0; i -= kLaunches) {
        zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr);
        zeCommandQueueSynchronize(queue, UINT64_MAX);
    }
    measured.expectSpans(calls);
}

/// Instructions of a whole process that makes so many calls.
double instructions(const char* scenario, int tracers, Slots slots, long calls) {
    return instructionsOf(ZETL_VALGRIND, fresh(scenario, slots)
                                             .with("ZETL_BENCHMARK_TRACERS", std::to_string(tracers))
                                             .with("ZETL_BENCHMARK_CALLS", std::to_string(calls)));
}

/// Instructions of one call, to a tenth: what a thousand times more calls add. The calling loop itself is part of it.
double perCall(int tracers, Slots slots, const char* scenario = "repeatCall") {
    constexpr long kFew = 1000;
    constexpr long kMany = 101000;
    const double more = instructions(scenario, tracers, slots, kMany) - instructions(scenario, tracers, slots, kFew);
    const double each = std::round(more / (kMany - kFew) * 10) / 10;
    testing::Test::RecordProperty("instructions", std::to_string(each));
    std::printf("%.1f instructions a call\n", each);
    return each;
}

double added(int tracers) { return perCall(tracers, Slots::tracing) - perCall(0, Slots::none); }

TEST(Instructions, Idle) { EXPECT_LE(added(0), 4); }
TEST(Instructions, OneTracer) { EXPECT_LE(added(1), 109); }
TEST(Instructions, FourTracers) { EXPECT_LE(added(4), 239); }
/// The fake driver's part, an event queried and one reset, is in it.
TEST(Instructions, DeviceActivity) { EXPECT_LE(perCall(0, Slots::tracing, "repeatMeasuredCall"), 1215); }
/// 2039 by GCC 12, of which 109 look before the wait whether anything is to be read behind it: the device works
/// meanwhile.
TEST(Instructions, DeviceActivityOfAWait) { EXPECT_LE(perCall(0, Slots::tracing, "repeatMeasuredWait"), 2100); }
/// 903 by GCC 12, 959 by GCC 14.
TEST(Instructions, DeviceActivityOfAList) { EXPECT_LE(perCall(0, Slots::tracing, "repeatMeasuredList"), 965); }

}  // namespace
}  // namespace zetl::test
