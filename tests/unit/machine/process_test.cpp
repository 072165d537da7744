// The machine and the process around it: fork, exit with work in flight.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "kernel_bench.h"
#include "support/wait_for.h"

namespace zetl::emulator::machine::bench {
namespace {

/// Runs the body in a forked child and returns its exit code; -1 if it hangs or is killed.
template <class F>
int inChild(F&& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body());
    int status = 0;
    if (test::waitFor([&] { return waitpid(child, &status, WNOHANG) == child; }))
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return -1;
}

TEST(MachineProcess, ForkedChildFindsTheDeviceLost) {
    auto bench = std::make_unique<KernelBench>();
    const Kernel spin = bench->build("kernel void spin(global volatile uint* go) { while (*go == 0) ; }", "spin");
    auto* go = bench->buffer(1);
    const auto endless = bench->launch(spin, {32, 1, 1}, {4, 1, 1}, {go});
    for (int i = 0; i < 20; ++i) {
        const int code = inChild([&] {
            Machine& machine = bench->machine();
            if (!machine.lost()) return 1;
            if (!endless->wait(std::chrono::seconds(1)) || endless->fault().kind != FaultKind::deviceLost) return 2;
            if (machine.memory().allocate({.bytes = 64}).status != MemoryStatus::lost) return 3;
            if (machine.memory().free(reinterpret_cast<std::uint64_t>(go)) != MemoryStatus::lost) return 4;
            const auto refused = bench->tile().submit(endless->launch());
            if (!refused->done() || refused->fault().kind != FaultKind::deviceLost) return 5;
            bench.reset();
            return 0;
        });
        ASSERT_EQ(code, 0);
    }
    EXPECT_FALSE(endless->done()) << "the parent's kernel runs on";
    std::atomic_ref(*go).store(1);
    EXPECT_TRUE(endless->wait(std::chrono::seconds(10)));
    EXPECT_FALSE(endless->fault());
}

TEST(MachineProcess, ExitsUnderRunningKernels) {
    const auto work = [](bool orderly) {
        auto* bench = new KernelBench("tiny");
        const Kernel spin =
            bench->build("kernel void spin(global volatile uint* go) { go[1] = 1; while (*go == 0) ; }", "spin");
        auto* const go = bench->buffer(2);
        bench->launch(spin, {32, 1, 1}, {4, 1, 1}, {go});
        if (!test::waitFor([&] { return std::atomic_ref(go[1]) == 1; })) return 25;
        if (orderly) std::exit(23);
        return 24;
    };
    EXPECT_EQ(inChild([&] { return work(true); }), 23);
    EXPECT_EQ(inChild([&] { return work(false); }), 24);
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
