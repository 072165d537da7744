// Interrupt, resume, and access to threads only while their stop is known.
#include <array>
#include <chrono>

#include "session_fixture.h"
#include "support/wait_for.h"

namespace zetl::debug {
namespace {

namespace fake = test::fake;
using Control = SessionTest;

TEST_F(Control, InterruptIsAnsweredOnceWithTheSetThatWasAsked) {
    attach();
    fake::occupyThreads({0, 3, 9});
    const ze_device_thread_t slice{0, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    ASSERT_EQ(debug_.interrupt(session_, slice), ZE_RESULT_SUCCESS);
    const auto event = next();
    EXPECT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    EXPECT_TRUE(same(event.info.thread.thread, slice));
    EXPECT_TRUE(nothing());
    EXPECT_TRUE(fake::threadStopped(0));
    EXPECT_TRUE(fake::threadStopped(3));
    EXPECT_FALSE(fake::threadStopped(9)) << "outside the set";
}

TEST_F(Control, IdleDeviceIsUnavailable) {
    attach();
    ASSERT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_SUCCESS);
    const auto event = next();
    EXPECT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
    EXPECT_TRUE(same(event.info.thread.thread, kAll));
}

TEST_F(Control, IdenticalUnansweredInterruptIsNotReady) {
    attach();
    fake::answerAtOnce(false);
    ASSERT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_SUCCESS);
    EXPECT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_NOT_READY);
    EXPECT_EQ(debug_.interrupt(session_, {0, 0, 0, 0}), ZE_RESULT_SUCCESS) << "another set";
    fake::answerHalts();
    next();
    next();
    EXPECT_TRUE(nothing());
    EXPECT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_SUCCESS);
}

TEST_F(Control, UnansweredInterruptIsAnsweredAfterTwoSeconds) {
    attach();
    fake::answerAtOnce(false);
    ASSERT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_SUCCESS);
    zet_debug_event_t event{};
    ASSERT_EQ(read(event, UINT64_MAX), ZE_RESULT_SUCCESS);
    EXPECT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
    EXPECT_EQ(debug_.resume(session_, kAll), ZE_RESULT_ERROR_NOT_AVAILABLE) << "nothing is stopped";
    fake::answerHalts();
    EXPECT_TRUE(nothing()) << "the late answer is not a second one";
}

/// The debugger reads when it likes.
TEST_F(Control, AnAnswerInTimeMayBeReadLate) {
    attach();
    fake::occupyThreads({1});
    ASSERT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_SUCCESS);
    test::letPass(std::chrono::milliseconds(2100));  // longer than an answer may take
    EXPECT_EQ(next().type, ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    EXPECT_TRUE(nothing());
    EXPECT_EQ(debug_.resume(session_, kAll), ZE_RESULT_SUCCESS);
    EXPECT_FALSE(fake::threadStopped(1));
}

/// Nobody would let them go else.
TEST_F(Control, ThreadsThatStopAfterTheAnswerAreTold) {
    attach();
    fake::occupyThreads({1});
    fake::answerAtOnce(false);
    ASSERT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_SUCCESS);
    zet_debug_event_t event{};
    ASSERT_EQ(read(event, UINT64_MAX), ZE_RESULT_SUCCESS);
    EXPECT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
    fake::answerHalts();
    event = next();
    EXPECT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    EXPECT_TRUE(same(event.info.thread.thread, kAll));
    EXPECT_TRUE(nothing());
    EXPECT_TRUE(fake::threadStopped(1));
    EXPECT_EQ(debug_.resume(session_, kAll), ZE_RESULT_SUCCESS);
    EXPECT_FALSE(fake::threadStopped(1));
}

TEST_F(Control, ALateStopIsToldByTheAnswerToTheNextInterrupt) {
    attach();
    fake::occupyThreads({1});
    fake::answerAtOnce(false);
    zet_debug_event_t event{};
    ASSERT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_SUCCESS);
    ASSERT_EQ(read(event, UINT64_MAX), ZE_RESULT_SUCCESS);
    EXPECT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
    ASSERT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_SUCCESS);
    fake::answerHalts();
    EXPECT_EQ(next().type, ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    EXPECT_TRUE(nothing()) << "one answer for both";
    EXPECT_EQ(debug_.resume(session_, kAll), ZE_RESULT_SUCCESS);
    EXPECT_FALSE(fake::threadStopped(1));
}

TEST_F(Control, SetOutsideTheDeviceIsInvalid) {
    attach();
    EXPECT_EQ(debug_.interrupt(session_, {2, 0, 0, 0}), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(debug_.resume(session_, {0, 0, 0, 2}), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Control, StoppedThreadCannotBeInterruptedAndRunningOneNotResumed) {
    attach();
    stopAndRead(5);
    const ze_device_thread_t five{0, 1, 0, 1};
    EXPECT_EQ(debug_.interrupt(session_, five), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_EQ(debug_.resume(session_, {0, 0, 0, 0}), ZE_RESULT_ERROR_NOT_AVAILABLE);
    ASSERT_EQ(debug_.resume(session_, five), ZE_RESULT_SUCCESS);
    EXPECT_FALSE(fake::threadStopped(5));
    EXPECT_EQ(debug_.resume(session_, five), ZE_RESULT_ERROR_NOT_AVAILABLE);
}

TEST_F(Control, ThreadIsOutOfReachUntilItsStopWasRead) {
    attach();
    fake::stopThread(5, ZETL_STOP_BREAKPOINT);
    const ze_device_thread_t five{0, 1, 0, 1};
    std::uint32_t value = 0;
    EXPECT_EQ(debug_.readRegisters(session_, five, fake::kReadOnly, 0, 1, &value), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_EQ(debug_.resume(session_, kAll), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_TRUE(fake::threadStopped(5));
    next();
    EXPECT_EQ(debug_.readRegisters(session_, five, fake::kReadOnly, 0, 1, &value), ZE_RESULT_SUCCESS);
}

TEST_F(Control, ResumeOfAllLeavesAThreadWhoseStopIsUnread) {
    attach();
    stopAndRead(5);
    fake::stopThread(6, ZETL_STOP_BREAKPOINT);
    ASSERT_EQ(debug_.resume(session_, kAll), ZE_RESULT_SUCCESS);
    EXPECT_FALSE(fake::threadStopped(5));
    EXPECT_TRUE(fake::threadStopped(6));
    EXPECT_EQ(next().type, ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    EXPECT_EQ(debug_.resume(session_, kAll), ZE_RESULT_SUCCESS);
    EXPECT_FALSE(fake::threadStopped(6));
}

/// Two interrupts reach it, and the debugger resumes it after the first one's answer.
TEST_F(Control, AnAnswerReadAfterItsThreadWasResumedDoesNotCountAsItsStop) {
    attach();
    fake::occupyThreads({2});
    const ze_device_thread_t two{0, 0, 1, 0};
    ASSERT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_SUCCESS);
    ASSERT_EQ(debug_.interrupt(session_, two), ZE_RESULT_SUCCESS);
    next();
    ASSERT_EQ(debug_.resume(session_, kAll), ZE_RESULT_SUCCESS);
    EXPECT_TRUE(same(next().info.thread.thread, two));
    std::uint32_t value = 0;
    EXPECT_EQ(debug_.readRegisters(session_, two, fake::kReadOnly, 0, 1, &value), ZE_RESULT_ERROR_NOT_AVAILABLE);
    readMemory(two, at(0x500000), 1, ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_EQ(debug_.resume(session_, two), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_EQ(debug_.interrupt(session_, two), ZE_RESULT_SUCCESS) << "it runs";
    next();
    EXPECT_EQ(debug_.readRegisters(session_, two, fake::kReadOnly, 0, 1, &value), ZE_RESULT_SUCCESS);
}

TEST_F(Control, RegistersOfAnInterruptedThreadCanBeWrittenAndReadBack) {
    attach();
    fake::occupyThreads({2});
    ASSERT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_SUCCESS);
    next();
    const ze_device_thread_t two{0, 0, 1, 0};
    std::array<std::uint8_t, 128> written{};
    std::array<std::uint8_t, 128> back{};
    written.fill(0xAA);
    ASSERT_EQ(debug_.writeRegisters(session_, two, fake::kGeneral, 6, 2, written.data()), ZE_RESULT_SUCCESS);
    ASSERT_EQ(debug_.readRegisters(session_, two, fake::kGeneral, 6, 2, back.data()), ZE_RESULT_SUCCESS);
    EXPECT_EQ(written, back);
    // Stopped threads are found by reading; the others of the device refuse without asking the target.
    const auto asked = fake::calls("read_registers");
    EXPECT_EQ(debug_.readRegisters(session_, {1, 1, 1, 1}, fake::kControl, 0, 1, back.data()),
              ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_EQ(fake::calls("read_registers"), asked);
}

TEST_F(Control, RegisterRangesAreChecked) {
    attach();
    stopAndRead(0);
    const ze_device_thread_t zero{0, 0, 0, 0};
    std::uint8_t values[1024] = {};
    EXPECT_EQ(debug_.readRegisters(session_, zero, 99, 0, 1, values), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(debug_.readRegisters(session_, zero, fake::kGeneral, 8, 1, values), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(debug_.readRegisters(session_, zero, fake::kGeneral, 1, 8, values), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(debug_.readRegisters(session_, zero, fake::kGeneral, 1, UINT32_MAX, values),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(debug_.writeRegisters(session_, zero, fake::kReadOnly, 0, 1, values), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(debug_.readRegisters(session_, kAll, fake::kGeneral, 0, 1, values), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_EQ(debug_.readRegisters(session_, zero, fake::kGeneral, 0, 1, nullptr),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    std::uint32_t count = 0;
    EXPECT_EQ(debug_.getThreadRegisterSetProperties(session_, kAll, &count, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(debug_.getThreadRegisterSetProperties(session_, zero, &count, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(count, 3u);
}

TEST_F(Control, DetachRunsWhatIsStopped) {
    attach();
    stopAndRead(0);
    ASSERT_EQ(debug_.detach(session_), ZE_RESULT_SUCCESS);
    EXPECT_FALSE(fake::threadStopped(0));
}

}  // namespace
}  // namespace zetl::debug
