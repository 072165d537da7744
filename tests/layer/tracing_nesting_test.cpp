// Calls made by callbacks, and callbacks that leave by an exception or end their thread.
#include <pthread.h>

#include <stdexcept>
#include <thread>

#include "layer/tracer.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

SCENARIO(callsOfCallbacksReachTheDriverUntraced) {
    BarrierTracer tracer;
    BarrierTracer other;
    tracer.onPrologue = [](BarrierParams&, void**) { EXPECT_EQ(barrier(), ZE_RESULT_SUCCESS); };
    tracer.onEpilogue = [](BarrierParams&, ze_result_t, void**) { EXPECT_EQ(barrier(), ZE_RESULT_SUCCESS); };
    tracer.enable();
    other.enable();
    auto& driver = *fakeDriver();
    driver.armed = true;
    const auto before = driver.callsOf(kBarrier);
    barrier();
    EXPECT_EQ(driver.callsOf(kBarrier) - before, 3u);
    for (const auto* each : {&tracer, &other}) {
        EXPECT_EQ(each->prologues, 1);
        EXPECT_EQ(each->epilogues, 1);
    }
    tracer.onPrologue = nullptr;
    barrier();
    EXPECT_EQ(other.prologues, 2) << "the thread is traced again afterwards";
}
TEST(TracingNesting, CallsOfCallbacks) { EXPECT_RUNS(fresh("callsOfCallbacksReachTheDriverUntraced")); }

SCENARIO(otherThreadIsTracedWhileACallbackRuns) {
    BarrierTracer tracer;
    std::atomic<bool> release{false};
    std::atomic<int> inside{0};
    tracer.onPrologue = [&](BarrierParams&, void**) {
        ++inside;
        EXPECT_TRUE(await([&] { return release.load(); }));
    };
    tracer.enable();
    std::thread first([] { barrier(); });
    std::thread second([] { barrier(); });
    EXPECT_TRUE(await([&] { return inside == 2; }));
    release = true;
    first.join();
    second.join();
    EXPECT_EQ(tracer.epilogues, 2);
}
TEST(TracingNesting, OtherThreads) { EXPECT_RUNS(fresh("otherThreadIsTracedWhileACallbackRuns")); }

SCENARIO(throwingCallbackHarmsNothingElse) {
    BarrierTracer thrower;
    BarrierTracer tracer;
    thrower.onPrologue = [](BarrierParams&, void**) { throw std::runtime_error("from a callback"); };
    thrower.enable();
    EXPECT_THROW(barrier(), std::runtime_error);
    EXPECT_EQ(thrower.enable(false), ZE_RESULT_SUCCESS);
    tracer.enable();
    std::thread([] { barrier(); }).join();
    EXPECT_EQ(tracer.epilogues, 1) << "another thread is traced";
    barrier();
    EXPECT_EQ(tracer.epilogues, 2) << "the thread that threw is traced again";
    EXPECT_EQ(thrower.destroy(), ZE_RESULT_SUCCESS) << "nothing is left to wait for";
}
TEST(TracingNesting, ThrowingCallback) { EXPECT_RUNS(fresh("throwingCallbackHarmsNothingElse")); }

SCENARIO(throwingEpilogueHarmsNothingElse) {
    BarrierTracer thrower;
    thrower.onEpilogue = [](BarrierParams&, ze_result_t, void**) { throw 7; };
    thrower.enable();
    EXPECT_THROW(barrier(), int);
    EXPECT_THROW(barrier(), int);
    EXPECT_EQ(thrower.prologues, 2);
    EXPECT_EQ(thrower.destroy(), ZE_RESULT_SUCCESS);
}
TEST(TracingNesting, ThrowingEpilogue) { EXPECT_RUNS(fresh("throwingEpilogueHarmsNothingElse")); }

SCENARIO(callbackMayEndItsThread) {
    BarrierTracer ender;
    BarrierTracer tracer;
    ender.onPrologue = [](BarrierParams&, void**) { pthread_exit(nullptr); };
    ender.enable();
    pthread_t thread;
    ASSERT_EQ(pthread_create(
                  &thread, nullptr, [](void*) -> void* { return barrier(), nullptr; }, nullptr),
              0);
    pthread_join(thread, nullptr);
    EXPECT_EQ(ender.prologues, 1);
    EXPECT_EQ(ender.destroy(), ZE_RESULT_SUCCESS) << "nothing is left to wait for";
    tracer.enable();
    barrier();
    EXPECT_EQ(tracer.epilogues, 1);
}
TEST(TracingNesting, CallbackEndsItsThread) { EXPECT_RUNS(fresh("callbackMayEndItsThread")); }

}  // namespace
}  // namespace zetl::test
