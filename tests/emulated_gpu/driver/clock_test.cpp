// Timestamps of the width that the device says, across their wraps, and the same in all processes of a host.
#include <time.h>

#include <iostream>

#include "emulated_gpu/fast_clock.h"
#include "emulated_gpu/gpu.h"
#include "support/pattern.h"
#include "support/scenario.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

constexpr std::uint64_t maskOf(std::uint32_t bits) { return (std::uint64_t{1} << bits) - 1; }

ze_device_properties_t propertiesOf(const Gpu& gpu, ze_structure_type_t type) {
    ze_device_properties_t properties{};
    properties.stype = type;
    EXPECT_OK(zeDeviceGetProperties(gpu.device(), &properties));
    return properties;
}

std::uint64_t hostNow() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

// What public tools reckon with kernel timestamps in 64 bits, ticks * 1e9 / frequency and (mask + 1) * 1e9, must not
// overflow.
SCENARIO(widthsAreTheHardwares) {
    const Gpu gpu;
    const auto properties = propertiesOf(gpu, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2);
    EXPECT_EQ(properties.timestampValidBits, 36u);
    EXPECT_EQ(properties.kernelTimestampValidBits, 32u);
    EXPECT_EQ(properties.timerResolution, 12'500'000u) << "ticks a second";
    EXPECT_EQ(propertiesOf(gpu, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES).timerResolution, 80u) << "nanoseconds";
    EXPECT_LT(maskOf(properties.kernelTimestampValidBits) + 1, UINT64_MAX / 1'000'000'000);
}
TEST(Clocks, WidthsAreTheHardwares) { EXPECT_RUNS(emulated("widthsAreTheHardwares", "max1550")); }

/// One launch's times, as every function gives them.
struct Times {
    /// of the global clock, written by the device
    std::uint64_t before;
    std::uint64_t after;
    ze_kernel_timestamp_result_t queried;
    ze_kernel_timestamp_result_t appended;
    ze_synchronized_timestamp_result_ext_t mapped;
};

class TimedLaunches {
  public:
    explicit TimedLaunches(const Gpu& gpu)
        : gpu_(gpu),
          list_(gpu.immediate()),
          event_(Gpu::event(gpu.pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP))),
          kernel_(gpu.kernel("writeIds", 64)),
          stamps_(gpu.shared<std::uint64_t>(2)),
          results_(gpu.shared<ze_kernel_timestamp_result_t>(1)) {
        Gpu::arguments(kernel_, gpu.shared<std::uint32_t>(64), std::uint32_t{1});
    }

    Times run() {
        EXPECT_OK(zeEventHostReset(event_));
        EXPECT_OK(zeCommandListAppendWriteGlobalTimestamp(list_, &stamps_[0], nullptr, 0, nullptr));
        EXPECT_OK(zeCommandListAppendLaunchKernel(list_, kernel_, &kOneGroup, event_, 0, nullptr));
        EXPECT_OK(zeCommandListAppendWriteGlobalTimestamp(list_, &stamps_[1], nullptr, 0, nullptr));
        EXPECT_OK(zeCommandListAppendQueryKernelTimestamps(list_, 1, &event_, results_, nullptr, nullptr, 0, nullptr));
        EXPECT_OK(gpu_.synchronize(list_, UINT64_MAX));
        Times times{stamps_[0], stamps_[1], {}, results_[0], {}};
        EXPECT_OK(zeEventQueryKernelTimestamp(event_, &times.queried));
        std::uint32_t count = 1;
        ze_event_query_kernel_timestamps_results_ext_properties_t out{};
        out.pSynchronizedTimestampsBuffer = &times.mapped;
        const auto query = gpu_.function<decltype(zeEventQueryKernelTimestampsExt)>("zeEventQueryKernelTimestampsExt");
        EXPECT_OK(query(event_, gpu_.device(), &count, &out));
        return times;
    }

  private:
    const Gpu& gpu_;
    const ze_command_list_handle_t list_;
    ze_event_handle_t event_;
    const ze_kernel_handle_t kernel_;
    std::uint64_t* const stamps_;
    ze_kernel_timestamp_result_t* const results_;
};

void expectInOrder(const Times& times) {
    constexpr std::uint64_t kKernel = maskOf(kFastKernelBits);
    constexpr std::uint64_t kGlobal = maskOf(kFastGlobalBits);
    constexpr std::uint64_t kHalf = (kKernel + 1) / 2;
    const auto start = times.queried.global.kernelStart;
    const auto end = times.queried.global.kernelEnd;
    EXPECT_LE(times.before | times.after, kGlobal);
    EXPECT_LE(start | end, kKernel);
    EXPECT_EQ(times.queried.context.kernelStart, start);
    EXPECT_EQ(times.appended.global.kernelStart, start);
    EXPECT_EQ(times.appended.global.kernelEnd, end);
    EXPECT_LT((start - times.before) & kKernel, kHalf);
    EXPECT_LT((end - start) & kKernel, kHalf);
    EXPECT_LT((times.after - end) & kKernel, kHalf);
    EXPECT_LT((times.after - times.before) & kGlobal, kHalf);
    EXPECT_EQ(times.mapped.global.kernelEnd - times.mapped.global.kernelStart, (end - start) & kKernel);
}

// A clock of 1 GHz makes the 32 bits of kernel timestamps wrap every 4.3 s and the 33 of the global clock every 8.6 s.
SCENARIO(timestampsWrap) {
    const Gpu gpu;
    ASSERT_EQ(propertiesOf(gpu, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2).timestampValidBits, kFastGlobalBits);
    TimedLaunches launches(gpu);
    std::uint64_t lastGlobal = 0;
    std::uint64_t lastKernel = 0;
    std::uint64_t globalWraps = 0;
    std::uint64_t kernelWraps = 0;
    while (globalWraps == 0 || kernelWraps == 0) {  // either may be first, or both between two readings
        const auto host = hostNow();
        const Times times = launches.run();
        expectInOrder(times);
        EXPECT_GE(times.mapped.global.kernelStart, host);
        EXPECT_LE(times.mapped.global.kernelEnd, hostNow());
        kernelWraps += times.queried.global.kernelEnd < lastKernel;
        globalWraps += times.after < lastGlobal;
        lastKernel = times.queried.global.kernelEnd;
        lastGlobal = times.after;
        std::uint64_t now[2];
        ASSERT_OK(zeDeviceGetGlobalTimestamps(gpu.device(), &now[0], &now[1]));
        EXPECT_LE(now[1], maskOf(kFastGlobalBits));
        EXPECT_LT((now[1] - lastGlobal) & maskOf(kFastGlobalBits), maskOf(kFastKernelBits));
        EXPECT_LT(hostNow() - now[0], 4'000'000'000u);
        letPass(std::chrono::milliseconds(5));
    }
}
TEST(Clocks, TimestampsWrap) {
    const FastClockProfile profile;
    EXPECT_RUNS(emulated("timestampsWrap", profile.path()));
}

SCENARIO(tellTheTime) {
    const Gpu gpu;
    std::uint64_t host = 0;
    std::uint64_t device = 0;
    const auto before = hostNow();
    ASSERT_OK(zeDeviceGetGlobalTimestamps(gpu.device(), &host, &device));
    EXPECT_LE(before, host);
    EXPECT_LE(host, hostNow()) << "the host time is that of this process";
    std::cout << "\ndevice=" << device << "\n";
}

std::uint64_t deviceTime(const Process& process) {
    const Outcome outcome = process.run();
    EXPECT_TRUE(outcome.good()) << outcome;
    const auto told = matchesOf("\ndevice=([0-9]+)", outcome.output);
    if (!told.empty()) return std::stoull(told[0][1]);
    ADD_FAILURE() << outcome;
    return 0;
}

constexpr std::uint64_t kMinute = 60 * std::uint64_t{12'500'000};

/// Ticks from one time to another of the 36-bit clock.
std::uint64_t distance(std::uint64_t from, std::uint64_t to) { return (to - from) & maskOf(36); }

// A container may run in a time namespace, whose monotonic clocks are others. 5,000,000 s are no multiple of the 5497 s
// in which the clock wraps. Where the kernel gives no such namespace, Clock.ProcessesOfTwoTimeNamespacesAgree stands
// in.
TEST(Clocks, ATimeNamespaceHasTheHostsDeviceTime) {
    const std::vector<std::string> inside{"/usr/bin/unshare", "--user",  "--map-root-user", "--time",
                                          "--monotonic",      "5000000", "--fork",          "--kill-child"};
    auto allowed = inside;
    allowed.emplace_back("/bin/true");
    const auto first = deviceTime(emulated("tellTheTime"));
    if (!Process(allowed).run().good()) {
        std::cout << "the kernel gives no time namespace here\n";
        return;
    }
    const auto second = deviceTime(emulated("tellTheTime").under(inside));
    EXPECT_LT(distance(first, second), kMinute);
}

TEST(Clocks, AheadBringsAWrapNearer) {
    const auto first = deviceTime(emulated("tellTheTime"));
    const auto ahead = deviceTime(emulated("tellTheTime").with("ZETL_EMULATED_CLOCK_AHEAD", "1000000000000"));
    EXPECT_LT(distance(first + 12'500'000'000, ahead), kMinute);
    const auto back = deviceTime(emulated("tellTheTime").with("ZETL_EMULATED_CLOCK_AHEAD", "-5"));
    EXPECT_LT(distance(first, back), 2 * kMinute);
}

}  // namespace
}  // namespace zetl::test
