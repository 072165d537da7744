// What translation promises beside equal results: that it takes place, that tools get steps, that lockstep sees what
// differs.
#include "emulator/translate/translation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

#include "emulator/isa/code.h"
#include "emulator/isa/stop.h"
#include "emulator/translate/executable_memory.h"
#include "lockstep.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kBase = 0x10000;
/// Counts r40 up to 5 in lanes of 32 bits.
constexpr const char* kLoop =
    "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 1:w\n"
    "cmp (16|M0) (lt)f0.0 null<1>:d r40.0<1;1,0>:d 5:w\n"
    "(f0.0) while (16|M0) -32\n";

bool hostTranslates() { return emulator::translate::hostObstacle().empty(); }
isa::Handler handlerAt(isa::Program& program, isa::Line line) {
    return program.code().at(isa::Version::lanes16, line)->handler();
}
isa::Handler stepsAt(isa::Program& program, isa::Line line) {
    return program.code().originalOf(program.code().at(isa::Version::lanes16, line));
}

class Watcher : public isa::LineObserver {
  public:
    void beforeLine(isa::Thread&, isa::Line) noexcept override { ++calls; }
    int calls = 0;
};

TEST(Translation, ThreadsEnterHostCodeWhereTheHostPermits) {
    LoneThread t;
    ASSERT_EQ(t.run(assembleProgram(kLoop)), isa::Status::done);
    EXPECT_EQ(t.get<std::int32_t>(40, 1)[0], 5);
    EXPECT_EQ(handlerAt(t.program(), 0) != stepsAt(t.program(), 0), hostTranslates());
    const auto report = emulator::translate::translateAnyway(t.program(), kBase, 16);
    EXPECT_EQ(report.native > 0, hostTranslates());
}

TEST(Translation, WhatIsMadeInVainIsWhatWouldBeEntered) {
    LoneThread t;
    t.load(assembleProgram(kLoop));
    const auto vain = emulator::translate::translateInVain(t.program(), kBase, 16);
    EXPECT_GT(vain.native, 0u);
    EXPECT_GT(vain.codeBytes, 0u);
    if (!hostTranslates()) return;
    using emulator::translate::Registers;
    const auto entered = emulator::translate::translateAnyway(t.program(), kBase, 16, Registers::dropped);
    EXPECT_EQ(entered.native, vain.native);
    EXPECT_EQ(entered.codeBytes, vain.codeBytes);
}

// Its comparison goes to a flag of lowering's own first.
/// Also where the thread finds the memory by the step, whose result nobody stores afterwards.
TEST(Translation, WhatALoadMayWriteIsTold) {
    LoneThread t;
    t.load(assembleProgram("send.ugm (16|M0) r40 r10 null:0 0x0 0x04100580"));
    const auto report =
        emulator::translate::translateAnyway(t.program(), kBase, 16, emulator::translate::Registers::dropped);
    if (report.native == 0) GTEST_SKIP() << "nothing is translated here";
    EXPECT_TRUE(report.written.contains(isa::layout::kGrf + 40 * isa::layout::kRegisterBytes));
    EXPECT_FALSE(report.written.contains(isa::layout::kGrf + 60 * isa::layout::kRegisterBytes));
}

TEST(Translation, APredicatedComparisonWithAResultIsHostCode) {
    for (const char* line : {"(f0.0) cmp (16|M0) (lt)f0.0 r40.0<1>:d r42.0<1;1,0>:d r44.0<1;1,0>:d\n",
                             "(~f2.0) cmp (16|M0) (ge)f2.0 r40.0<1>:f r42.0<1;1,0>:f r44.0<1;1,0>:f\n"}) {
        LoneThread t;
        t.load(assembleProgram(line));
        const auto vain = emulator::translate::translateInVain(t.program(), kBase, 16);
        EXPECT_GT(vain.codeBytes, 0u) << line;
        EXPECT_EQ(vain.called, 0u) << line;
    }
}

/// Compares r10 with r12 lane by lane; what f0 is then, in lockstep with the steps.
std::uint32_t comparedUnder(const std::string& predicate, const std::string& width, std::uint32_t flag,
                            std::uint32_t lanes) {
    LoneThread t;
    t.load(assembleProgram(predicate + "cmp " + width + " (lt)f0.0 null<1>:d r10.0<1;1,0>:d r12.0<1;1,0>:d\n"), lanes);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        t.thread().at<std::int32_t>(10 * 64 + lane * 4) = static_cast<std::int32_t>(lane % 3);
        t.thread().at<std::int32_t>(12 * 64 + lane * 4) = 1;
    }
    t.setFlag(0, flag);
    t.resume();
    return t.flag(0);
}

// As compilers put comparisons of 64 bits together.
TEST(Translation, LanesThatTheirOwnFlagSelectsAreCompared) {
    constexpr std::uint32_t kFlag = 0xc35a0ff1;
    constexpr std::uint32_t kLess = 0x49249249;  // every third lane
    for (const std::uint32_t lanes : {~0u, 0xffffu, 0xa5c3u})
        for (const bool noMask : {false, true})
            for (const auto& [width, all] : {std::pair("(8|M0)", 0xffu), {"(16|M0)", 0xffffu}, {"(32|M0)", ~0u}}) {
                const std::uint32_t on = noMask ? all : all & lanes;
                const std::string mask = noMask ? "(W&" : "(";
                EXPECT_EQ(comparedUnder(mask + "f0.0) ", width, kFlag, lanes), kFlag & (kLess | ~on)) << width;
                EXPECT_EQ(comparedUnder(mask + "~f0.0) ", width, kFlag, lanes), kFlag | (kLess & on)) << width;
            }
}

/// Of host code with AVX-512; 0 elsewhere.
std::uint64_t bytesOfCode(const std::string& text) {
    if (isa::hostInstructionSet() != "avx512") return 0;
    LoneThread t;
    t.load(assembleProgram(text));
    return emulator::translate::translateInVain(t.program(), kBase, 16).codeBytes;
}
std::string addOne(std::uint32_t to, std::uint32_t from) {
    return fmt::format("add (16|M0) r{}.0<1>:d r{}.0<1;1,0>:d 1:w\n", to, from);
}

/// Between two uses of eight registers, twenty lines use two registers each for the last time.
TEST(Translation, RegistersThatAreUsedAgainStayHeld) {
    constexpr std::uint32_t kKept = 8;
    constexpr std::uint32_t kBetween = 20;
    const auto bytesIfRead = [&](std::uint32_t first) {
        std::string text;
        for (std::uint32_t i = 0; i < kKept; ++i) text += addOne(20 + i, 10 + i);
        for (std::uint32_t i = 0; i < kBetween; ++i) text += addOne(30 + i, 60 + i);
        for (std::uint32_t i = 0; i < kKept; ++i) text += addOne(90 + i, first + i);
        return bytesOfCode(text);
    };
    const std::uint64_t held = bytesIfRead(10);
    if (held == 0) GTEST_SKIP() << "nothing is translated for AVX-512 here";
    EXPECT_LT(held, bytesIfRead(100));
}

/// Lanes of one kernel may wait at hundreds of lines, and each line takes as much code as the first ones.
TEST(Translation, AJoinBehindManyTakesNoMoreCode) {
    const auto bytesOfJoins = [](int count) {
        std::string text;
        for (int k = 0; k < count; ++k)
            text += fmt::format("(f0.0) goto (16|M0) L{0} L{0}\nL{0}:\njoin (16|M0) M{0}\nM{0}:\n", k) + addOne(20, 10);
        return bytesOfCode(text);
    };
    const std::uint64_t fifty = bytesOfJoins(100) - bytesOfJoins(50);
    if (fifty == 0) GTEST_SKIP() << "nothing is translated for AVX-512 here";
    EXPECT_NEAR(static_cast<double>(bytesOfJoins(450) - bytesOfJoins(400)) / static_cast<double>(fifty), 1, 0.05);
}

/// Only a barrier lets threads do something else; to wait for their own registers does nothing here.
TEST(Translation, RegistersStayHeldBehindAWaitForThem) {
    const auto bytesWith = [](const std::string& between) {
        std::string text;
        for (int i = 0; i < 8; ++i) text += addOne(20 + i, 10 + i);
        text += between;
        for (int i = 0; i < 8; ++i) text += addOne(30 + i, 20 + i);
        return bytesOfCode(text);
    };
    const std::uint64_t held = bytesWith("");
    if (held == 0) GTEST_SKIP() << "nothing is translated for AVX-512 here";
    EXPECT_EQ(bytesWith("(W) sync.nop null\n"), held);
    EXPECT_GT(bytesWith("(W) sync.bar 0x0\n"), held);
}

/// The rest of its register needs no load, which would wait for numbers that were just stored there.
TEST(Translation, AShortBlockIsLoadedAlone) {
    const auto bytesWith = [](const char* descriptor) {
        std::string text;
        for (int i = 0; i < 16; ++i)
            text += fmt::format("(W) send.ugm (1|M0) r{} r10 null:0 0x0 {}\n", 40 + i, descriptor);
        return bytesOfCode(text);
    };
    const std::uint64_t half = bytesWith("0x0210B780");
    if (half == 0) GTEST_SKIP() << "nothing is translated for AVX-512 here";
    EXPECT_LE(half, bytesWith("0x0210C780"));
}

/// From now on the process may not execute what it writes, as on a hardened host.
bool refuseExecutableMemory() {
    constexpr auto kArguments = static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t));
    constexpr std::uint32_t kLoad = BPF_LD | BPF_W | BPF_ABS;
    sock_filter rules[] = {
        {kLoad, 0, 0, offsetof(seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, SYS_mprotect},
        {kLoad, 0, 0, kArguments},
        {BPF_JMP | BPF_JSET | BPF_K, 0, 1, PROT_EXEC},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EACCES},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog filter{std::size(rules), rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}
/// 0 if threads run as ever, and by their steps.
int runsRefused() {
    if (!refuseExecutableMemory()) return 2;
    LoneThread t;
    const bool done = t.run(assembleProgram(kLoop)) == isa::Status::done && t.get<std::int32_t>(40, 1)[0] == 5;
    return done && handlerAt(t.program(), 0) == stepsAt(t.program(), 0) ? 0 : 1;
}

TEST(Translation, StepsServeWhereTheHostRefusesExecutableMemory) {
    EXPECT_EXIT(_exit(runsRefused()), testing::ExitedWithCode(0), "");
}

TEST(Translation, NothingHappensIfTheSettingForbidsIt) {
    LoneThread t;
    t.load(assembleProgram("mov (16|M0) r40.0<1>:d 1:w"));
    setenv("ZETL_EMULATOR_TRANSLATE", "0", 1);
    EXPECT_NE(emulator::translate::obstacle(), "");
    EXPECT_EQ(emulator::translate::translate(t.program(), kBase, 16).native, 0u);
}

TEST(Translation, AnAddressWithoutInstructionTranslatesNothing) {
    LoneThread t;
    t.load(assembleProgram(kLoop));
    EXPECT_EQ(emulator::translate::translateAnyway(t.program(), kBase + 4, 16).native, 0u);
}

TEST(Translation, AWatchedProgramRunsByItsStepsAndAnUnwatchedOneAgainTranslated) {
    LoneThread t;
    t.load(assembleProgram(kLoop));
    const isa::Handler entered = handlerAt(t.program(), 0);
    Watcher watcher;
    t.program().watch(1, watcher);
    EXPECT_EQ(handlerAt(t.program(), 0), stepsAt(t.program(), 0));
    t.program().setBreakpoint(2, true);
    t.program().unwatch(1, watcher);
    EXPECT_EQ(handlerAt(t.program(), 0), stepsAt(t.program(), 0));
    t.program().setBreakpoint(2, false);
    EXPECT_EQ(handlerAt(t.program(), 0), entered);
    t.program().watch(1, watcher);
    ASSERT_EQ(t.resume(), isa::Status::done);
    EXPECT_EQ(watcher.calls, 5);
}

TEST(Translation, AThreadInALoopLeavesHostCodeWithinItsQuantumOnceWatched) {
    LoneThread t;
    t.load(assembleProgram("add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 1:w\njmpi -16"));
    emulator::isa::resume(t.thread(), 1000);
    ASSERT_EQ(t.thread().status, isa::Status::paused);
    Watcher watcher;
    t.program().watch(0, watcher);
    emulator::isa::resume(t.thread(), 1000);
    EXPECT_GE(watcher.calls, 499);
}

TEST(Translation, ASingleStepIsOneInstruction) {
    LoneThread t;
    t.load(assembleProgram(kLoop));
    t.thread().at<std::uint32_t>(isa::kControl1) |= isa::kBreakpointStatus;
    emulator::isa::resume(t.thread());
    EXPECT_EQ(t.thread().status, isa::Status::breakpoint);
    EXPECT_EQ(t.thread().executed, 1u);
}

TEST(Lockstep, SeesARegisterThatDiffers) {
    LoneThread t;
    t.load(assembleProgram("mov (16|M0) r40.0<1>:d 1:w"));
    Lockstep lockstep(isa::lower(assembleProgram("mov (16|M0) r40.0<1>:d 2:w"), {.base = kBase}));
    EXPECT_NE(lockstep.resume(t.thread(), 1000, {}).find("r40.0: 0x2 by steps, 0x1 translated"), std::string::npos);
}
TEST(Lockstep, SeesMemoryThatDiffers) {
    const std::string store =
        "mov (16|M0) r10.0<1>:d {}:w\nmov (16|M0) r20.0<1>:d 64:w\n"
        "send.slm (16|M0) null r20 r10:1 0x0 0x200E504\n";
    std::vector<std::byte> local(4096);
    LoneThread t;
    const auto code = [&](const char* value) {
        std::string text = store;
        return assembleProgram(text.replace(text.find("{}"), 2, value));
    };
    t.load(code("1"));
    t.thread().local = local;
    Lockstep lockstep(isa::lower(code("2"), {.base = kBase}));
    EXPECT_NE(lockstep.resume(t.thread(), 1000, {local}).find("memory"), std::string::npos);
}

}  // namespace
}  // namespace zetl::test
