// What an application sees of its lists, pools and events while its device activity is collected: the same scenario
// runs with a collector and without one, and what it prints is compared.
#include <dlfcn.h>
#include <level_zero/ze_api.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "emulated_gpu/gpu.h"
#include "emulated_gpu/watched_activity.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

/// With ZETL_TEST_WATCHED in the environment the application has a collector.
struct Application {
    Application() {
        if (std::getenv("ZETL_TEST_WATCHED")) watched.emplace();
        gpu.emplace();
    }
    /// What has to be in both runs.
    static void sees(const char* what, std::uint64_t value) {
        std::printf("%s %#llx\n", what, static_cast<unsigned long long>(value));
    }

    std::optional<Watched> watched;
    std::optional<Gpu> gpu;
};

/// Runs a scenario alone and collected; both print the same. Log lines have times, and are left out.
void looksTheSame(const std::string& scenario) {
    const auto silent = [&] { return watched(scenario).with("ZETL_LOG", "all=off"); };
    const Outcome alone = silent().run();
    const Outcome collected = silent().with("ZETL_TEST_WATCHED", "1").run();
    ASSERT_TRUE(alone.good()) << alone;
    ASSERT_TRUE(collected.good()) << collected;
    EXPECT_NE(alone.output, "");
    EXPECT_EQ(alone.output, collected.output);
}

/// Pools have the events they were made with, and refuse one more.
SCENARIO(poolsAreAsLarge) {
    const Application application;
    for (const std::uint32_t count : {1u, 3u}) {
        const auto pool = application.gpu->pool(count);
        for (std::uint32_t i = 0; i <= count; ++i) {
            const ze_event_desc_t description{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, i, 0, 0};
            ze_event_handle_t event = nullptr;
            Application::sees("event", zeEventCreate(pool, &description, &event));
        }
        Application::sees("pool", zeEventPoolDestroy(pool));
    }
    ze_event_pool_handle_t none = nullptr;
    const ze_event_pool_desc_t empty{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, 0, 0};
    Application::sees("empty", zeEventPoolCreate(application.gpu->context(), &empty, 0, nullptr, &none));
}
TEST(ActivityView, PoolsAreAsLarge) { looksTheSame("poolsAreAsLarge"); }

/// The description that the application passes is its own after the call.
SCENARIO(descriptionsAreNotWritten) {
    const Application application;
    const ze_event_pool_desc_t description{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                           1};
    ze_event_pool_handle_t pool = nullptr;
    Application::sees("pool", zeEventPoolCreate(application.gpu->context(), &description, 0, nullptr, &pool));
    Application::sees("flags", description.flags);
    Application::sees("count", description.count);
}
TEST(ActivityView, DescriptionsAreNotWritten) { looksTheSame("descriptionsAreNotWritten"); }

/// Timestamps: refused where none were asked for, by host and by list; there where they were.
SCENARIO(timestampsAreTheApplications) {
    const Application application;
    const Gpu& gpu = *application.gpu;
    const auto kernel = writingKernel(gpu, gpu.shared<std::uint32_t>(64));
    auto* const results = gpu.shared<ze_kernel_timestamp_result_t>(1);
    for (const ze_event_pool_flags_t flags : {ze_event_pool_flags_t{ZE_EVENT_POOL_FLAG_HOST_VISIBLE}, kTimed}) {
        const auto event = Gpu::event(gpu.pool(1, flags));
        const auto list = gpu.immediate();
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, event, 0, nullptr));
        ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
        ze_kernel_timestamp_result_t times{};
        Application::sees("host", zeEventQueryKernelTimestamp(event, &times));
        Application::sees("times", times.global.kernelEnd != 0);
        *results = {};
        auto asked = event;
        Application::sees(
            "list", zeCommandListAppendQueryKernelTimestamps(list, 1, &asked, results, nullptr, nullptr, 0, nullptr));
        ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
        Application::sees("written", results->global.kernelEnd != 0);
        Application::sees("same", results->global.kernelEnd == times.global.kernelEnd);
        Application::sees("status", zeEventQueryStatus(event));
    }
}
TEST(ActivityView, TimestampsAreTheApplications) { looksTheSame("timestampsAreTheApplications"); }

/// What a pool says that it was made with, where the loader exports the function (1.20 does; what drivers hand out
/// by name is theirs, docs/reference/device-activity.md).
SCENARIO(poolFlagsAreTheApplications) {
    const Application application;
    const auto flagsOf = reinterpret_cast<decltype(&zeEventPoolGetFlags)>(dlsym(RTLD_DEFAULT, "zeEventPoolGetFlags"));
    Application::sees("exported", flagsOf != nullptr);
    if (!flagsOf) return;
    for (const auto made : {ze_event_pool_flags_t{0}, ze_event_pool_flags_t{ZE_EVENT_POOL_FLAG_HOST_VISIBLE}, kTimed}) {
        ze_event_pool_flags_t flags = 99;
        EXPECT_OK(flagsOf(application.gpu->pool(1, made), &flags));
        EXPECT_EQ(flags, made);
    }
    ze_event_pool_flags_t untouched = 99;
    Application::sees("no pool", flagsOf(nullptr, &untouched));
    Application::sees("no place", flagsOf(application.gpu->pool(1), nullptr));
    EXPECT_EQ(untouched, 99u);
}
TEST(ActivityView, PoolFlagsAreTheApplications) {
    looksTheSame("poolFlagsAreTheApplications");
    if (!dlsym(RTLD_DEFAULT, "zeEventPoolGetFlags")) GTEST_SKIP() << "this loader does not export zeEventPoolGetFlags";
}

/// A list that signals an event and resets it, executed twice, with a list between that waits for it.
SCENARIO(eventsOfListsStayAsTheyWere) {
    const Application application;
    const Gpu& gpu = *application.gpu;
    const auto pool = gpu.pool(2);
    auto first = Gpu::event(pool, 0);
    const auto second = Gpu::event(pool, 1);
    const auto kernel = writingKernel(gpu, gpu.shared<std::uint32_t>(64));
    auto list = gpu.list();
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, first, 0, nullptr));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, second, 1, &first));
    ASSERT_OK(zeCommandListAppendEventReset(list, first));
    ASSERT_OK(zeCommandListClose(list));
    const auto queue = gpu.queue();
    for (int run = 0; run < 2; ++run) {
        ASSERT_OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr));
        ASSERT_OK(zeCommandQueueSynchronize(queue, UINT64_MAX));
        Application::sees("first", zeEventQueryStatus(first));
        Application::sees("second", zeEventQueryStatus(second));
        ASSERT_OK(zeEventHostReset(second));
    }
}
TEST(ActivityView, EventsOfListsStayAsTheyWere) { looksTheSame("eventsOfListsStayAsTheyWere"); }

/// Two executions of one list in one call, which the collector cannot tell apart: the application has both, the
/// collector says what it missed.
SCENARIO(aListExecutedTwiceAtOnceIsExecutedTwice) {
    const Application application;
    const Gpu& gpu = *application.gpu;
    auto* const counter = gpu.shared<std::uint32_t>(64);
    const auto kernel = writingKernel(gpu, counter);
    auto list = gpu.list();
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListClose(list));
    const auto queue = gpu.queue();
    for (int run = 0; run < 2; ++run) ASSERT_OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr));
    ASSERT_OK(zeCommandQueueSynchronize(queue, UINT64_MAX));
    Application::sees("written", counter[63]);
    if (!application.watched) return;
    application.watched->collector->readComplete();
    const auto missing = application.watched->collector->missing();
    EXPECT_EQ(application.watched->spans.of(activity::Work::kernel).size() + missing.commands, 2u);
    EXPECT_EQ(missing.unread, 0u);
}
TEST(ActivityView, AListExecutedTwiceAtOnceIsExecutedTwice) { looksTheSame("aListExecutedTwiceAtOnceIsExecutedTwice"); }

/// Pools for other processes keep their flags; what they signal is not measured.
SCENARIO(sharedPoolsAreLeftAlone) {
    const Application application;
    const Gpu& gpu = *application.gpu;
    const auto pool = gpu.pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_IPC);
    const auto event = Gpu::event(pool);
    ze_ipc_event_pool_handle_t shared{};
    Application::sees("shared", zeEventPoolGetIpcHandle(pool, &shared));
    const auto list = gpu.immediate();
    ASSERT_OK(zeCommandListAppendBarrier(list, event, 0, nullptr));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    ze_kernel_timestamp_result_t times{};
    Application::sees("times", zeEventQueryKernelTimestamp(event, &times));
    if (!application.watched) return;
    application.watched->collector->readComplete();
    EXPECT_TRUE(application.watched->spans.all.empty());
    EXPECT_EQ(application.watched->collector->missing().commands, 1u);
}
TEST(ActivityView, SharedPoolsAreLeftAlone) { looksTheSame("sharedPoolsAreLeftAlone"); }

/// Everything of a list has spans, in order where the list is.
void immediateSpans(ze_command_queue_flags_t flags) {
    Watched watched;
    const Gpu gpu;
    const auto kernel = writingKernel(gpu, gpu.shared<std::uint32_t>(64));
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, flags);
    constexpr std::size_t kLaunches = 20;
    for (std::size_t i = 0; i < kLaunches; ++i)
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    watched.collector->readComplete();
    const auto kernels = watched.spans.of(activity::Work::kernel);
    ASSERT_EQ(kernels.size(), kLaunches);
    for (const activity::Span& span : kernels) EXPECT_GE(span.end, span.begin);
    const std::size_t ordered = flags & ZE_COMMAND_QUEUE_FLAG_IN_ORDER ? kLaunches : 0;
    for (std::size_t i = 1; i < ordered; ++i) EXPECT_GE(kernels[i].begin, kernels[i - 1].end) << i;
    EXPECT_EQ(watched.collector->missing().commands, 0u);
}
SCENARIO(outOfOrderSpans) { immediateSpans(0); }
SCENARIO(inOrderSpans) { immediateSpans(ZE_COMMAND_QUEUE_FLAG_IN_ORDER); }
TEST(ActivityView, OutOfOrderSpans) { EXPECT_RUNS(watched("outOfOrderSpans")); }
TEST(ActivityView, InOrderSpans) { EXPECT_RUNS(watched("inOrderSpans")); }

/// The whole device and each of its tiles: streams are of the device that their list was made on.
SCENARIO(tilesHaveStreamsOfTheirOwn) {
    Watched watched;
    const Gpu gpu;
    auto devices = [&] {
        std::uint32_t count = 0;
        EXPECT_OK(zeDeviceGetSubDevices(gpu.device(), &count, nullptr));
        std::vector<ze_device_handle_t> tiles(count);
        EXPECT_OK(zeDeviceGetSubDevices(gpu.device(), &count, tiles.data()));
        return tiles;
    }();
    ASSERT_EQ(devices.size(), 2u);
    devices.push_back(gpu.device());
    for (auto* const device : devices) {
        const Gpu part = gpu.on(device);
        const auto kernel = writingKernel(part, part.shared<std::uint32_t>(64));
        const auto list = part.immediate();
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
        ASSERT_OK(part.synchronize(list, UINT64_MAX));
    }
    watched.collector->readComplete();
    const auto kernels = watched.spans.of(activity::Work::kernel);
    ASSERT_EQ(kernels.size(), devices.size());
    for (std::size_t i = 0; i < devices.size(); ++i) {
        EXPECT_EQ(watched.spans.streams[kernels[i].stream].device, devices[i]) << i;
    }
    for (std::size_t i = 1; i < kernels.size(); ++i)
        EXPECT_GE(kernels[i].begin, kernels[i - 1].end) << "one clock for all tiles";
}
TEST(ActivityView, TilesHaveStreamsOfTheirOwn) {
    EXPECT_RUNS(
        watched("tilesHaveStreamsOfTheirOwn", "small-two-by-two").with("ZE_FLAT_DEVICE_HIERARCHY", "COMPOSITE"));
}

}  // namespace
}  // namespace zetl::test
