// Calls that fail on purpose (ZETL_FAIL), as a program below the stock loader sees them.
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "layer/tracer.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

using Codes = std::vector<ze_result_t>;
constexpr auto kGood = ZE_RESULT_SUCCESS;
constexpr auto kNoMemory = ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
constexpr auto kLost = ZE_RESULT_ERROR_DEVICE_LOST;

ze_result_t allocate(std::size_t size, void** pointer) {
    const auto& objects = Objects::get();
    ze_device_mem_alloc_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
    return zeMemAllocDevice(objects.context, &description, size, 64, objects.device, pointer);
}

Codes allocations(unsigned times, std::size_t size = 4096) {
    Codes codes(times);
    for (auto& code : codes) {
        void* pointer = nullptr;
        code = allocate(size, &pointer);
    }
    return codes;
}

SCENARIO(thirdAllocationFails) { EXPECT_EQ(allocations(4), (Codes{kGood, kGood, kNoMemory, kGood})); }
TEST(FailingCalls, TheNthCallFailsAndIsLogged) {
    for (const Slots slots : {Slots::tracing, Slots::validation, Slots::both}) {
        const auto outcome = fresh("thirdAllocationFails", slots)
                                 .with("ZETL_FAIL", "zeMemAllocDevice:3=OUT_OF_DEVICE_MEMORY")
                                 .with("ZETL_LOG", "error")
                                 .run();
        EXPECT_TRUE(outcome.good()) << outcome;
        EXPECT_EQ(outcome.times("zeMemAllocDevice: fails on purpose with OUT_OF_DEVICE_MEMORY, call 3 of the rule "
                                "'zeMemAllocDevice:3=OUT_OF_DEVICE_MEMORY'"),
                  1u)
            << outcome;
    }
}

SCENARIO(largeAllocationsFail) {
    EXPECT_EQ(allocations(2), (Codes{kGood, kGood}));
    EXPECT_EQ(allocations(2, 1 << 20), (Codes{kNoMemory, kNoMemory}));
}
TEST(FailingCalls, BySize) {
    EXPECT_RUNS(fresh("largeAllocationsFail").with("ZETL_FAIL", "memory:size=1M=OUT_OF_DEVICE_MEMORY"));
}

SCENARIO(memoryIsSmall) {
    const auto& objects = Objects::get();
    void* pointers[2] = {};
    EXPECT_EQ(allocate(6000, &pointers[0]), kGood);
    EXPECT_EQ(allocate(6000, &pointers[1]), kNoMemory);
    EXPECT_EQ(zeMemFree(objects.context, pointers[0]), kGood);
    EXPECT_EQ(allocate(6000, &pointers[1]), kGood);
}
TEST(FailingCalls, MemoryCanBeSmall) { EXPECT_RUNS(fresh("memoryIsSmall").with("ZETL_FAIL", "memory=limit:10K")); }

SCENARIO(deviceIsLostAtTheSecondBarrier) {
    EXPECT_EQ((Codes{barrier(), barrier(), barrier()}), (Codes{kGood, kLost, kLost}));
    EXPECT_EQ(allocations(1), Codes{kLost});
    EXPECT_EQ(zeContextDestroy(Objects::get().context), kGood) << "what releases works";
}
TEST(FailingCalls, ALostDeviceStaysLost) {
    EXPECT_RUNS(fresh("deviceIsLostAtTheSecondBarrier").with("ZETL_FAIL", "zeCommandListAppendBarrier:2=device-lost"));
}

SCENARIO(deviceIsLostAfterTheSecondBarrier) {
    EXPECT_EQ((Codes{barrier(), barrier(), barrier()}), (Codes{kGood, kGood, kLost}));
}
TEST(FailingCalls, ADeviceCanBeLostLater) {
    EXPECT_RUNS(
        fresh("deviceIsLostAfterTheSecondBarrier").with("ZETL_FAIL", "zeCommandListAppendBarrier:2=device-lost-later"));
}

/// The tracer sees what fails; a call from its callback, which is a tool's, does not count.
SCENARIO(tracerSeesTheFailure) {
    BarrierTracer tracer;
    Codes seen;
    tracer.onPrologue = [](BarrierParams&, void**) { EXPECT_EQ(barrier(), kGood); };
    tracer.onEpilogue = [&](BarrierParams&, ze_result_t result, void**) { seen.push_back(result); };
    EXPECT_EQ(tracer.enable(), kGood);
    EXPECT_EQ((Codes{barrier(), barrier(), barrier()}), (Codes{kGood, kNoMemory, kGood}));
    EXPECT_EQ(seen, (Codes{kGood, kNoMemory, kGood}));
}
TEST(FailingCalls, TracersSeeThemAndDoNotCount) {
    EXPECT_RUNS(fresh("tracerSeesTheFailure").with("ZETL_FAIL", "zeCommandListAppendBarrier:2=OUT_OF_DEVICE_MEMORY"));
}

SCENARIO(initFails) { EXPECT_EQ(zeInit(0), ZE_RESULT_ERROR_UNINITIALIZED); }
TEST(FailingCalls, InitFails) { EXPECT_RUNS(fresh("initFails").with("ZETL_FAIL", "zeInit=UNINITIALIZED")); }

SCENARIO(nothingFails) { EXPECT_EQ(allocations(2), (Codes{kGood, kGood})); }
TEST(FailingCalls, WhatIsNoRuleIsLoggedAndIgnored) {
    const auto outcome =
        fresh("nothingFails").with("ZETL_FAIL", "zeMemAlocDevice=hang").with("ZETL_LOG", "error").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_EQ(outcome.times("ZETL_FAIL: there is no function or group 'zeMemAlocDevice'"), 1u) << outcome;
}

SCENARIO(childGoesOn) {
    EXPECT_EQ(allocations(1), Codes{kGood});
    const pid_t child = fork();
    if (child == 0) _exit(allocations(2) == Codes{kNoMemory, kGood} ? 0 : 1);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}
TEST(FailingCalls, AForkedChildGoesOnCounting) {
    EXPECT_RUNS(fresh("childGoesOn").with("ZETL_FAIL", "zeMemAllocDevice:2=OUT_OF_DEVICE_MEMORY;memory=limit:1G"));
}

/// The log, which standard error leads into a pipe, says when the call has begun.
SCENARIO(callHangs) {
    Objects::get();
    int ends[2] = {};
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_GE(dup2(ends[1], STDERR_FILENO), 0);
    std::thread([] {
        barrier();
        _exit(1);
    }).detach();
    std::string log;
    char text[256];
    while (log.find("hangs on purpose") == std::string::npos) {
        const ssize_t size = read(ends[0], text, sizeof text);
        ASSERT_GT(size, 0);
        log.append(text, static_cast<std::size_t>(size));
    }
    _exit(0);
}
TEST(FailingCalls, ACallCanHang) {
    EXPECT_RUNS(fresh("callHangs").with("ZETL_FAIL", "zeCommandListAppendBarrier=hang").with("ZETL_LOG", "error"));
}

}  // namespace
}  // namespace zetl::test
