// Control flow: structured and unstructured branches on diverged lanes, calls, quanta, ends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "lone_thread.h"

namespace zetl::test {
namespace {

using isa::FaultKind;
using isa::Status;

/// r10 holds the lane number, r40 the result.
class Flow : public testing::Test {
  protected:
    Flow() {
        std::vector<std::int32_t> lanes(16);
        for (int i = 0; i < 16; ++i) lanes[i] = i;
        t.set(10, lanes);
    }
    std::vector<std::int32_t> run(const std::string& assembly, std::uint32_t lanes = 0xffff) {
        const Status s = t.run(assembleProgram(assembly), lanes);
        EXPECT_EQ(s, Status::done) << describe(t.thread().fault);
        return t.get<std::int32_t>(40, 16);
    }
    static std::vector<std::int32_t> each(std::int32_t (*f)(std::int32_t)) {
        std::vector<std::int32_t> v(16);
        for (int i = 0; i < 16; ++i) v[i] = f(i);
        return v;
    }
    LoneThread t;
};

TEST_F(Flow, GotoAndJoinSplitAndRejoin) {
    EXPECT_EQ(run("mov (16|M0) r40.0<1>:d 0:w\n"
                  "cmp (16|M0) (lt)f0.0 null<1>:d r10.0<1;1,0>:d 5:w\n"
                  "(f0.0) goto (16|M0) L1 L1\n"
                  "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 100:w\n"
                  "L1:\njoin (16|M0) L2\n"
                  "L2:\nadd (16|M0) r40.0<1>:d r40.0<1;1,0>:d r10.0<1;1,0>:d"),
              each([](int i) { return (i < 5 ? 0 : 100) + i; }));
    EXPECT_EQ(t.thread().active, 0xffffu);
}

TEST_F(Flow, AGotoThatNoLaneReachesLeadsOn) {
    EXPECT_EQ(run("mov (16|M0) r40.0<1>:d 0:w\n"
                  "cmp (16|M0) (lt)f0.0 null<1>:d r10.0<1;1,0>:d 16:w\n"
                  "(f0.0) goto (16|M0) L1 L2\n"
                  "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 100:w\n"
                  "L1:\n(f1.0) goto (16|M0) L2 L2\n"
                  "(W) mov (16|M0) r40.0<1>:d 7:w\n"
                  "L2:\njoin (16|M0) L3\n"
                  "L3:\nadd (16|M0) r40.0<1>:d r40.0<1;1,0>:d r10.0<1;1,0>:d"),
              each([](int i) { return i; }));
    EXPECT_EQ(t.thread().active, 0xffffu);
}

// Without a mask a branch takes lanes along that are off: they wait for it now, and for nothing else.
TEST_F(Flow, AGotoWithoutMaskTakesLanesThatWaitElsewhere) {
    EXPECT_EQ(run("mov (16|M0) r40.0<1>:d 0:w\n"
                  "cmp (16|M0) (lt)f0.0 null<1>:d r10.0<1;1,0>:d 5:w\n"
                  "cmp (16|M0) (lt)f1.0 null<1>:d r10.0<1;1,0>:d 8:w\n"
                  "(f0.0) goto (16|M0) L1 L1\n"
                  "(W&f1.0) goto (16|M0) L1 L2\n"
                  "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 100:w\n"
                  "L1:\njoin (16|M0) L2\n"
                  "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 10:w\n"
                  "L2:\njoin (16|M0) L3\n"
                  "L3:\nadd (16|M0) r40.0<1>:d r40.0<1;1,0>:d r10.0<1;1,0>:d"),
              each([](int i) { return (i < 8 ? 0 : 110) + i; }));
    EXPECT_EQ(t.thread().active, 0xffffu);
}

// Host code has places for so many lines at which lanes wait; at others they wait as the steps would have it.
TEST_F(Flow, MoreJoinsThanHostCodeHasPlacesFor) {
    constexpr int kJoins = static_cast<int>(isa::kParkingPlaces) + 12;
    std::string text =
        "mov (16|M0) r40.0<1>:d 0:w\n"
        "cmp (16|M0) (lt)f0.0 null<1>:d r10.0<1;1,0>:d 5:w\n";
    for (int k = 0; k < kJoins; ++k)
        text += fmt::format(
            "({0}f0.0) goto (16|M0) L{1} L{1}\n"
            "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d {2}:w\n"
            "L{1}:\njoin (16|M0) L{3}\nL{3}:\n",
            k % 3 == 0 ? "~" : "", 2 * k, k % 3 == 0 ? 100 : 1, 2 * k + 1);
    constexpr int kEveryThird = (kJoins + 2) / 3;
    EXPECT_EQ(run(text), each([](int i) { return i < 5 ? 100 * kEveryThird : kJoins - kEveryThird; }));
    EXPECT_EQ(t.thread().active, 0xffffu);
}

TEST_F(Flow, BackwardGotoLoopsUntilEveryLaneIsOut) {
    EXPECT_EQ(run("mov (16|M0) r40.0<1>:d 0:w\n"
                  "L0:\nadd (16|M0) r40.0<1>:d r40.0<1;1,0>:d 1:w\n"
                  "cmp (16|M0) (lt)f0.0 null<1>:d r40.0<1;1,0>:d r10.0<1;1,0>:d\n"
                  "(f0.0) goto.b (16|M0) L1 L0\n"
                  "L1:\njoin (16|M0) L2\n"
                  "L2:\nmov (16|M0) r41.0<1>:d r40.0<1;1,0>:d"),
              each([](int i) { return std::max(i, 1); }));
    EXPECT_EQ(t.thread().active, 0xffffu);
}

TEST_F(Flow, IfElseEndif) {
    const char* text =
        "cmp (16|M0) (lt)f0.0 null<1>:d r10.0<1;1,0>:d r12.0<0;1,0>:d\n"
        "(f0.0) if (16|M0) L1 L2\n"
        "mov (16|M0) r40.0<1>:d 1:w\n"
        "else (16|M0) L2 L2\n"
        "L1:\nmov (16|M0) r40.0<1>:d 2:w\n"
        "L2:\nendif (16|M0) L3\n"
        "L3:\nadd (16|M0) r40.0<1>:d r40.0<1;1,0>:d 10:w";
    for (const std::int32_t bound : {0, 3, 16}) {
        t.set(12, std::vector<std::int32_t>{bound});
        std::vector<std::int32_t> want(16);
        for (int i = 0; i < 16; ++i) want[i] = i < bound ? 11 : 12;
        EXPECT_EQ(run(text), want) << bound;
        EXPECT_EQ(t.thread().active, 0xffffu);
    }
}

// Eight lanes of sixteen branch, as in oneMKL's complex division; the others go on beside them.
TEST_F(Flow, BranchesLeaveTheLanesBesideThemOn) {
    const std::string add = "add (8|M0) r40.0<1>:d r40.0<1;1,0>:d 100:w\n";
    const std::string branches[] = {
        "(f0.0) if (8|M0) L1 L1\n" + add + "L1:\nendif (8|M0) L2\nL2:\n",
        "(~f0.0) goto (8|M0) L1 L1\n" + add + "L1:\njoin (8|M0) L2\nL2:\n",
        "(f0.0) goto.b (8|M0) L1 L0\njmpi L1\nL0:\n" + add + "L1:\njoin (8|M0) L2\nL2:\n",
        "(~f0.0) break (8|M0) L1 L1\nL0:\n" + add +
            "cmp (8|M0) (lt)f1.0 null<1>:d r40.0<1;1,0>:d 0:w\nL1:\n(f1.0) while (8|M0) L0\n",
    };
    for (const std::int32_t bound : {0, 4, 8}) {
        t.set(12, std::vector<std::int32_t>{bound});
        std::vector<std::int32_t> want(16);
        for (int i = 0; i < 16; ++i) want[i] = i >= 8 ? 7 : i < bound ? 100 : 0;
        for (const std::string& branch : branches) {
            EXPECT_EQ(run("mov (16|M0) r40.0<1>:d 0:w\nmov (1|M0) f1.0<1>:uw 0:uw\n"
                          "cmp (8|M0) (lt)f0.0 null<1>:d r10.0<1;1,0>:d r12.0<0;1,0>:d\n" +
                          branch + "add (8|M8) r40.8<1>:d r40.8<1;1,0>:d 7:w"),
                      want)
                << bound << branch;
            EXPECT_EQ(t.thread().active, 0xffffu);
        }
    }
}

TEST_F(Flow, WhileWithBreakAndContinue) {
    // for (k = 0; k < 8; ++k) { if (k == lane) break; if (k & 1) continue; sum += k; }
    // Both name the loop's end: lanes that continue take part in its test, lanes that left wait behind it.
    const auto got =
        run("mov (16|M0) r40.0<1>:d 0:w\nmov (16|M0) r41.0<1>:d -1:w\n"
            "L0:\nadd (16|M0) r41.0<1>:d r41.0<1;1,0>:d 1:w\n"
            "cmp (16|M0) (lt)f1.0 null<1>:d r41.0<1;1,0>:d 7:w\n"
            "cmp (16|M0) (eq)f0.0 null<1>:d r41.0<1;1,0>:d r10.0<1;1,0>:d\n"
            "(f0.0) break (16|M0) L1 L1\n"
            "and (16|M0) (ne)f0.0 null<1>:d r41.0<1;1,0>:d 1:w\n"
            "(f0.0) cont (16|M0) L1 L1\n"
            "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d r41.0<1;1,0>:d\n"
            "L1:\n(f1.0) while (16|M0) L0\n"
            "mov (16|M0) r42.0<1>:d 5:w");
    EXPECT_EQ(t.thread().active, 0xffffu);
    EXPECT_EQ(t.get<std::int32_t>(42, 16), std::vector<std::int32_t>(16, 5));
    EXPECT_EQ(got, each([](int lane) {
                  int sum = 0;
                  for (int k = 0; k < 8; ++k) {
                      if (k == lane) break;
                      if (k & 1) continue;
                      sum += k;
                  }
                  return sum;
              }));
}

TEST_F(Flow, HaltWaitsAtItsTarget) {
    EXPECT_EQ(run("mov (16|M0) r40.0<1>:d 1:w\n"
                  "cmp (16|M0) (lt)f0.0 null<1>:d r10.0<1;1,0>:d 4:w\n"
                  "(f0.0) halt (16|M0) L1 L1\n"
                  "mov (16|M0) r40.0<1>:d 2:w\n"
                  "L1:\nadd (16|M0) r40.0<1>:d r40.0<1;1,0>:d 10:w"),
              each([](int i) { return i < 4 ? 11 : 12; }));
}

TEST_F(Flow, DivergingAndConvergingBranches) {
    EXPECT_EQ(run("mov (16|M0) r40.0<1>:d 1:w\n"
                  "cmp (16|M0) (lt)f0.0 null<1>:d r10.0<1;1,0>:d 4:w\n"
                  "(f0.0) brd (16|M0) L1\n"
                  "mov (16|M0) r40.0<1>:d 2:w\n"
                  "(~f0.0) brc (16|M0) L1 L1\n"
                  "mov (16|M0) r40.0<1>:d 3:w\n"
                  "L1:\nadd (16|M0) r40.0<1>:d r40.0<1;1,0>:d 10:w"),
              each([](int i) { return i < 4 ? 11 : 12; }));
}

TEST_F(Flow, UniformJumps) {
    EXPECT_EQ(run("mov (16|M0) r40.0<1>:d 0:w\n(W) mov (1|M0) r41.0<1>:d 0:w\n"
                  "L0:\nadd (16|M0) r40.0<1>:d r40.0<1;1,0>:d r10.0<1;1,0>:d\n"
                  "(W) add (1|M0) r41.0<1>:d r41.0<0;1,0>:d 1:w\n"
                  "(W) cmp (16|M0) (lt)f1.0 null<1>:d r41.0<0;1,0>:d 10:w\n"
                  "(W&f1.0) jmpi L0"),
              each([](int i) { return 10 * i; }));
    EXPECT_EQ(t.thread().executed, 2u + 4 * 10 + 2);
}

TEST_F(Flow, CallsReturnToTheirCallerWithItsLanes) {
    EXPECT_EQ(run("mov (16|M0) r40.0<1>:d 1:w\n"
                  "call (16|M0) r60.0 L1\n"
                  "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 100:w\n"
                  "(W) jmpi L2\n"
                  "L1:\nadd (16|M0) r40.0<1>:d r40.0<1;1,0>:d r10.0<1;1,0>:d\n"
                  "ret (16|M0) r60.0\n"
                  "L2:\nnop",
                  0x7fff)[14],
              115);
    EXPECT_EQ(t.scalar<std::uint32_t>(60, 0), 0x10020u);
    EXPECT_EQ(t.scalar<std::uint32_t>(60, 1), 0x7fffu);
}

TEST_F(Flow, AReturnLeavesTheLanesBesideItOnAndWithoutMaskThoseThatAreOffOff) {
    EXPECT_EQ(run("mov (16|M0) r40.0<1>:d 0:w\n"
                  "call (16|M0) r60.0 L1\n"
                  "(W) jmpi L2\n"
                  "L1:\nret (8|M0) r60.0\n"
                  "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 1:w\n"
                  "ret (16|M0) r60.0\n"
                  "L2:\nadd (16|M0) r40.0<1>:d r40.0<1;1,0>:d 10:w"),
              each([](int i) { return i < 8 ? 10 : 11; }));
    EXPECT_EQ(t.thread().active, 0xffffu);

    EXPECT_EQ(run("mov (16|M0) r40.0<1>:d 0:w\n"
                  "cmp (16|M0) (lt)f0.0 null<1>:d r10.0<1;1,0>:d 4:w\n"
                  "(f0.0) goto (16|M0) L3 L3\n"
                  "(W) call (16|M0) r60.0 L1\n"
                  "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 10:w\n"
                  "(W) jmpi L3\n"
                  "L1:\nadd (16|M0) r40.0<1>:d r40.0<1;1,0>:d 1:w\n"
                  "(W) ret (16|M0) r60.0\n"
                  "L3:\njoin (16|M0) L4\n"
                  "L4:\nadd (16|M0) r40.0<1>:d r40.0<1;1,0>:d 100:w"),
              each([](int i) { return i < 4 ? 100 : 111; }));
    EXPECT_EQ(t.thread().active, 0xffffu);
}

// Lanes below 8 wait for the function's join while the others enter it once more and pass that join.
TEST_F(Flow, AFunctionThatCallsItselfLeavesItsCallersLanesOff) {
    EXPECT_EQ(run("mov (16|M0) r40.0<1>:d 0:w\n(W) mov (1|M0) r50.0<1>:d 0:w\n"
                  "call (16|M0) r60.0 L1\n"
                  "(W) jmpi L4\n"
                  "L1:\ncmp (16|M0) (lt)f0.0 null<1>:d r10.0<1;1,0>:d 8:w\n"
                  "(W) cmp (16|M0) (gt)f1.0 null<1>:d r50.0<0;1,0>:d 0:w\n"
                  "(f0.0) goto (16|M0) L3 L3\n"
                  "(W&f1.0) jmpi L3\n"
                  "(W) add (1|M0) r50.0<1>:d r50.0<0;1,0>:d 1:w\n"
                  "(W) mov (2|M0) r61.0<1>:d r60.0<1;1,0>:d\n"
                  "call (16|M0) r60.0 L1\n"
                  "(W) mov (2|M0) r60.0<1>:d r61.0<1;1,0>:d\n"
                  "L3:\njoin (16|M0) L4\n"
                  "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 1:w\n"
                  "ret (16|M0) r60.0\n"
                  "L4:\nnop"),
              each([](int i) { return i < 8 ? 1 : 2; }));
    EXPECT_EQ(t.thread().active, 0xffffu);
    EXPECT_EQ(t.thread().callMask, 0xffffu);
}

TEST_F(Flow, RegistersHoldTheDistancesOfJumpsAndForks) {
    t.set(50, std::vector<std::int32_t>{32, 48});
    EXPECT_EQ(run("mov (16|M0) r40.0<1>:d 0:w\n"
                  "jmpi (1|M0) r50.0\n"
                  "mov (16|M0) r40.0<1>:d 1000:w\n"
                  "cmp (16|M0) (lt)f0.0 null<1>:d r10.0<1;1,0>:d 5:w\n"
                  "(f0.0) brd (16|M0) r50.0\n"
                  "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 100:w\n"
                  "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d r10.0<1;1,0>:d\n"
                  "(~f0.0) brc (16|M0) r50.0\n"
                  "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 10:w\n"
                  "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 1:w\n"
                  "nop"),
              each([](int i) { return i + (i < 5 ? 11 : 100); }));
    EXPECT_EQ(t.thread().active, 0xffffu);
    EXPECT_EQ(
        run("brd (16|M0) r50.1\nmov (16|M0) r40.0<1>:d 1:w\nmov (16|M0) r40.0<1>:d 2:w\nmov (16|M0) r40.0<1>:d 3:w"),
        each([](int) { return 3; }));
    t.set(50, std::vector<std::int32_t>{4096});
    EXPECT_EQ(t.run(assembleProgram("jmpi (1|M0) r50.0")), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::branchTarget);
}

TEST_F(Flow, AbsoluteCallsReachOtherPrograms) {
    const auto callee =
        isa::lower(assemble("add (16|M0) r40.0<1>:d r10.0<1;1,0>:d 7:w\nret (16|M0) r60.0"), {.base = 0x80000});
    t.others = {{0x80000, callee.get()}};
    t.set(62, std::vector<std::uint32_t>{0x80000});
    EXPECT_EQ(run("calla (16|M0) r60.0 r62.0\nadd (16|M0) r40.0<1>:d r40.0<1;1,0>:d 1:w"),
              each([](int i) { return i + 8; }));
    t.set(62, std::vector<std::uint32_t>{0x80008});
    EXPECT_EQ(t.run(assembleProgram("calla (16|M0) r60.0 r62.0")), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::branchTarget);
    EXPECT_EQ(t.thread().fault.address, 0x80008u);
}

TEST_F(Flow, AnEndlessLoopPausesAfterItsQuantum) {
    t.load(assembleProgram("L0:\nadd (16|M0) r40.0<1>:d r40.0<1;1,0>:d 1:w\n(W) jmpi L0"));
    isa::resume(t.thread(), 1000);
    EXPECT_EQ(t.thread().status, Status::paused);
    EXPECT_NEAR(static_cast<double>(t.thread().executed), 1000, 3);
    const auto before = t.thread().executed;
    isa::resume(t.thread(), 500);
    EXPECT_NEAR(static_cast<double>(t.thread().executed - before), 500, 3);
    EXPECT_EQ(t.scalar<std::uint32_t>(40), t.thread().executed / 2);
}

TEST_F(Flow, RunsAreCountedByLine) {
    std::vector<std::int64_t> runs(16);
    t.load(
        assembleProgram("(W) mov (1|M0) r41.0<1>:d 0:w\n"
                        "L0:\n(W) add (1|M0) r41.0<1>:d r41.0<0;1,0>:d 1:w\n"
                        "(W) cmp (16|M0) (lt)f1.0 null<1>:d r41.0<0;1,0>:d 10:w\n(W&f1.0) jmpi L0"));
    t.thread().runs = runs.data();
    t.resume();
    std::vector<std::int64_t> counts(6);
    std::partial_sum(runs.begin(), runs.begin() + 6, counts.begin());
    EXPECT_EQ(counts, (std::vector<std::int64_t>{1, 10, 10, 10, 1, 1}));
}

TEST_F(Flow, RunningOffTheEndFaults) {
    ASSERT_EQ(t.run(assemble("mov (16|M0) r40.0<1>:d 1:w")), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::branchTarget);
    EXPECT_EQ(t.run(Code(64)), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::illegalInstruction);
}

// Unoptimised code of compiler 26.27 polls n0 before it waits.
TEST_F(Flow, NotificationsTellOfABarrier) {
    t.set(50, std::vector<std::uint32_t>{0, 0, 0x01010000});
    t.load(
        assembleProgram("(W) mov (1|M0) r40.0<1>:ud n0.0<0;1,0>:ud\n"
                        "(W) send.gtwy (1|M0) null r50 null:0 0x0 0x02000004\n"
                        "(W) mov (1|M0) r41.0<1>:ud n0.0<0;1,0>:ud\n"
                        "(W) sync.bar 0x0\n"
                        "(W) mov (1|M0) r42.0<1>:ud n0.0<0;1,0>:ud"));
    ASSERT_EQ(t.resume(), Status::atBarrier);
    EXPECT_EQ(t.scalar<std::uint32_t>(40), 0u);
    EXPECT_EQ(t.scalar<std::uint32_t>(41), 1u);
    ASSERT_EQ(t.resume(), Status::done);
    EXPECT_EQ(t.scalar<std::uint32_t>(42), 0u);
}

TEST_F(Flow, BarriersSignalAndWait) {
    t.set(50, std::vector<std::uint32_t>{0, 0, 0x08080003});
    t.load(assembleProgram(
        "(W) send.gtwy (1|M0) null r50 null:0 0x0 0x02000004\n(W) sync.bar 0x3\nmov (16|M0) r40.0<1>:d 9:w"));
    ASSERT_EQ(t.resume(), Status::atBarrier);
    ASSERT_EQ(t.signals.size(), 1u);
    EXPECT_EQ(t.signals[0].id, 3);
    EXPECT_EQ(t.signals[0].producers, 8);
    EXPECT_EQ(t.signals[0].consumers, 8);
    EXPECT_EQ(t.thread().barrier, 3);
    ASSERT_EQ(t.resume(), Status::done);
    EXPECT_EQ(t.scalar<std::int32_t>(40), 9);
    ASSERT_EQ(t.run(assembleProgram("(W) sync.bar 0x1")), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::barrierMisuse);
}

// oneMKL's triangular solver splits a work-group so.
TEST_F(Flow, BarriersCanBeNamedByARegister) {
    t.set(50, std::vector<std::uint32_t>{0, 0, 0x08080005, 5, 32});
    t.load(
        assembleProgram("(W) mov (1|M0) f1.0<1>:uw r50.6<0;1,0>:uw\n"
                        "(W) send.gtwy (1|M0) null r50 null:0 0x0 0x02000004\n"
                        "(W) sync.bar f1.0:uw\n"
                        "(W) mov (1|M0) f1.1<1>:uw r50.8<0;1,0>:uw\n"
                        "(W) sync.bar f1.1:uw"));
    ASSERT_EQ(t.resume(), Status::atBarrier);
    EXPECT_EQ(t.thread().barrier, 5);
    ASSERT_EQ(t.resume(), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::barrierMisuse);
    EXPECT_EQ(t.thread().fault.address, 32u);
}

TEST_F(Flow, UnsupportedInstructionsAreRefusedByName) {
    ASSERT_EQ(t.run(assembleProgram("sync.host null")), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::unsupportedInstruction);
    EXPECT_STREQ(t.thread().fault.what, "sync.host");
    const auto usage = t.program().usage();
    const auto host =
        std::find_if(usage.begin(), usage.end(), [](const isa::Usage& u) { return u.name == "sync.host"; });
    ASSERT_NE(host, usage.end());
    EXPECT_EQ(host->exactness, isa::Exactness::unsupported);
}

/// A thread before four instructions, the middle two of which do nothing.
class Range : public Flow {
  protected:
    static constexpr isa::Line kEnd = 2;

    void SetUp() override {
        t.load(assembleProgram("mov (16|M0) r40.0<1>:d 1:w\n"
                               "sync.nop null\n"
                               "sync.allrd null\n"
                               "mov (16|M0) r40.0<1>:d 2:w"),
               0xffff, {.base = 0x10000, .markLines = true});
    }
    bool run() { return isa::runWithin(t.thread(), t.program().ipOf(0), t.program().ipOf(kEnd)); }
    std::uint32_t& control(std::uint32_t number) {
        return t.thread().at<std::uint32_t>(isa::layout::kControl + 4 * number);
    }
};

TEST_F(Range, IsLeft) {
    EXPECT_TRUE(run());
    EXPECT_EQ(t.thread().ip(), t.program().ipOf(kEnd));
    EXPECT_EQ(t.scalar<std::int32_t>(40), 1) << "what comes behind it was not executed";
    EXPECT_EQ(t.resume(), Status::done);
    EXPECT_EQ(t.scalar<std::int32_t>(40), 2);
    EXPECT_FALSE(run()) << "a thread at its end goes nowhere";
}

TEST_F(Range, HasBreakpoints) {
    for (const isa::Line line : {0u, 1u, 2u}) {
        t.program().setBreakpoint(line, true);
        ASSERT_FALSE(run()) << line;
        EXPECT_EQ(t.thread().status, Status::breakpoint);
        EXPECT_EQ(t.thread().ip(), t.program().ipOf(line));
        control(0) |= 1u << 15;  // as a debugger lets it pass
        control(1) &= ~(1u << 31);
    }
    EXPECT_EQ(t.resume(), Status::done);
    EXPECT_EQ(t.scalar<std::int32_t>(40), 2);
}

TEST_F(Range, IsStepped) {
    for (const isa::Line line : {1u, 2u}) {
        control(1) |= 1u << 31;
        ASSERT_FALSE(run()) << line;
        EXPECT_EQ(t.thread().status, Status::breakpoint);
        EXPECT_EQ(t.thread().ip(), t.program().ipOf(line));
    }
}

}  // namespace
}  // namespace zetl::test
