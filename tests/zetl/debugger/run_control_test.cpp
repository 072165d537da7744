// Which threads run and which are stopped, on a device that says what the test wants.
#include "core/run_control.h"

#include <gtest/gtest.h>

#include "core/failure.h"
#include "core/memory.h"
#include "core/xe_registers.h"
#include "scripted_link.h"

namespace zetl::debugger {
namespace {

using test::kBase;
using test::kCode;
using test::kFirst;
using test::kSecond;
using test::ScriptedLink;

class RunControlTest : public testing::Test {
  protected:
    ScriptedLink link;
    bool wantsInterrupt = false;
    bool hasEnded = false;
    std::vector<std::string> told;
    ValueHistory history;
    SourceText source;
    LocationCheck locations{source};
    RunControl control{link,
                       {[this] { return std::exchange(wantsInterrupt, false); }, [this] { return hasEnded; },
                        [this](const std::string& text) { told.push_back(text); }},
                       history,
                       locations};
};

TEST_F(RunControlTest, OneThreadsStopStopsAll) {
    link.stop(kSecond, registers::kIllegal);
    const auto stop = control.proceed();
    EXPECT_EQ(stop.kind, Stop::Kind::illegal);
    EXPECT_EQ(stop.thread, kSecond);
    EXPECT_EQ(link.interrupts, 1);
    EXPECT_EQ(link.interrupted, kEveryThread);
    EXPECT_EQ(control.threads(), (std::vector{kFirst, kSecond}));
    EXPECT_EQ(link.resumes, 0);
}

TEST_F(RunControlTest, WhoStoppedByItselfIsMovedOnAndWhoWasHaltedIsNot) {
    link.stop(kSecond, registers::kSoftware);
    EXPECT_EQ(control.proceed().kind, Stop::Kind::software);
    link.onIdle = [] { return ZE_RESULT_ERROR_UNINITIALIZED; };
    EXPECT_EQ(control.proceed().kind, Stop::Kind::exited);
    EXPECT_EQ(link.resumes, 1);
    EXPECT_EQ(link.control[kSecond][0], registers::kSuppressBreakpoint);
    EXPECT_EQ(link.control[kSecond][1], 0u) << "its exception is taken away";
    EXPECT_EQ(link.control[kFirst][0], 0u);
}

/// Compilers mark the first instruction of a kernel: that is nobody's breakpoint.
TEST_F(RunControlTest, AMarkThatNobodySetIsClearedAndPassed) {
    constexpr std::uint8_t kMark = 0x40;  // in the fourth byte of a long instruction
    link.memory[kCode + 3] = kMark;
    link.onResume = [this] {
        EXPECT_EQ(link.memory[kCode + 3], 0);
        link.running = {kFirst, kSecond};
        link.say(ZET_DEBUG_EVENT_TYPE_DETACHED);
    };
    link.stop(kFirst, registers::kBreakpointOrStep);
    EXPECT_EQ(control.proceed().kind, Stop::Kind::exited);
    EXPECT_EQ(link.interrupts, 1);
    EXPECT_EQ(link.resumes, 1);
}

TEST_F(RunControlTest, SeveralThatStopTogetherAreOneStop) {
    link.stop(kFirst, registers::kIllegal);
    link.stop(kSecond, registers::kIllegal);
    const auto stop = control.proceed();
    EXPECT_EQ(stop.thread, kFirst);
    EXPECT_EQ(stop.others, 1u);
}

TEST_F(RunControlTest, TwoReasonsAreToldOneAfterTheOther) {
    link.stop(kFirst, registers::kIllegal);
    link.stop(kSecond, registers::kSoftware);
    const auto one = control.proceed();
    EXPECT_EQ(one.kind, Stop::Kind::illegal);
    EXPECT_EQ(one.others, 0u);
    const auto other = control.proceed();
    EXPECT_EQ(other.kind, Stop::Kind::software);
    EXPECT_EQ(other.thread, kSecond);
    EXPECT_EQ(link.resumes, 0) << "nothing ran between the two";
    link.say(ZET_DEBUG_EVENT_TYPE_DETACHED);
    EXPECT_EQ(control.proceed().kind, Stop::Kind::exited);
}

TEST_F(RunControlTest, TheUserStopsWhatRuns) {
    wantsInterrupt = true;
    const auto stop = control.proceed();
    EXPECT_EQ(stop.kind, Stop::Kind::interrupted);
    EXPECT_EQ(stop.thread, kFirst);
    EXPECT_TRUE(control.stopped());
}

TEST_F(RunControlTest, AnInterruptOfNothingSaysSo) {
    link.running.clear();
    EXPECT_EQ(control.interrupt().kind, Stop::Kind::idle);
    EXPECT_FALSE(control.stopped());
}

TEST_F(RunControlTest, TheEndOfTheDebuggeeIsAStop) {
    link.say(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    link.say(ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT);
    link.say(ZET_DEBUG_EVENT_TYPE_DETACHED);
    EXPECT_EQ(control.proceed().kind, Stop::Kind::exited);
    EXPECT_TRUE(control.exited());
    EXPECT_EQ(control.proceed().kind, Stop::Kind::exited) << "and stays one";
    EXPECT_EQ(link.resumes, 0);
}

TEST_F(RunControlTest, AProcessThatIsNoMoreIsNotWaitedFor) {
    hasEnded = true;
    EXPECT_EQ(control.proceed().kind, Stop::Kind::exited);
}

// Killed between a thread's stop and the debugger's look at it: a loop without end once.
TEST_F(RunControlTest, AProcessThatEndsWithAStopUnseenIsNotWaitedFor) {
    link.stop(kSecond, registers::kIllegal);
    link.onInterrupt = [this] {
        link.standing.clear();
        hasEnded = true;
        return ZE_RESULT_ERROR_DEVICE_LOST;
    };
    EXPECT_EQ(control.proceed().kind, Stop::Kind::exited);
    EXPECT_TRUE(control.exited());
    EXPECT_EQ(link.interrupts, 1);
}

TEST_F(RunControlTest, AModuleThatCannotBeReadIsToldAndLetGo) {
    zet_debug_event_t load{};
    load.type = ZET_DEBUG_EVENT_TYPE_MODULE_LOAD;
    load.flags = ZET_DEBUG_EVENT_FLAG_NEED_ACK;
    load.info.module.moduleBegin = 0x5000'0000;
    load.info.module.moduleEnd = 0x5000'1000;
    link.events.push_back(load);
    link.say(ZET_DEBUG_EVENT_TYPE_DETACHED);
    control.proceed();
    EXPECT_EQ(link.acknowledged, 1) << "the program is not kept from running for the debugger's sake";
    ASSERT_EQ(told.size(), 1u);
    EXPECT_NE(told.front().find("cannot read"), std::string::npos);
}

TEST_F(RunControlTest, AWatchSeesLocalMemoryOfItsWorkGroup) {
    constexpr std::uint8_t kSend = 0x31;
    link.memory[kCode] = kSend;
    link.stop(kFirst, registers::kIllegal);
    control.proceed();
    EXPECT_EQ(control.watchLocal("local:12", kFirst, 12, 4), 1u);
    link.onResume = [this] {
        link.local[12] = 7;
        link.stop(kFirst, registers::kBreakpointOrStep);
    };
    const auto stop = control.proceed();
    EXPECT_EQ(stop.kind, Stop::Kind::watch);
    EXPECT_EQ(stop.thread, kFirst);
    EXPECT_NE(stop.text.find("local:12 changed at 0x10040: 00 00 00 00 -> 07 00 00 00"), std::string::npos)
        << stop.text;
}

/// A launch of 1000 instructions in ten intervals, in which nothing is found.
class BackwardsTest : public RunControlTest {
  protected:
    BackwardsTest() {
        link.stop(kFirst, registers::kIllegal);
        control.proceed();
        link.onHistory = [this](const zetl_history_request_t& request) {
            if (request.kind == ZETL_HISTORY_HIT && ++intervals == 3 && onThird) onThird();
            if (isGone) return ZE_RESULT_ERROR_NOT_AVAILABLE;
            if (request.kind == ZETL_HISTORY_GO) now = request.time;
            link.answer = {};
            link.answer.status = request.kind == ZETL_HISTORY_HIT ? ZETL_HISTORY_ABSENT : ZETL_HISTORY_OK;
            link.answer.now = now;
            link.answer.end = kEnd;
            link.answer.found = request.kind == ZETL_HISTORY_HIT ? request.time - 100 : now;
            return ZE_RESULT_SUCCESS;
        };
    }
    static constexpr std::uint64_t kEnd = 1000;
    std::uint64_t now = kEnd;
    int intervals = 0;
    bool isGone = false;
    std::function<void()> onThird;
};

TEST_F(BackwardsTest, ASearchThatTheUserInterruptsEndsWhereItBegan) {
    onThird = [this] { wantsInterrupt = true; };
    const auto stop = control.proceedBack(kFirst);
    EXPECT_EQ(stop.kind, Stop::Kind::interrupted);
    EXPECT_EQ(stop.thread, kFirst);
    EXPECT_EQ(intervals, 3);
    EXPECT_EQ(now, kEnd);
    EXPECT_FALSE(control.isInPast());
    onThird = nullptr;
    EXPECT_EQ(control.proceedBack(kFirst).kind, Stop::Kind::moment) << "the next one is not interrupted";
    EXPECT_EQ(now, 0u);
}

TEST_F(BackwardsTest, ASearchThatTheEndOfTheDebuggeeCutsShortSaysSo) {
    onThird = [this] {
        isGone = true;
        link.say(ZET_DEBUG_EVENT_TYPE_DETACHED);
    };
    EXPECT_THROW(control.proceedBack(kFirst), Failure);
    EXPECT_TRUE(control.hasEnded());
}

TEST_F(RunControlTest, AThreadThatRunsAloneAndWaitsIsStopped) {
    link.stop(kFirst, registers::kIllegal);
    control.proceed();
    control.setLocking(Locking::on);
    link.onResume = [this] { link.running.insert(kFirst); };
    const auto stop = control.proceedAlone(kFirst);
    EXPECT_EQ(stop.kind, Stop::Kind::interrupted);
    EXPECT_EQ(stop.thread, kFirst);
    EXPECT_NE(stop.text.find("it waits for other threads"), std::string::npos) << stop.text;
    EXPECT_TRUE(link.standing.contains(kSecond)) << "the others stay";
}

/// The step goes on, and the next run goes there.
TEST_F(RunControlTest, AHitInAnotherGroupIsToldWhileAThreadSteps) {
    constexpr std::uint32_t kElsewhere = kCode + 0x40;
    link.generalOf[kSecond] = 0x0000'0007'0000'0007;  // its work-group's number is there
    link.stop(kFirst, registers::kIllegal);
    control.proceed();
    control.breakpoints().add("*0x10080", "");
    control.setLocking(Locking::off);
    link.onResume = [this] {
        link.stop(kSecond, registers::kBreakpointOrStep);
        link.control[kSecond][2] = kElsewhere;
        link.stop(kFirst, registers::kBreakpointOrStep);
        link.control[kFirst][2] = kCode + 16;
    };
    const auto stop = control.step(kFirst, 0, Step::instruction);
    EXPECT_EQ(stop.kind, Stop::Kind::step);
    EXPECT_EQ(stop.thread, kFirst);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told.front(), "thread 0.0.0.1, work-group (7, 7, 7), came to breakpoint 1; continue goes there");
    EXPECT_EQ(link.resumed, kEveryThread);
    link.onResume = nullptr;
    const auto next = control.proceed();
    EXPECT_EQ(next.kind, Stop::Kind::breakpoint);
    EXPECT_EQ(next.thread, kSecond);
    EXPECT_EQ(next.breakpoints, std::vector{1u});
}

/// A debugger that attaches sets breakpoints first: nothing of a module that is held runs meanwhile.
TEST_F(RunControlTest, ModulesAreHeldWhileTheUserLooksAround) {
    zet_debug_event_t load{};
    load.type = ZET_DEBUG_EVENT_TYPE_MODULE_LOAD;
    load.flags = ZET_DEBUG_EVENT_FLAG_NEED_ACK;
    link.events.push_back(load);
    link.running.clear();
    EXPECT_EQ(control.interrupt().kind, Stop::Kind::idle);
    EXPECT_EQ(link.acknowledged, 0);
    link.say(ZET_DEBUG_EVENT_TYPE_DETACHED);
    control.proceed();
    EXPECT_EQ(link.acknowledged, 1);
}

TEST_F(RunControlTest, ReleaseLetsEverythingRun) {
    link.stop(kFirst, registers::kIllegal);
    control.proceed();
    control.release();
    EXPECT_TRUE(link.standing.empty());
    EXPECT_FALSE(control.stopped());
}

TEST(Breakpoints, AreSetByAddressWhereCodeCannotBeWritten) {
    ScriptedLink link;
    link.device = &cuda();
    Memory memory(link);
    const auto place = kBase + kCode;
    const Bytes original(16, ScriptedLink::kOriginal[0]);
    ASSERT_TRUE(memory.insertBreakpoint(place));
    ASSERT_TRUE(memory.insertBreakpoint(place));
    EXPECT_EQ(link.breakpoints, std::set{place});
    EXPECT_EQ(link.memory[kCode], ScriptedLink::kPlaced);
    EXPECT_EQ(memory.read(place, 16), original) << "users see the code without breakpoints";
    EXPECT_TRUE(memory.write(place, original));
    EXPECT_EQ(link.memory[kCode], ScriptedLink::kPlaced) << "it is still set";
    memory.removeBreakpoint(place);
    EXPECT_EQ(link.breakpoints.size(), 1u);
    memory.removeBreakpoint(place);
    EXPECT_TRUE(link.breakpoints.empty());
    memory.clearMark(place);
    EXPECT_FALSE(memory.insertBreakpoint(0x10)) << "no code";
}

}  // namespace
}  // namespace zetl::debugger
