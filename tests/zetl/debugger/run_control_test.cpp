// Who runs and who stands still, on a device that says what the test wants.
#include "core/run_control.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>

#include "core/instruction.h"

namespace zetl::debugger {
namespace {

constexpr ThreadId kFirst{0, 0, 0, 0};
constexpr ThreadId kSecond{0, 0, 0, 1};
constexpr std::uint64_t kBase = 0x10000;
constexpr std::uint64_t kCode = 0x40;

/// Two threads in code that no module has, and a memory of 4096 bytes at kBase.
class ScriptedLink : public Link {
  public:
    ScriptedLink() {
        for (const auto& [type, bytes, count] : {std::tuple(registers::kGeneral, 64u, 4u),
                                                 {registers::kFlag, 4u, 4u},
                                                 {registers::kChannelEnable, 4u, 1u},
                                                 {registers::kStatus, 16u, 1u},
                                                 {registers::kControl, 16u, 1u},
                                                 {registers::kStateBase, 8u, 9u}}) {
            zet_debug_regset_properties_t set{};
            set.type = type;
            set.byteSize = bytes;
            set.count = count;
            set.generalFlags = 3;
            sets_.push_back(set);
        }
    }
    const ThreadShape& shape() const override { return shape_; }
    const std::vector<zet_debug_regset_properties_t>& registerSets() const override { return sets_; }

    ze_result_t readEvent(std::uint64_t, zet_debug_event_t& event) override {
        if (events.empty()) return onIdle ? onIdle() : ZE_RESULT_NOT_READY;
        event = events.front();
        events.pop_front();
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t acknowledge(const zet_debug_event_t&) override {
        ++acknowledged;
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t interrupt(const ThreadId& set) override {
        EXPECT_EQ(set, kEveryThread);
        ++interrupts;
        if (onInterrupt) return onInterrupt();
        for (const auto& id : running) standing.insert(id);
        running.clear();
        say(standing.empty() ? ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE : ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t resume(const ThreadId& set) override {
        ++resumes;
        if (set == kEveryThread) standing.clear();
        standing.erase(set);
        if (onResume) onResume();
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t readMemory(const ThreadId&, zet_debug_memory_space_type_t space, std::uint64_t address,
                           std::size_t bytes, void* buffer) override {
        if (space == ZET_DEBUG_MEMORY_SPACE_TYPE_SLM) {
            std::memcpy(buffer, local.data() + (address & 0xff), bytes);
            return ZE_RESULT_SUCCESS;
        }
        if (address < kBase || address - kBase + bytes > memory.size()) return ZE_RESULT_ERROR_NOT_AVAILABLE;
        std::memcpy(buffer, memory.data() + (address - kBase), bytes);
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t writeMemory(const ThreadId&, zet_debug_memory_space_type_t, std::uint64_t address, std::size_t bytes,
                            const void* buffer) override {
        if (address < kBase || address - kBase + bytes > memory.size()) return ZE_RESULT_ERROR_NOT_AVAILABLE;
        std::memcpy(memory.data() + (address - kBase), buffer, bytes);
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t readRegisters(const ThreadId& thread, std::uint32_t type, std::uint32_t first, std::uint32_t count,
                              void* values) override {
        if (!standing.contains(thread)) return ZE_RESULT_ERROR_NOT_AVAILABLE;
        const auto bytes = bytesOf(type) * count;
        std::memset(values, 0, bytes);
        if (type == registers::kControl) std::memcpy(values, control[thread].data(), bytes);
        if (type == registers::kChannelEnable || type == registers::kStatus) std::memset(values, 0xff, bytes);
        if (type == registers::kStateBase && first <= registers::kInstructionBase &&
            first + count > registers::kInstructionBase)
            std::memcpy(static_cast<char*>(values) + 8 * (registers::kInstructionBase - first), &kBase, sizeof kBase);
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t writeRegisters(const ThreadId& thread, std::uint32_t type, std::uint32_t, std::uint32_t,
                               const void* values) override {
        if (type == registers::kControl) std::memcpy(control[thread].data(), values, 16);
        return ZE_RESULT_SUCCESS;
    }

    void say(zet_debug_event_type_t type, const ThreadId& about = kEveryThread) {
        zet_debug_event_t event{};
        event.type = type;
        event.info.thread.thread = about.native();
        events.push_back(event);
    }
    /// The thread stops by itself.
    void stop(const ThreadId& thread, std::uint32_t exceptions) {
        running.erase(thread);
        standing.insert(thread);
        control[thread] = {0, exceptions, kCode, 0};
        say(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED, thread);
    }

    std::deque<zet_debug_event_t> events;
    std::function<ze_result_t()> onIdle;
    std::function<void()> onResume;
    std::function<ze_result_t()> onInterrupt;
    std::set<ThreadId> running{kFirst, kSecond};
    std::set<ThreadId> standing;
    std::map<ThreadId, std::array<std::uint32_t, 4>> control;
    std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(4096);
    std::vector<std::uint8_t> local = std::vector<std::uint8_t>(512);
    int interrupts = 0;
    int resumes = 0;
    int acknowledged = 0;

  private:
    std::size_t bytesOf(std::uint32_t type) const {
        for (const auto& set : sets_)
            if (set.type == type) return set.byteSize;
        return 0;
    }
    const ThreadShape shape_{1, 1, 1, 2};
    std::vector<zet_debug_regset_properties_t> sets_;
};

class RunControlTest : public testing::Test {
  protected:
    ScriptedLink link;
    bool wantsInterrupt = false;
    bool hasEnded = false;
    std::vector<std::string> told;
    RunControl control{link,
                       {[this] { return std::exchange(wantsInterrupt, false); }, [this] { return hasEnded; },
                        [this](const std::string& text) { told.push_back(text); }}};
};

TEST_F(RunControlTest, OneThreadsStopStopsAll) {
    link.stop(kSecond, registers::kIllegal);
    const auto stop = control.proceed();
    EXPECT_EQ(stop.kind, Stop::Kind::illegal);
    EXPECT_EQ(stop.thread, kSecond);
    EXPECT_EQ(link.interrupts, 1);
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
    EXPECT_NE(told.front().find("cannot be read"), std::string::npos);
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

/// Whoever attaches sets breakpoints first: nothing of a module that is held runs meanwhile.
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

}  // namespace
}  // namespace zetl::debugger
