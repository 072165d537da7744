// Prologues and epilogues: pairs, order, instance data, nesting.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "calls.h"

namespace zetl::tracing {
namespace {

class Pairs : public testing::Test {
  protected:
    void SetUp() override { resetCalls(); }
};

TEST_F(Pairs, NothingRunsBeforeEnabling) {
    int seen = 0;
    Watcher watcher([&](const auto&) { ++seen; });
    callFenceReset();
    EXPECT_EQ(seen, 0);
    watcher.enable();
    callFenceReset();
    EXPECT_EQ(seen, 1);
    watcher.disable();
    callFenceReset();
    EXPECT_EQ(seen, 1);
}

TEST_F(Pairs, RunInTheOrderOfEnabling) {
    std::vector<int> order;
    Watcher first([&](const auto&) { order.push_back(1); }, [&](const auto&) { order.push_back(-1); });
    Watcher second([&](const auto&) { order.push_back(2); }, [&](const auto&) { order.push_back(-2); });
    second.enable();
    first.enable();
    callFenceReset();
    EXPECT_EQ(order, (std::vector<int>{2, 1, -2, -1}));
}

TEST_F(Pairs, DisabledInBetweenStillEnds) {
    int epilogues = 0;
    Watcher watcher([](const auto&) {}, [&](const auto&) { ++epilogues; });
    watcher.enable();
    onDriver([&](auto) { return watcher.disable(); });
    EXPECT_EQ(callFenceReset(), ZE_RESULT_SUCCESS);
    EXPECT_EQ(epilogues, 1);
    callFenceReset();
    EXPECT_EQ(epilogues, 1);
}

TEST_F(Pairs, EnabledInBetweenSeesNothing) {
    int seen = 0;
    Watcher late([&](const auto&) { ++seen; }, [&](const auto&) { ++seen; });
    onDriver([&](auto) { return late.enable(); });
    callFenceReset();
    EXPECT_EQ(seen, 0);
}

TEST_F(Pairs, EnablingAgainWorksWithCallsInFlight) {
    std::atomic<int> seen{0};
    std::atomic<bool> inside{false};
    std::atomic<bool> leave{false};
    Watcher watcher([&](const auto&) { ++seen; });
    watcher.enable();
    onDriver([&](ze_fence_handle_t fence) {
        if (!fence) return ZE_RESULT_SUCCESS;
        inside = true;
        while (!leave) std::this_thread::yield();
        return ZE_RESULT_SUCCESS;
    });
    std::thread other([] { callFenceReset(reinterpret_cast<ze_fence_handle_t>(1)); });
    while (!inside) std::this_thread::yield();
    EXPECT_EQ(watcher.disable(), ZE_RESULT_SUCCESS);
    const ze_callbacks_t none{};
    EXPECT_EQ(setTracerCallbacks(watcher.handle(), Phase::epilogue, &none), ZE_RESULT_SUCCESS);
    EXPECT_EQ(watcher.enable(), ZE_RESULT_SUCCESS);
    callFenceReset();
    EXPECT_EQ(seen, 2);
    leave = true;
    other.join();
}

TEST_F(Pairs, InstanceDataBelongsToTracerAndCall) {
    const auto check = [](std::intptr_t tag) {
        return [tag](const Watcher::Seen& seen) { EXPECT_EQ(reinterpret_cast<std::intptr_t>(*seen.instance), tag); };
    };
    const auto set = [](std::intptr_t tag) {
        return [tag](const Watcher::Seen& seen) {
            EXPECT_EQ(*seen.instance, nullptr);
            *seen.instance = reinterpret_cast<void*>(tag);
        };
    };
    Watcher one(set(1), check(1));
    Watcher two(set(2), check(2));
    Watcher onlyEpilogue(nullptr, check(0));
    one.enable();
    two.enable();
    onlyEpilogue.enable();
    callFenceReset();
    callFenceReset();
}

TEST_F(Pairs, ArgumentsCanBeChanged) {
    const auto other = reinterpret_cast<ze_fence_handle_t>(0x1234);
    ze_fence_handle_t reached = nullptr;
    onDriver([&](ze_fence_handle_t fence) {
        reached = fence;
        return ZE_RESULT_SUCCESS;
    });
    Watcher changer([&](const Watcher::Seen& seen) { *seen.parameters->phFence = other; });
    Watcher later([&](const Watcher::Seen& seen) { EXPECT_EQ(*seen.parameters->phFence, other); },
                  [&](const Watcher::Seen& seen) { EXPECT_EQ(*seen.parameters->phFence, other); });
    changer.enable();
    later.enable();
    callFenceReset(nullptr);
    EXPECT_EQ(reached, other);
}

TEST_F(Pairs, CallsOfACallbackReachTheDriverUntraced) {
    int seen = 0;
    Watcher watcher([&](const auto&) {
        ++seen;
        callFenceReset();
        callEventHostReset();
    });
    watcher.enable();
    callFenceReset();
    EXPECT_EQ(seen, 1);
    EXPECT_EQ(eventResets(), 1);
    callFenceReset();
    EXPECT_EQ(seen, 2);
}

TEST_F(Pairs, AThousandTracersAtOnce) {
    int prologues = 0;
    int epilogues = 0;
    std::vector<std::unique_ptr<Watcher>> watchers;
    for (int i = 0; i < 1000; ++i) {
        watchers.push_back(std::make_unique<Watcher>(
            [&](const Watcher::Seen& seen) {
                ++prologues;
                *seen.instance = seen.instance;
            },
            [&](const Watcher::Seen& seen) {
                ++epilogues;
                EXPECT_EQ(*seen.instance, seen.instance);
            }));
        ASSERT_EQ(watchers.back()->enable(), ZE_RESULT_SUCCESS);
    }
    callFenceReset();
    EXPECT_EQ(prologues, 1000);
    EXPECT_EQ(epilogues, 1000);
}

}  // namespace
}  // namespace zetl::tracing
