// The order of events and what acknowledgements do.
#include <chrono>
#include <cstring>

#include "session_fixture.h"

namespace zetl::debug {
namespace {

namespace fake = test::fake;
using Events = SessionTest;

TEST_F(Events, NothingPendingTimesOut) {
    attach();
    zet_debug_event_t event{};
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(read(event, 20), ZE_RESULT_NOT_READY);
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(20));
}

TEST_F(Events, EntryComesBeforeLoadsAlsoIfTheDeviceSaysOtherwise) {
    fake::enterProcess();
    fake::load("image", 0x10000, 64);
    attach();  // the scripted device replays the module first
    EXPECT_EQ(next().type, ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    EXPECT_EQ(next().type, ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    EXPECT_TRUE(nothing());
}

TEST_F(Events, LoadIsHeldBackUntilTheProcessEnters) {
    attach();
    fake::load("image", 0x10000, 64);
    EXPECT_TRUE(nothing());
    fake::enterProcess();
    EXPECT_EQ(next().type, ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    EXPECT_EQ(next().type, ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
}

TEST_F(Events, ModulesThatOutliveTheLastQueueAreUnloadedAndAnnouncedAgain) {
    attach();
    fake::enterProcess();
    fake::load("image", 0x10000, 64);
    fake::leaveProcess();
    fake::enterProcess();
    for (const auto type :
         {ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY, ZET_DEBUG_EVENT_TYPE_MODULE_LOAD, ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD,
          ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT, ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY, ZET_DEBUG_EVENT_TYPE_MODULE_LOAD})
        EXPECT_EQ(next().type, type);
}

TEST_F(Events, UnloadRepeatsTheNumbersOfItsLoad) {
    attach();
    fake::enterProcess();
    const auto module = fake::load("the image", 0x10000, 64);
    fake::unload(module);
    next();
    EXPECT_TRUE(nothing()) << "a module that came and went between two reads is not announced";
    const auto second = fake::load("the image", 0x20000, 64);
    const auto load = next();
    fake::unload(second);
    const auto unload = next();
    EXPECT_EQ(load.info.module.load, 0x20000u);
    EXPECT_EQ(load.info.module.moduleEnd - load.info.module.moduleBegin, 9u);
    EXPECT_EQ(unload.type, ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD);
    EXPECT_EQ(std::memcmp(&load.info, &unload.info, sizeof load.info), 0);
}

TEST_F(Events, AcknowledgementReleasesTheHoldOnce) {
    attach();
    fake::enterProcess();
    fake::load("a", 0x10000, 64, 501);
    fake::load("b", 0x20000, 64, 502);
    next();
    const auto first = next();
    const auto second = next();
    EXPECT_TRUE(first.flags & ZET_DEBUG_EVENT_FLAG_NEED_ACK);
    ASSERT_EQ(debug_.acknowledgeEvent(session_, &second), ZE_RESULT_SUCCESS);  // any order
    ASSERT_EQ(debug_.acknowledgeEvent(session_, &first), ZE_RESULT_SUCCESS);
    EXPECT_EQ(fake::releasedHolds(), (std::vector<std::uint64_t>{502, 501}));
    EXPECT_EQ(debug_.acknowledgeEvent(session_, &first), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Events, EventThatNobodyCanHaveReadIsNotAcknowledged) {
    attach();
    fake::enterProcess();
    fake::load("a", 0x10000, 64, 501);
    const auto entry = next();
    const auto load = next();
    zet_debug_event_t corrupt;
    std::memset(&corrupt, 0xff, sizeof corrupt);
    EXPECT_EQ(debug_.acknowledgeEvent(session_, &corrupt), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    std::memset(&corrupt, 0, sizeof corrupt);
    EXPECT_EQ(debug_.acknowledgeEvent(session_, &corrupt), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "no type";
    corrupt = entry;
    corrupt.flags = ZET_DEBUG_EVENT_FLAG_NEED_ACK;
    EXPECT_EQ(debug_.acknowledgeEvent(session_, &corrupt), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    corrupt = load;
    corrupt.flags |= 4;
    EXPECT_EQ(debug_.acknowledgeEvent(session_, &corrupt), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    corrupt = load;
    std::swap(corrupt.info.module.moduleBegin, corrupt.info.module.moduleEnd);
    EXPECT_EQ(debug_.acknowledgeEvent(session_, &corrupt), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(fake::releasedHolds().empty());
    EXPECT_EQ(debug_.acknowledgeEvent(session_, &load), ZE_RESULT_SUCCESS);
}

TEST_F(Events, EventsThatNeedNoAcknowledgementTakeOneSilently) {
    attach();
    fake::enterProcess();
    fake::load("a", 0x10000, 64);
    const auto entry = next();
    const auto load = next();
    EXPECT_FALSE(load.flags & ZET_DEBUG_EVENT_FLAG_NEED_ACK);
    EXPECT_EQ(debug_.acknowledgeEvent(session_, &entry), ZE_RESULT_SUCCESS);
    EXPECT_EQ(debug_.acknowledgeEvent(session_, &load), ZE_RESULT_SUCCESS);
    EXPECT_TRUE(fake::releasedHolds().empty());
}

TEST_F(Events, PageFaultIsAlignedAndMasked) {
    attach();
    fake::fault(0x12345678, true);
    const auto event = next();
    EXPECT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_PAGE_FAULT);
    EXPECT_EQ(event.info.page_fault.address, 0x12345000u);
    EXPECT_EQ(event.info.page_fault.mask, ~std::uint64_t{0xfff});
}

TEST_F(Events, EndOfTheTargetIsUnloadExitAnswersAndDetachedLast) {
    attach();
    fake::enterProcess();
    fake::load("a", 0x10000, 64);
    fake::answerAtOnce(false);
    next();
    next();
    ASSERT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_SUCCESS);
    fake::end();
    EXPECT_EQ(next().type, ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD);
    EXPECT_EQ(next().type, ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT);
    EXPECT_EQ(next().type, ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
    ASSERT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_SUCCESS) << "still answered before DETACHED";
    EXPECT_EQ(next().type, ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
    const auto detached = next();
    EXPECT_EQ(detached.type, ZET_DEBUG_EVENT_TYPE_DETACHED);
    EXPECT_EQ(detached.info.detached.reason, ZET_DEBUG_DETACH_REASON_HOST_EXIT);
    EXPECT_TRUE(nothing());
    EXPECT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_ERROR_NOT_AVAILABLE);
    zet_debug_event_t event{};
    EXPECT_EQ(read(event, UINT64_MAX), ZE_RESULT_NOT_READY) << "nothing can come: no wait";
    EXPECT_FALSE(fake::targetOpen()) << "a debugger need not detach after DETACHED";
    EXPECT_EQ(debug_.detach(session_), ZE_RESULT_SUCCESS);
}

}  // namespace
}  // namespace zetl::debug
