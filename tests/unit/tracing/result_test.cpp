#include <gtest/gtest.h>

#include "calls.h"

namespace zetl::tracing {
namespace {

class Replaced : public testing::Test {
  protected:
    void SetUp() override { resetCalls(); }
};

TEST_F(Replaced, ResultReachesLaterEpiloguesAndTheApplication) {
    ze_result_t later = ZE_RESULT_SUCCESS;
    Watcher changer(nullptr, [](const Watcher::Seen& seen) {
        EXPECT_EQ(seen.result, ZE_RESULT_SUCCESS);
        EXPECT_EQ(replaceResult(ZE_RESULT_NOT_READY), ZE_RESULT_SUCCESS);
    });
    Watcher observer(nullptr, [&](const Watcher::Seen& seen) { later = seen.result; });
    changer.enable();
    EXPECT_EQ(callFenceReset(), ZE_RESULT_NOT_READY);
    observer.enable();
    EXPECT_EQ(callFenceReset(), ZE_RESULT_NOT_READY);
    EXPECT_EQ(later, ZE_RESULT_NOT_READY);
}

TEST_F(Replaced, OnlyInAnEpilogue) {
    EXPECT_EQ(replaceResult(ZE_RESULT_NOT_READY), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ze_result_t inPrologue = ZE_RESULT_SUCCESS;
    Watcher watcher([&](const auto&) { inPrologue = replaceResult(ZE_RESULT_NOT_READY); });
    watcher.enable();
    EXPECT_EQ(callFenceReset(), ZE_RESULT_SUCCESS);
    EXPECT_EQ(inPrologue, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(replaceResult(ZE_RESULT_NOT_READY), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace zetl::tracing
