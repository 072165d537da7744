// `zetl debug` on NVIDIA's GPU, through cuda-gdb or what stands in for it.
#include <gmock/gmock.h>

#include "debuggee.h"
#include "nvidia_gpu.h"

namespace zetl::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using Words = std::vector<std::string>;

Process debugger(const Words& commands, const Words& rest, const std::string& mode = "") {
    Words words{inBuildTree("bin/zetl"), "debug", "--native", "--batch"};
    for (const auto& each : commands) words.insert(words.end(), {"-e", each});
    words.insert(words.end(), rest.begin(), rest.end());
    return Process(words)
        .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("lib/libze_nvidia_gpu.so.1"))
        .with("ZETL_CUDA_LIBRARY", inBuildTree("tests/nvidia/libcuda_stand_in.so"))
        .with("ZETL_CUDA_GDB", inBuildTree("tests/nvidia/cuda_gdb_stand_in"))
        .with("STAND_IN_GDB", mode)
        .without("ZETL_TEST_REAL_GPU");
}

Outcome debugged(const Words& commands, const std::string& mode = "") {
    return debugger(commands, {"--", thisProgram(), "--scenario=spinsForADebugger"}, mode).run();
}

TEST(NvidiaDebugger, BreaksInAKernelBeforeItsFirstLaunch) {
    const auto outcome = debugged({"break spin", "run", "where", "info threads", "info registers", "info registers R2",
                                   "p $R2 + $P0", "info locals", "delete", "continue"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("Breakpoint 1, thread 0.1.0.0, work-group (0, 0, 0), work-item (0, 0, 0), "
                                          "lane 0 (and 1 more threads)\n"))
        << "both warps stand there, though cuda-gdb reports one";
    EXPECT_THAT(outcome.output, ContainsRegex("#0 .* in spin \\(\\) at /src/kernels.cl:20\n"));
    EXPECT_THAT(outcome.output, HasSubstr("  0.1.1.0    group (1, 0, 0) items (32, 0, 0)..(47, 0, 0), "
                                          "12 of 16 lanes active, spin at /src/kernels.cl:20\n"));
    EXPECT_THAT(outcome.output, HasSubstr("\nERRORPC 00000000 00000000\n"));
    EXPECT_THAT(outcome.output, HasSubstr("\nR2     00000000 00000000"));
    EXPECT_THAT(outcome.output, HasSubstr("$R2 + $P0 = 0\n"));
    EXPECT_THAT(outcome.output, HasSubstr("no variables: a cubin describes variables if nvcc -G made it"));
    EXPECT_THAT(outcome.output, HasSubstr("The program ended."));
}

TEST(NvidiaDebugger, KnowsLinesConditionsAndSteps) {
    const auto outcome =
        debugged({"break kernels.cl:21 if $global_x == 40", "run", "p $local_x + 100 * $group_x", "p $lane", "delete",
                  "tbreak *spin", "continue", "stepi", "x/i $pc", "info breakpoints", "delete", "continue"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    EXPECT_THAT(outcome.output, HasSubstr("Breakpoint 1, thread 0.1.1.0, work-group (1, 0, 0), work-item (40, 0, 0), "
                                          "lane 8\n"));
    EXPECT_THAT(outcome.output, HasSubstr("$local_x + 100 * $group_x = 108\n"));
    EXPECT_THAT(outcome.output, HasSubstr("$lane = 8\n"));
    EXPECT_THAT(outcome.output, ContainsRegex("Breakpoint 2, thread 0.1.0.0, .*\n#0 .* in spin \\(\\) at .*:20\n"
                                              "#0 .* in spin\\+0x10 \\(\\) at .*:21\n"
                                              "=> .* <spin\\+0x10>: 0x[0-9a-f]{16} 0x[0-9a-f]{16}\n"));
}

TEST(NvidiaDebugger, ReadsAndWritesMemoryOfAProcessThatRuns) {
    Debuggee program("spinsForADebugger", {"ZE_ENABLE_ALT_DRIVERS=" + inBuildTree("lib/libze_nvidia_gpu.so.1"),
                                           "ZETL_CUDA_LIBRARY=" + inBuildTree("tests/nvidia/libcuda_stand_in.so")});
    const auto pid = std::to_string(program.pid());
    const auto outcome = debugger({"attach " + pid, "info threads", "x/2xw 0x7f1000000000", "set $R4 = 7", "p $R4 + 1",
                                   "set $P2 = 1", "p $P2", "set $pc = 0", "detach"},
                                  {"--", "true"})
                             .run();
    EXPECT_THAT(outcome.output, HasSubstr("stopped: interrupted\n"));
    EXPECT_THAT(outcome.output, HasSubstr("0x7f1000000000: 0xa5a5a5a5 0xa5a5a5a5\n"));
    EXPECT_THAT(outcome.output, HasSubstr("$R4 + 1 = 8\n"));
    EXPECT_THAT(outcome.output, HasSubstr("$P2 = 1\n"));
    EXPECT_THAT(outcome.output, HasSubstr("the left side cannot be assigned to")) << "cuda-gdb would crash";
    EXPECT_EQ(program.exitCode(), 0) << "it goes on when the debugger has gone";
}

TEST(NvidiaDebugger, SaysWhatCannotBeDone) {
    EXPECT_THAT(debugged({"break spin", "run", "watch *0x7f1000000000"}).output,
                HasSubstr("this device has no watchpoints: its threads"));
    EXPECT_THAT(debugged({"break spin", "run", "finish"}).output,
                HasSubstr("this is the kernel itself, or the cubin does not describe how its code was called"));
    EXPECT_THAT(debugged({"break spin", "run", "p data"}).output,
                HasSubstr("there is no variable data here: a cubin describes variables if"));
}

/// Its end cannot be waited for while the debugger has it.
TEST(NvidiaDebugger, EndsTheProgramThatItStopped) {
    const auto outcome = debugged({"break spin", "run", "kill", "where"});
    EXPECT_THAT(outcome.output, HasSubstr("Breakpoint 1, thread 0.1.0.0"));
    EXPECT_THAT(outcome.output, HasSubstr("nothing is being debugged"));
    EXPECT_THAT(debugged({"break spin", "run"}).output, HasSubstr("Breakpoint 1, thread 0.1.0.0"))
        << "it ends by itself";
}

TEST(NvidiaDebugger, TellsOfAFault) {
    const auto outcome = debugged({"run", "where"}, "faults");
    EXPECT_THAT(outcome.output, ContainsRegex("stopped: page fault\nthe instruction at 0x[0-9a-f]+ faulted"));
}

}  // namespace
}  // namespace zetl::test
