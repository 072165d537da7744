// Dispatches whose submitter waits at once: it runs their groups itself, and workers help with what is more than a few.
#include <dirent.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <xmmintrin.h>

#include <fstream>

#include "stop_events.h"

namespace zetl::emulator::machine::bench {
namespace {

const char* const kMixed =
    "kernel void mixed(global uint* out, uint base, uint rounds) {"
    "  uint x = base + get_global_id(0); for (uint i = 0; i < rounds; ++i) x = x * 1664525u + i;"
    "  out[get_global_id(0)] = x; }";

/// Threads of this process that execute groups.
std::uint32_t workerThreads() {
    std::uint32_t count = 0;
    DIR* const tasks = opendir("/proc/self/task");
    while (const dirent* const task = readdir(tasks)) {
        std::ifstream file(std::string("/proc/self/task/") + task->d_name + "/comm");
        std::string name;
        std::getline(file, name);
        count += name == "zetl-worker";
    }
    closedir(tasks);
    return count;
}

class Awaited : public testing::Test {
  protected:
    std::shared_ptr<Dispatch> run(KernelBench& bench, const Kernel& kernel, Extent groups,
                                  const std::vector<Argument>& arguments) {
        Launch launch = bench.prepare(kernel, {32, 1, 1}, groups, arguments);
        launch.awaited = true;
        auto dispatch = bench.tile().submit(std::move(launch));
        dispatch->wait();
        return dispatch;
    }
};

TEST_F(Awaited, AFewGroupsTakeNoOtherThread) {
    KernelBench bench("small", 4);
    const Kernel fill = bench.build(kMixed, "mixed");
    auto* out = bench.buffer(128);
    for (std::uint32_t i = 0; i < 20; ++i) {
        const auto dispatch = run(bench, fill, {4, 1, 1}, {out, i, 0u});
        ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
        EXPECT_EQ(dispatch->counts()[Counter::groups], 4u);
        ASSERT_EQ(out[127], 127 + i);
    }
    EXPECT_EQ(workerThreads(), 0u);
}

TEST_F(Awaited, ManyAreSharedWithWorkers) {
    constexpr std::uint32_t kGroups = 1000;
    KernelBench bench("small", 4);
    const Kernel fill = bench.build(kMixed, "mixed");
    auto* out = bench.buffer(32 * kGroups);
    const auto dispatch = run(bench, fill, {kGroups, 1, 1}, {out, 0u, 2000u});
    ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
    EXPECT_EQ(dispatch->counts()[Counter::groups], kGroups);
    EXPECT_TRUE(KernelBench::eventually([] { return workerThreads() > 0; })) << "they name themselves";
}

/// Together they take no more turns at a time than there are workers, and an endless one does not hold up the other.
TEST_F(Awaited, CallersWaitBesideEachOther) {
    KernelBench bench("small", 1);
    const Kernel spin =
        bench.build("kernel void spin(global volatile uint* go) { while (*go == 0) ; go[1] = 7; }", "spin");
    const Kernel fill = bench.build(kMixed, "mixed");
    auto* go = bench.buffer(2);
    auto* out = bench.buffer(64);
    std::thread other([&] { EXPECT_FALSE(run(bench, spin, {1, 1, 1}, {go})->fault()); });
    for (std::uint32_t i = 0; i < 5; ++i) {
        EXPECT_FALSE(run(bench, fill, {2, 1, 1}, {out, i, 0u})->fault());
        EXPECT_EQ(out[63], 63 + i);
    }
    std::atomic_ref(go[0]).store(1);
    other.join();
    EXPECT_EQ(go[1], 7u);
}

/// What lets groups go wakes a worker, not the caller, who only looks at whether he is needed.
TEST_F(Awaited, ADebuggerThatComesMeanwhileLosesNobody) {
    for (std::uint32_t round = 0; round < 10; ++round) {
        KernelBench bench("small", 1);
        const Kernel spin =
            bench.build("kernel void spin(global volatile uint* go) { while (*go == 0) ; go[1] = 7; }", "spin");
        auto* go = bench.buffer(2);
        std::atomic<bool> ended = false;
        std::thread caller([&] {
            EXPECT_FALSE(run(bench, spin, {1, 1, 1}, {go})->fault());
            ended = true;
        });
        EXPECT_TRUE(KernelBench::eventually([&] { return bench.tile().counters().counts[Counter::groups] == 1; }));
        StopEvents events;
        Control& control = bench.tile().control();
        EXPECT_TRUE(control.attach(events.sink()));
        for (std::uint64_t halts = 1; halts <= 2; ++halts) {
            control.halt({}, halts);
            while (events.waiting() < halts) std::this_thread::yield();
            EXPECT_GT(control.run({}), 0u);
        }
        std::atomic_ref(go[0]).store(1);
        EXPECT_TRUE(KernelBench::eventually([&] { return ended.load(); })) << round;
        control.halt({}, 3);  // lets it go where it was lost
        control.detach();
        caller.join();
    }
}

TEST_F(Awaited, TheCallersFloatingPointModeIsNoneOfTheKernels) {
    KernelBench bench("small", 1);
    const Kernel divide = bench.build(
        "kernel void divide(global float* out, float a, float b) {"
        "  uint i = get_global_id(0); out[2 * i] = (1.0f + a) / b; out[2 * i + 1] = a * a; }",
        "divide");
    auto* out = bench.buffer(64);
    const auto results = [&](float a, float b) {
        EXPECT_FALSE(run(bench, divide, {1, 1, 1}, {out, a, b})->fault());
        return std::vector<std::uint32_t>(out, out + 64);
    };
    const auto usualSum = results(0x1p-30f, 3);
    const auto usualQuotient = results(1, 0);
    constexpr std::uint32_t kOwn = 0x8040 | _MM_ROUND_UP | _MM_MASK_INEXACT;  // traps, and flushes
    const std::uint32_t before = _mm_getcsr();
    _mm_setcsr(kOwn);
    const auto sum = results(0x1p-30f, 3);
    const auto quotient = results(1, 0);
    const std::uint32_t after = _mm_getcsr();
    _mm_setcsr(before);
    EXPECT_EQ(after, kOwn);
    EXPECT_EQ(sum, usualSum);
    EXPECT_EQ(quotient, usualQuotient);
}

TEST_F(Awaited, ACallersStackMayBeSmall) {
    KernelBench bench("small", 2);
    const Kernel rotate = bench.build(
        "kernel void rotate(global uint* out, local uint* shared) { uint i = get_local_id(0);"
        "  shared[i] = i * i; barrier(CLK_LOCAL_MEM_FENCE);"
        "  out[get_global_id(0)] = sub_group_broadcast(shared[(i + 1) % 32], 0) + shared[(i + 1) % 32]; }",
        "rotate");
    auto* out = bench.buffer(32 * 100);
    Launch launch = bench.prepare(rotate, {32, 1, 1}, {100, 1, 1}, {out, Argument::local(128)});
    launch.awaited = true;
    const auto dispatch = bench.tile().submit(std::move(launch));
    pthread_attr_t small;
    pthread_attr_init(&small);
    ASSERT_EQ(pthread_attr_setstacksize(&small, 64 << 10), 0);
    pthread_t caller;
    const auto wait = [](void* of) -> void* {
        static_cast<Dispatch*>(of)->wait();
        return nullptr;
    };
    ASSERT_EQ(pthread_create(&caller, &small, wait, dispatch.get()), 0);
    pthread_join(caller, nullptr);
    pthread_attr_destroy(&small);
    EXPECT_FALSE(dispatch->fault());
    EXPECT_EQ(out[0], 2u);
}

TEST_F(Awaited, AFaultComesToTheCaller) {
    KernelBench bench("small", 2);
    const Kernel wild = bench.build("kernel void wild(global uint* out) { out[1u << 30] = 1; }", "wild");
    EXPECT_EQ(run(bench, wild, {3, 1, 1}, {bench.buffer(1)})->fault().kind, FaultKind::pageFault);
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
