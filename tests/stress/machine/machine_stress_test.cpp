// Everything at once on one machine: dispatches, memory coming and going, endless kernels, a debugger, readers of
// counters. ZETL_STRESS_SECONDS sets the length.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <random>

#include "kernel_bench.h"

namespace zetl::emulator::machine::bench {
namespace {

int seconds() {
    const char* text = std::getenv("ZETL_STRESS_SECONDS");
    return text == nullptr ? 4 : std::max(1, std::atoi(text));
}

/// Runs bodies, each on a thread of its own, again and again until the time is over.
class Crowd {
  public:
    void add(std::function<void(std::mt19937&)> body) {
        threads_.emplace_back([this, body = std::move(body), seed = threads_.size()] {
            std::mt19937 random(static_cast<std::uint32_t>(seed));
            while (!stop_) {
                body(random);
                rounds_.fetch_add(1, std::memory_order_relaxed);
            }
        });
    }
    std::uint64_t run(std::chrono::seconds length) {
        std::this_thread::sleep_for(length);
        stop_ = true;
        for (std::thread& thread : threads_) thread.join();
        return rounds_;
    }

  private:
    std::atomic<bool> stop_{false};
    std::atomic<std::uint64_t> rounds_{0};
    std::vector<std::thread> threads_;
};

TEST(MachineStress, EverythingAtOnce) {
    KernelBench bench("small", 3);
    const Kernel scale = bench.build(
        "kernel void scale(global uint* data, uint f) { size_t i = get_global_id(0); data[i] = data[i] * f + 1; }",
        "scale");
    const Kernel reverse = bench.build(
        "kernel void reverse(global uint* data, local uint* tile) { uint l = get_local_id(0), g = get_global_id(0);"
        " tile[l] = data[g]; barrier(CLK_LOCAL_MEM_FENCE); data[g] = tile[get_local_size(0) - 1 - l]; }",
        "reverse");
    const Kernel spin = bench.build("kernel void spin(global volatile uint* go) { while (*go == 0) ; }", "spin");
    std::atomic<std::uint64_t> launches{0};
    std::atomic<std::uint64_t> faults{0};
    Crowd crowd;
    for (int i = 0; i < 3; ++i) {
        crowd.add([&](std::mt19937& random) {
            const std::uint32_t groups = 1 + random() % 40;
            const std::uint32_t items = groups * 128;
            auto* data = bench.buffer(items);
            for (std::uint32_t n = 0; n < items; ++n) data[n] = n;
            ASSERT_FALSE(bench.run(scale, {128, 1, 1}, {groups, 1, 1}, {data, 3u})->fault());
            ASSERT_FALSE(bench.run(reverse, {128, 1, 1}, {groups, 1, 1}, {data, Argument::local(512)})->fault());
            for (std::uint32_t n = 0; n < items; ++n) ASSERT_EQ(data[n], (n / 128 * 128 + 127 - n % 128) * 3 + 1);
            bench.release(data);
            launches += 2;
        });
    }
    crowd.add(
        [&](std::mt19937& random) {  // frees under running kernels: the only outcomes are a named fault and a cancel
            auto* go = bench.buffer(16);
            const auto dispatch =
                bench.launch(spin, {64, 1, 1}, {1 + static_cast<std::uint32_t>(random() % 8), 1, 1}, {go});
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
            if (random() % 2 == 0) {
                bench.release(go);
                ASSERT_TRUE(dispatch->wait(std::chrono::minutes(1)) || (dispatch->cancel(), false));
                ASSERT_TRUE(dispatch->fault().kind == FaultKind::useAfterFree ||
                            dispatch->fault().kind == FaultKind::cancelled);
                ++faults;
            } else {
                dispatch->cancel();
                dispatch->wait();
                bench.release(go);
            }
        });
    crowd.add([&, before = Snapshot{}](std::mt19937&) mutable {
        const Snapshot now = bench.tile().counters();
        for (std::size_t c = 0; c < kCounters; ++c) ASSERT_GE(now.counts.values[c], before.counts.values[c]) << c;
        before = now;
        static_cast<void>(bench.tile().instructionCounts());
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    const std::uint64_t rounds = crowd.run(std::chrono::seconds(seconds()));
    EXPECT_GT(rounds, 20u);
    EXPECT_GT(launches.load(), 4u);
}

// A debugger that faults cannot reach: halts, looks, runs, leaves, again and again, while work goes on.
TEST(MachineStress, DebuggerComesAndGoes) {
    KernelBench bench("small", 2);
    const Kernel step = bench.build(
        "kernel void step(global uint* data) { for (uint i = 0; i < 2000; ++i) data[get_global_id(0)] += 1; }", "step");
    std::atomic<std::uint64_t> halts{0};
    Crowd crowd;
    for (int i = 0; i < 2; ++i) {
        crowd.add([&](std::mt19937&) {
            auto* data = bench.buffer(256);
            ASSERT_FALSE(bench.run(step, {64, 1, 1}, {4, 1, 1}, {data})->fault());
            for (std::uint32_t n = 0; n < 256; ++n) ASSERT_EQ(data[n], 2000u);
            bench.release(data);
        });
    }
    crowd.add([&](std::mt19937& random) {
        Control& control = bench.tile().control();
        std::atomic<int> answers{0};
        ASSERT_TRUE(control.attach([&](const StopEvent& event) { answers += event.kind == StopEvent::Kind::halted; }));
        for (int round = 0; round < 5; ++round) {
            const ThreadId set = random() % 2 == 0 ? ThreadId{} : ThreadId{0, static_cast<std::uint32_t>(random() % 8)};
            control.halt(set, static_cast<std::uint64_t>(round));
            ASSERT_TRUE(KernelBench::eventually([&] { return answers == round + 1; }));
            for (const StoppedThread& thread : control.stopped()) {
                std::uint32_t cr[4];
                ASSERT_EQ(control.readRegisters(thread.thread, isa::RegisterSet{6}, 0, 1, cr), ControlStatus::ok);
            }
            if (round != 4) control.run({});
            ++halts;
        }
        control.detach();
    });
    crowd.run(std::chrono::seconds(seconds()));
    EXPECT_GT(halts.load(), 5u);
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
