// When destroying a tracer waits, when it does not, and when it refuses.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "calls.h"
#include "support/wait_for.h"

namespace zetl::tracing {
namespace {

/// A call of zeFenceReset on a thread of its own that stays in the driver until told to leave.
class CallInFlight {
  public:
    CallInFlight() {
        onDriver([this](ze_fence_handle_t fence) {
            if (!fence) return ZE_RESULT_SUCCESS;
            inside_ = true;
            EXPECT_TRUE(test::waitFor([this] { return leave_.load(); }));
            return ZE_RESULT_SUCCESS;
        });
        thread_ = std::thread([] { callFenceReset(reinterpret_cast<ze_fence_handle_t>(1)); });
        while (!inside_) std::this_thread::yield();
    }
    ~CallInFlight() { end(); }
    void end() {
        leave_ = true;
        if (thread_.joinable()) thread_.join();
    }

  private:
    std::atomic<bool> inside_{false};
    std::atomic<bool> leave_{false};
    std::thread thread_;
};

class Destroy : public testing::Test {
  protected:
    void SetUp() override { resetCalls(); }
    void TearDown() override { resetCalls(); }
};

TEST_F(Destroy, RefusesAnEnabledTracerWhichStaysUsable) {
    int seen = 0;
    Watcher watcher([&](const auto&) { ++seen; });
    watcher.enable();
    EXPECT_EQ(watcher.destroy(), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    callFenceReset();
    EXPECT_EQ(seen, 1);
}

TEST_F(Destroy, WaitsForCallsThatTheTracerTraces) {
    std::atomic<bool> ended{false};
    const auto destroyWaits = [destroyer = gettid()] { return test::isAsleep(destroyer); };
    Watcher watcher([](const auto&) {},
                    [&](const auto&) {
                        EXPECT_TRUE(test::waitFor(destroyWaits));
                        ended = true;
                    });
    watcher.enable();
    CallInFlight call;
    watcher.disable();
    std::thread releaser([&] {
        EXPECT_TRUE(test::waitFor(destroyWaits));
        call.end();
    });
    EXPECT_EQ(watcher.destroy(), ZE_RESULT_SUCCESS);
    EXPECT_TRUE(ended);
    releaser.join();
}

TEST_F(Destroy, DoesNotWaitForOtherTracersCalls) {
    Watcher traced([](const auto&) {});
    traced.enable();
    CallInFlight call;
    Watcher later([](const auto&) {});
    later.enable();
    later.disable();
    EXPECT_EQ(later.destroy(), ZE_RESULT_SUCCESS);  // would hang if it waited: nobody ends the call
}

TEST_F(Destroy, DoesNotHoldUpOthers) {
    Watcher busy([](const auto&) {});
    busy.enable();
    CallInFlight call;
    busy.disable();
    std::atomic<pid_t> waits{0};
    std::thread waiter([&] {
        waits = gettid();
        EXPECT_EQ(busy.destroy(), ZE_RESULT_SUCCESS);
    });
    EXPECT_TRUE(test::waitFor([&] { return waits != 0 && test::isAsleep(waits); }));
    Watcher other([](const auto&) {});
    EXPECT_EQ(other.enable(), ZE_RESULT_SUCCESS);
    EXPECT_EQ(other.disable(), ZE_RESULT_SUCCESS);
    EXPECT_EQ(other.destroy(), ZE_RESULT_SUCCESS);
    call.end();
    waiter.join();
}

TEST_F(Destroy, RefusesInTheTracersOwnCallback) {
    ze_result_t inPrologue = ZE_RESULT_SUCCESS;
    ze_result_t inEpilogue = ZE_RESULT_SUCCESS;
    Watcher* self = nullptr;
    Watcher watcher(
        [&](const auto&) {
            self->disable();
            inPrologue = self->destroy();
        },
        [&](const auto&) { inEpilogue = self->destroy(); });
    self = &watcher;
    watcher.enable();
    callFenceReset();
    EXPECT_EQ(inPrologue, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    EXPECT_EQ(inEpilogue, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    EXPECT_EQ(watcher.destroy(), ZE_RESULT_SUCCESS);
}

TEST_F(Destroy, WorksInAnotherTracersCallback) {
    Watcher victim([](const auto&) {});
    ze_result_t code = ZE_RESULT_ERROR_UNKNOWN;
    Watcher watcher([&](const auto&) { code = victim.destroy(); });
    watcher.enable();
    callFenceReset();
    EXPECT_EQ(code, ZE_RESULT_SUCCESS);
}

TEST_F(Destroy, RefusesToCloseACircleOfWaits) {
    std::atomic<int> inside{0};
    std::atomic<ze_result_t> codes[2]{};
    Watcher* watchers[2]{};
    const auto destroyOther = [&](int own) {
        return [&, own](const Watcher::Seen& seen) {
            if (*seen.parameters->phFence != reinterpret_cast<ze_fence_handle_t>(own + 1)) return;
            ++inside;
            while (inside < 2) std::this_thread::yield();
            watchers[1 - own]->disable();
            codes[own] = watchers[1 - own]->destroy();
        };
    };
    // Each traces only its own thread's call: the other is enabled after that call has begun.
    Watcher first(destroyOther(0));
    Watcher second(destroyOther(1));
    watchers[0] = &first;
    watchers[1] = &second;
    first.enable();
    std::thread one([] { callFenceReset(reinterpret_cast<ze_fence_handle_t>(1)); });
    while (inside < 1) std::this_thread::yield();
    first.disable();
    second.enable();
    std::thread two([] { callFenceReset(reinterpret_cast<ze_fence_handle_t>(2)); });
    one.join();
    two.join();
    const bool firstRefused = codes[0] == ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    const bool secondRefused = codes[1] == ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    EXPECT_NE(firstRefused, secondRefused) << codes[0] << " " << codes[1];
}

TEST_F(Destroy, EndsTheHandleForGood) {
    zel_tracer_handle_t handle = nullptr;
    {
        Watcher watcher([](const auto&) {});
        handle = watcher.handle();
    }
    EXPECT_EQ(destroyTracer(handle), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    Watcher next([](const auto&) {});
    EXPECT_NE(next.handle(), handle);
    EXPECT_EQ(setTracerEnabled(handle, 1), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

}  // namespace
}  // namespace zetl::tracing
