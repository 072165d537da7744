// Enabling, disabling and destroying while calls are in flight.
#include <thread>
#include <vector>

#include "layer/tracer.h"
#include "support/scenario.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

/// A tracer whose prologue stays in the callback until released.
struct Lingerer {
    BarrierTracer tracer;
    std::atomic<bool> inside{false};
    std::atomic<bool> release{false};

    Lingerer() {
        tracer.onPrologue = [this](BarrierParams&, void**) {
            inside = true;
            EXPECT_TRUE(await([this] { return release.load(); }));
        };
        tracer.enable();
    }
};

SCENARIO(destroyWaitsForTheTracersOwnCallbacks) {
    Lingerer lingerer;
    std::thread caller([] { barrier(); });
    ASSERT_TRUE(await([&] { return lingerer.inside.load(); }));
    std::atomic<pid_t> waits{0};
    std::atomic<bool> destroyed{false};
    std::thread destroyer([&] {
        waits = gettid();
        EXPECT_EQ(lingerer.tracer.destroy(), ZE_RESULT_SUCCESS);
        destroyed = true;
    });
    EXPECT_TRUE(waitFor([&] { return waits != 0 && isAsleep(waits); }));
    EXPECT_FALSE(destroyed);
    lingerer.release = true;
    destroyer.join();
    caller.join();
    EXPECT_EQ(lingerer.tracer.epilogues, 1);
}
TEST(TracingLifetime, DestroyWaitsForItsCallbacks) { EXPECT_RUNS(fresh("destroyWaitsForTheTracersOwnCallbacks")); }

SCENARIO(destroyDoesNotWaitForOtherTracers) {
    BarrierTracer bystander;
    Lingerer lingerer;
    std::thread caller([] { barrier(); });
    ASSERT_TRUE(await([&] { return lingerer.inside.load(); }));
    EXPECT_EQ(bystander.destroy(), ZE_RESULT_SUCCESS);
    EXPECT_TRUE(lingerer.inside);
    BarrierTracer late;
    EXPECT_EQ(late.enable(), ZE_RESULT_SUCCESS);
    EXPECT_EQ(late.destroy(), ZE_RESULT_SUCCESS);
    lingerer.release = true;
    caller.join();
}
TEST(TracingLifetime, DestroyIgnoresOtherTracers) { EXPECT_RUNS(fresh("destroyDoesNotWaitForOtherTracers")); }

SCENARIO(disableNeverBlocks) {
    Lingerer lingerer;
    std::thread caller([] { barrier(); });
    ASSERT_TRUE(await([&] { return lingerer.inside.load(); }));
    EXPECT_EQ(lingerer.tracer.enable(false), ZE_RESULT_SUCCESS);
    EXPECT_FALSE(lingerer.release);
    lingerer.release = true;
    caller.join();
    EXPECT_EQ(lingerer.tracer.epilogues, 1);
}
TEST(TracingLifetime, DisableNeverBlocks) { EXPECT_RUNS(fresh("disableNeverBlocks")); }

SCENARIO(reenableWorksWithCallsInFlight) {
    BarrierTracer tracer;
    tracer.enable();
    DriverGate gate;
    std::thread caller([] { barrier(); });
    ASSERT_TRUE(gate.awaitArrivals(1));
    EXPECT_EQ(tracer.enable(false), ZE_RESULT_SUCCESS);
    EXPECT_EQ(tracer.enable(true), ZE_RESULT_SUCCESS);
    std::thread second([] { barrier(); });
    ASSERT_TRUE(gate.awaitArrivals(2));
    EXPECT_EQ(tracer.prologues, 2);
    gate.open();
    caller.join();
    second.join();
    EXPECT_EQ(tracer.epilogues, 2);
    EXPECT_EQ(tracer.enable(false), ZE_RESULT_SUCCESS);
}
TEST(TracingLifetime, ReenableWithCallsInFlight) { EXPECT_RUNS(fresh("reenableWorksWithCallsInFlight")); }

SCENARIO(callbacksMayBeChangedAfterDisableWithCallsInFlight) {
    BarrierTracer tracer;
    tracer.enable();
    DriverGate gate;
    std::thread caller([] { barrier(); });
    ASSERT_TRUE(gate.awaitArrivals(1));
    EXPECT_EQ(tracer.enable(false), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zelTracerCommandListAppendBarrierRegisterCallback(tracer.handle(), ZEL_REGISTER_EPILOGUE, nullptr),
              ZE_RESULT_SUCCESS);
    EXPECT_EQ(tracer.enable(true), ZE_RESULT_SUCCESS);
    gate.open();
    caller.join();
    EXPECT_EQ(tracer.epilogues, 1) << "the call in flight keeps the callbacks it began with";
    barrier();
    EXPECT_EQ(tracer.prologues, 2);
    EXPECT_EQ(tracer.epilogues, 1);
}
TEST(TracingLifetime, CallbacksChangedWithCallsInFlight) {
    EXPECT_RUNS(fresh("callbacksMayBeChangedAfterDisableWithCallsInFlight"));
}

SCENARIO(destroyFromOwnCallbackIsRefused) {
    BarrierTracer tracer;
    ze_result_t fromPrologue = ZE_RESULT_SUCCESS;
    ze_result_t fromEpilogue = ZE_RESULT_SUCCESS;
    tracer.onPrologue = [&](BarrierParams&, void**) {
        EXPECT_EQ(tracer.enable(false), ZE_RESULT_SUCCESS);
        fromPrologue = zelTracerDestroy(tracer.handle());
    };
    tracer.onEpilogue = [&](BarrierParams&, ze_result_t, void**) { fromEpilogue = zelTracerDestroy(tracer.handle()); };
    tracer.enable();
    barrier();
    EXPECT_EQ(fromPrologue, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    EXPECT_EQ(fromEpilogue, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    EXPECT_EQ(tracer.destroy(), ZE_RESULT_SUCCESS) << "after the call it can be destroyed";
}
TEST(TracingLifetime, DestroyFromOwnCallback) { EXPECT_RUNS(fresh("destroyFromOwnCallbackIsRefused")); }

SCENARIO(destroyOfAnotherTracerFromACallback) {
    BarrierTracer victim;
    BarrierTracer tracer;
    tracer.onPrologue = [&](BarrierParams&, void**) { EXPECT_EQ(victim.destroy(), ZE_RESULT_SUCCESS); };
    tracer.enable();
    barrier();
    EXPECT_EQ(tracer.epilogues, 1);
}
TEST(TracingLifetime, DestroyOfAnotherFromACallback) { EXPECT_RUNS(fresh("destroyOfAnotherTracerFromACallback")); }

SCENARIO(disableFromOwnCallback) {
    BarrierTracer tracer;
    tracer.onPrologue = [&](BarrierParams&, void**) { EXPECT_EQ(tracer.enable(false), ZE_RESULT_SUCCESS); };
    tracer.enable();
    barrier();
    EXPECT_EQ(tracer.epilogues, 1) << "the pair is complete";
    barrier();
    EXPECT_EQ(tracer.prologues, 1);
    EXPECT_EQ(tracer.enable(), ZE_RESULT_SUCCESS);
    barrier();
    EXPECT_EQ(tracer.epilogues, 2);
}
TEST(TracingLifetime, DisableFromOwnCallback) { EXPECT_RUNS(fresh("disableFromOwnCallback")); }

SCENARIO(thousandTracersAtOnce) {
    std::vector<std::unique_ptr<BarrierTracer>> tracers;
    for (int i = 0; i < 1000; ++i) {
        tracers.push_back(std::make_unique<BarrierTracer>());
        EXPECT_EQ(tracers.back()->enable(), ZE_RESULT_SUCCESS);
    }
    barrier();
    for (const auto& each : tracers) {
        EXPECT_EQ(each->prologues, 1);
        EXPECT_EQ(each->epilogues, 1);
    }
}
TEST(TracingLifetime, ThousandTracers) { EXPECT_RUNS(fresh("thousandTracersAtOnce")); }

}  // namespace
}  // namespace zetl::test
