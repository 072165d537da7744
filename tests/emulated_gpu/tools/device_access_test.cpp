// The emulated driver as a provider of device access, asked as any program may ask it.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "device/access.h"
#include "device/conformance.h"
#include "device/devices.h"
#include "emulated_gpu/gpu.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

const zetl_device_access_t& accessOf(const Gpu& gpu) {
    using Get = const zetl_device_access_t*(std::uint32_t);
    return *gpu.function<Get>(ZETL_DEVICE_ACCESS_FUNCTION)(ZETL_DEVICE_ACCESS_VERSION);
}

SCENARIO(deviceAccessConforms) {
    const Gpu gpu;
    for (const auto& finding : device::behaviourViolations(accessOf(gpu))) ADD_FAILURE() << finding;
    EXPECT_TRUE(device::Access::ofDriver(gpu.driver(), zeDriverGetExtensionFunctionAddress));
    using Get = const zetl_device_access_t*(std::uint32_t);
    EXPECT_EQ(gpu.function<Get>(ZETL_DEVICE_ACCESS_FUNCTION)(0), nullptr) << "there is no version 0";
}
TEST(ToolsAccess, Conforms) { EXPECT_RUNS(emulated("deviceAccessConforms")); }
TEST(ToolsAccess, ConformsWithTwoTiles) { EXPECT_RUNS(emulated("deviceAccessConforms", "max1550-two-tiles")); }
TEST(ToolsAccess, ConformsWithTwoDevices) { EXPECT_RUNS(emulated("deviceAccessConforms", "two-devices")); }

SCENARIO(topologyIsTheDevices) {
    const Gpu gpu;
    device::CoreCalls core;
    core.deviceGetProperties = zeDeviceGetProperties;
    device::Devices devices(core);
    devices.add(*device::Access::adopt(&accessOf(gpu)));
    const auto found = devices.find(gpu.device());
    ASSERT_TRUE(found);
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &properties));
    const auto counts = (*found)->threadCounts();
    EXPECT_EQ(counts[0], properties.numSlices);
    EXPECT_EQ(counts[1], properties.numSubslicesPerSlice);
    EXPECT_EQ(counts[2], properties.numEUsPerSubslice);
    EXPECT_EQ(counts[3], properties.numThreadsPerEU);
    EXPECT_STREQ((*found)->info().name, properties.name);
}
TEST(ToolsAccess, TopologyIsTheDevices) { EXPECT_RUNS(emulated("topologyIsTheDevices")); }
TEST(ToolsAccess, TopologyCountsTheSlicesOfAllTiles) {
    EXPECT_RUNS(emulated("topologyIsTheDevices", "max1550-two-tiles"));
}

SCENARIO(clocksAreThoseOfTheApi) {
    const Gpu gpu;
    const auto& clocks = *accessOf(gpu).clocks;
    std::uint64_t host = 0;
    std::uint64_t ticks = 0;
    ASSERT_OK(zeDeviceGetGlobalTimestamps(gpu.device(), &host, &ticks));
    std::uint64_t converted = 0;
    std::uint64_t uncertainty = 0;
    ASSERT_EQ(clocks.convert(1, ZETL_CLOCK_DEVICE, ZETL_CLOCK_HOST_MONOTONIC, ticks, &converted, &uncertainty),
              ZETL_OK);
    const auto distance = converted > host ? converted - host : host - converted;
    EXPECT_LE(distance, 1'000'000u) << "the pair was read within a millisecond";
    zetl_clock_pair_t first{};
    zetl_clock_pair_t second{};
    first.size = second.size = sizeof first;
    ASSERT_EQ(clocks.snapshot(1, ZETL_CLOCK_DEVICE, ZETL_CLOCK_HOST_MONOTONIC, &first), ZETL_OK);
    ASSERT_EQ(clocks.snapshot(1, ZETL_CLOCK_DEVICE, ZETL_CLOCK_HOST_MONOTONIC, &second), ZETL_OK);
    EXPECT_GT(first.ticks_a, ticks);
    EXPECT_GT(second.ticks_a, first.ticks_a);
}
TEST(ToolsAccess, ClocksAreThoseOfTheApi) { EXPECT_RUNS(emulated("clocksAreThoseOfTheApi")); }

struct Seen {
    int binaries = 0;
    std::vector<std::uint8_t> copy;
};

SCENARIO(rewriterSeesBinariesBeforeTheyAreLoaded) {
    const Gpu gpu;
    const auto& modules = *accessOf(gpu).modules;
    Seen seen;
    const zetl_rewriter_t rewriter = [](void* user, zetl_device_t, std::uint32_t kind, const void* image,
                                        std::uint64_t bytes, std::uint64_t* newBytes) -> const void* {
        auto& mine = *static_cast<Seen*>(user);
        ++mine.binaries;
        EXPECT_EQ(kind, static_cast<std::uint32_t>(ZETL_IMAGE_ZEBIN));
        mine.copy.assign(static_cast<const std::uint8_t*>(image), static_cast<const std::uint8_t*>(image) + bytes);
        *newBytes = mine.copy.size();
        return mine.copy.data();
    };
    ASSERT_EQ(modules.rewrite_before_load(rewriter, &seen), ZETL_OK);
    const auto kernel = gpu.kernel("writeIds", 16);
    EXPECT_EQ(seen.binaries, 1);
    auto* out = gpu.shared<std::uint32_t>(16);
    Gpu::arguments(kernel, out, std::uint32_t{5});
    const auto list = gpu.list();
    const ze_group_count_t one{1, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &one, nullptr, 0, nullptr));
    ASSERT_OK(gpu.run(list));
    EXPECT_EQ(out[15], 75u);
    ASSERT_EQ(modules.rewrite_before_load(nullptr, nullptr), ZETL_OK);
    gpu.module();
    EXPECT_EQ(seen.binaries, 1);
}
TEST(ToolsAccess, RewriterSeesBinariesBeforeTheyAreLoaded) {
    EXPECT_RUNS(emulated("rewriterSeesBinariesBeforeTheyAreLoaded"));
}

/// Runs the kernel that writes ids once.
void launchOnce(const Gpu& gpu) {
    const auto kernel = gpu.kernel("writeIds", 16);
    Gpu::arguments(kernel, gpu.shared<std::uint32_t>(16), std::uint32_t{5});
    const auto list = gpu.list();
    const ze_group_count_t one{1, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &one, nullptr, 0, nullptr));
    ASSERT_OK(gpu.run(list));
}

SCENARIO(samplesNameInstructionsOfModules) {
    const Gpu gpu;
    const auto& access = accessOf(gpu);
    std::uint32_t count = 0;
    ASSERT_EQ(access.sampling->reasons("any", 0, nullptr, &count), ZETL_OK);
    std::vector<const char*> names(count);
    ASSERT_EQ(access.sampling->reasons("any", count, names.data(), &count), ZETL_OK);
    ASSERT_EQ(names.size(), 9u);
    EXPECT_STREQ(names[0], "Active");
    EXPECT_STREQ(names[5], "SbidStall");

    zetl_lease_t lease = 0;
    ASSERT_EQ(access.counters->acquire(1, ZETL_SOURCE_SAMPLING, &lease), ZETL_OK);
    zetl_stream_options_t options{sizeof options, 0, 1000, 1'000'000};
    zetl_stream_t stream = 0;
    ASSERT_EQ(access.sampling->open(lease, &options, &stream), ZETL_OK);
    EXPECT_GT(options.period_ns, 0u);
    std::uint64_t waiting = 1;
    zetl_loss_t loss{};
    ASSERT_EQ(access.sampling->drain(stream, 0, nullptr, &waiting, &loss), ZETL_OK);
    EXPECT_EQ(waiting, 0u) << "idle";
    launchOnce(gpu);
    ASSERT_EQ(access.sampling->drain(stream, 0, nullptr, &waiting, &loss), ZETL_OK);
    ASSERT_GT(waiting, 1u);
    // In two parts, which together are everything.
    std::vector<zetl_sample_t> samples(waiting);
    std::uint64_t first = 0;
    std::uint64_t rest = 0;
    ASSERT_EQ(access.sampling->drain(stream, 1, samples.data(), &first, &loss), ZETL_OK);
    ASSERT_EQ(access.sampling->drain(stream, waiting, samples.data() + first, &rest, &loss), ZETL_OK);
    EXPECT_EQ(first + rest, waiting);
    EXPECT_EQ(loss.kind, static_cast<std::uint32_t>(ZETL_LOSS_NONE));
    bool awaited = false;
    for (const zetl_sample_t& sample : samples) {
        zetl_module_info_t info{};
        info.size = sizeof info;
        ASSERT_EQ(access.modules->describe(sample.module, &info), ZETL_OK);
        EXPECT_LT(sample.address - info.load_address, info.code_bytes);
        EXPECT_GT(sample.count, 0u);
        EXPECT_LT(sample.reason, names.size());
        awaited |= std::strcmp(names[sample.reason], "SbidStall") == 0;
    }
    EXPECT_TRUE(awaited) << "the arguments are loaded from memory";
    ASSERT_EQ(access.sampling->drain(stream, waiting, samples.data(), &rest, &loss), ZETL_OK);
    EXPECT_EQ(rest, 0u);
    EXPECT_EQ(access.sampling->close(stream), ZETL_OK);
    EXPECT_EQ(access.sampling->close(stream), ZETL_GONE);
    EXPECT_EQ(access.counters->release(lease), ZETL_OK);
    EXPECT_EQ(access.sampling->open(lease, &options, &stream), ZETL_GONE);
}
TEST(ToolsAccess, SamplesNameInstructionsOfModules) { EXPECT_RUNS(emulated("samplesNameInstructionsOfModules")); }
TEST(ToolsAccess, SamplesOfTwoTiles) { EXPECT_RUNS(emulated("samplesNameInstructionsOfModules", "max1550-two-tiles")); }

SCENARIO(samplesBeyondTheCapacityAreToldAsLoss) {
    const Gpu gpu;
    const auto& access = accessOf(gpu);
    zetl_lease_t lease = 0;
    ASSERT_EQ(access.counters->acquire(1, ZETL_SOURCE_SAMPLING, &lease), ZETL_OK);
    zetl_stream_options_t options{sizeof options, 0, 1, 3};
    zetl_stream_t stream = 0;
    ASSERT_EQ(access.sampling->open(lease, &options, &stream), ZETL_OK);
    launchOnce(gpu);
    std::vector<zetl_sample_t> samples(1000);
    std::uint64_t count = 0;
    std::uint64_t kept = 0;
    zetl_loss_t loss{};
    ASSERT_EQ(access.sampling->drain(stream, samples.size(), samples.data(), &count, &loss), ZETL_OK);
    for (std::uint64_t i = 0; i < count; ++i) kept += samples[i].count;
    EXPECT_EQ(kept, 3u);
    EXPECT_EQ(loss.kind, static_cast<std::uint32_t>(ZETL_LOSS_GAP));
    EXPECT_GT(loss.reports, 0u);
    EXPECT_EQ(access.sampling->close(stream), ZETL_OK);
}
TEST(ToolsAccess, SamplesBeyondTheCapacityAreToldAsLoss) {
    EXPECT_RUNS(emulated("samplesBeyondTheCapacityAreToldAsLoss"));
}

/// What calls on streams answer in a forked child: 0 if all of it is right.
int answersInChild(const zetl_device_access_t& access, zetl_lease_t lease, zetl_stream_t sampling,
                   zetl_stream_t commands) {
    constexpr zetl_stream_t kUnknown = 1'000'000;
    std::uint64_t count = 0;
    zetl_loss_t loss{};
    const zetl_status_t told[] = {
        access.sampling->pending(sampling, &count),
        access.sampling->pending(kUnknown, &count),
        access.sampling->drain(sampling, 0, nullptr, &count, &loss),
        access.streams->pending(kUnknown, &count),
        access.streams->start(kUnknown),
        access.streams->stop(kUnknown),
        access.commands->pending(commands, &count),
        access.sampling->close(sampling),
        access.streams->close(kUnknown),
        access.counters->release(lease),
        access.counters->query_reset(kUnknown, 0),
        access.targets->release(kUnknown, 0),
    };
    int wrong = 0;
    for (const auto status : told) wrong += status != ZETL_LOST;
    return wrong;
}

/// Forked while another thread has the tables' locks now and then: no id is looked up.
SCENARIO(streamsAreLostInAForkedChild) {
    const Gpu gpu;
    const auto& access = accessOf(gpu);
    zetl_lease_t lease = 0;
    ASSERT_EQ(access.counters->acquire(1, ZETL_SOURCE_SAMPLING, &lease), ZETL_OK);
    zetl_stream_options_t options{sizeof options, 0, 1000, 1000};
    zetl_stream_t sampling = 0;
    ASSERT_EQ(access.sampling->open(lease, &options, &sampling), ZETL_OK);
    std::uint64_t capacity = 16;
    zetl_stream_t commands = 0;
    ASSERT_EQ(access.commands->open(1, &capacity, &commands), ZETL_OK);

    std::atomic<bool> over{false};
    std::thread other([&] {
        while (!over) {
            zetl_stream_options_t again{sizeof again, 0, 1000, 1000};
            zetl_stream_t stream = 0;
            if (access.sampling->open(lease, &again, &stream) == ZETL_OK) access.sampling->close(stream);
        }
    });
    constexpr int kForks = 20;
    for (int i = 0; i < kForks; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            _exit(answersInChild(access, lease, sampling, commands));
        }
        int status = -1;
        EXPECT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    over = true;
    other.join();
    EXPECT_EQ(access.sampling->close(sampling), ZETL_OK);
    EXPECT_EQ(access.commands->close(commands), ZETL_OK);
}
TEST(ToolsAccess, StreamsAreLostInAForkedChild) { EXPECT_RUNS(emulated("streamsAreLostInAForkedChild")); }

}  // namespace
}  // namespace zetl::test
