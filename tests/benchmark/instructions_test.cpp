// The gate on what the layer adds to a call, in instructions from the application's call to its return: trampoline,
// callbacks, and what the loader does for a layer. The rest, its own way to an empty driver function, differs by its
// release.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
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

/// Every launch's span is read.
SCENARIO(repeatMeasuredCall) {
    zeInit(0);
    CountingSink sink;
    std::string failure;
    auto* layer = dlopen("libze_tools_layer.so.1", RTLD_NOW | RTLD_NOLOAD);
    auto collector = activity::Collector::start(layer, sink, failure);
    ASSERT_NE(collector, nullptr) << failure;
    const auto& objects = Objects::get();
    const ze_command_queue_desc_t description{};
    ze_command_list_handle_t list = nullptr;
    ASSERT_EQ(zeCommandListCreateImmediate(objects.context, objects.device, &description, &list), ZE_RESULT_SUCCESS);
    const ze_group_count_t groups{1, 1, 1};
    const auto kernel = reinterpret_cast<ze_kernel_handle_t>(list);
    const long calls = number("ZETL_BENCHMARK_CALLS");
    for (long i = calls; i > 0; --i) zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr);
    collector->readComplete();
    EXPECT_EQ(sink.spans, calls);
}

/// Instructions of a whole process that makes so many calls.
double instructions(const char* scenario, int tracers, Slots slots, long calls) {
    return instructionsOf(ZETL_VALGRIND, fresh(scenario, slots)
                                             .with("ZETL_BENCHMARK_TRACERS", std::to_string(tracers))
                                             .with("ZETL_BENCHMARK_CALLS", std::to_string(calls)));
}

/// Instructions of one call: what a thousand times more calls add. The calling loop itself is part of it.
double perCall(int tracers, Slots slots, const char* scenario = "repeatCall") {
    constexpr long kFew = 1000;
    constexpr long kMany = 101000;
    const double each =
        (instructions(scenario, tracers, slots, kMany) - instructions(scenario, tracers, slots, kFew)) / (kMany - kFew);
    testing::Test::RecordProperty("instructions", std::to_string(each));
    std::printf("%.1f instructions a call\n", each);
    return each;
}

double added(int tracers) { return perCall(tracers, Slots::tracing) - perCall(0, Slots::none); }

TEST(Instructions, Idle) { EXPECT_LE(added(0), 4); }
TEST(Instructions, OneTracer) { EXPECT_LE(added(1), 109); }
TEST(Instructions, FourTracers) { EXPECT_LE(added(4), 239); }
/// The fake driver's part, an event queried and one reset, is in it.
TEST(Instructions, DeviceActivity) { EXPECT_LE(perCall(0, Slots::tracing, "repeatMeasuredCall"), 1050); }

}  // namespace
}  // namespace zetl::test
