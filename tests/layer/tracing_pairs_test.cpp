// Tools Programming Guide, "API Tracing", "Enabling/Disabling and Destruction": created disabled, callbacks in pairs.
#include <thread>

#include "layer/tracer.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

SCENARIO(tracerIsCreatedDisabled) {
    BarrierTracer tracer;
    EXPECT_EQ(barrier(), ZE_RESULT_SUCCESS);
    EXPECT_EQ(tracer.prologues, 0);
    EXPECT_EQ(tracer.epilogues, 0);
}
TEST(TracingPairs, CreatedDisabled) { EXPECT_RUNS(fresh("tracerIsCreatedDisabled")); }

SCENARIO(enabledTracerSeesEachCallOnce) {
    BarrierTracer tracer;
    EXPECT_EQ(tracer.enable(), ZE_RESULT_SUCCESS);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(barrier(), ZE_RESULT_SUCCESS);
    EXPECT_EQ(tracer.prologues, 3);
    EXPECT_EQ(tracer.epilogues, 3);
    EXPECT_EQ(tracer.enable(false), ZE_RESULT_SUCCESS);
    EXPECT_EQ(barrier(), ZE_RESULT_SUCCESS);
    EXPECT_EQ(tracer.prologues, 3);
}
TEST(TracingPairs, EachCallOnce) { EXPECT_RUNS(fresh("enabledTracerSeesEachCallOnce")); }
TEST(TracingPairs, EachCallOnceWithBothSlots) { EXPECT_RUNS(fresh("enabledTracerSeesEachCallOnce", Slots::both)); }

SCENARIO(prologueGetsItsEpilogueAfterDisable) {
    BarrierTracer tracer;
    tracer.enable();
    DriverGate gate;
    std::thread caller([] { barrier(); });
    ASSERT_TRUE(gate.awaitArrivals(1));
    EXPECT_EQ(tracer.prologues, 1);
    EXPECT_EQ(tracer.enable(false), ZE_RESULT_SUCCESS);
    EXPECT_EQ(tracer.epilogues, 0);
    gate.open();
    caller.join();
    EXPECT_EQ(tracer.epilogues, 1);
}
TEST(TracingPairs, DisabledDuringTheCall) { EXPECT_RUNS(fresh("prologueGetsItsEpilogueAfterDisable")); }

SCENARIO(noEpilogueWithoutPrologue) {
    BarrierTracer tracer;
    BarrierTracer other;
    other.enable();
    DriverGate gate;
    std::thread caller([] { barrier(); });
    ASSERT_TRUE(gate.awaitArrivals(1));
    EXPECT_EQ(tracer.enable(), ZE_RESULT_SUCCESS);
    gate.open();
    caller.join();
    EXPECT_EQ(tracer.prologues, 0);
    EXPECT_EQ(tracer.epilogues, 0);
    EXPECT_EQ(other.epilogues, 1);
    barrier();
    EXPECT_EQ(tracer.epilogues, 1);
}
TEST(TracingPairs, EnabledDuringTheCall) { EXPECT_RUNS(fresh("noEpilogueWithoutPrologue")); }

SCENARIO(epilogueAloneIsLegal) {
    BarrierTracer tracer;
    EXPECT_EQ(zelTracerCommandListAppendBarrierRegisterCallback(tracer.handle(), ZEL_REGISTER_PROLOGUE, nullptr),
              ZE_RESULT_SUCCESS);
    tracer.enable();
    barrier();
    EXPECT_EQ(tracer.prologues, 0);
    EXPECT_EQ(tracer.epilogues, 1);
}
TEST(TracingPairs, EpilogueAlone) { EXPECT_RUNS(fresh("epilogueAloneIsLegal")); }

SCENARIO(otherFunctionsAreNotReported) {
    BarrierTracer tracer;
    tracer.enable();
    EXPECT_EQ(zeCommandListReset(Objects::get().list), ZE_RESULT_SUCCESS);
    EXPECT_EQ(tracer.prologues, 0);
    EXPECT_EQ(tracer.epilogues, 0);
}
TEST(TracingPairs, OtherFunctions) { EXPECT_RUNS(fresh("otherFunctionsAreNotReported")); }

SCENARIO(pairsHoldWhileAnotherThreadSwitches) {
    BarrierTracer tracer;
    std::atomic<bool> done{false};
    std::thread switcher([&] {
        for (bool on = true; !done; on = !on) EXPECT_EQ(tracer.enable(on), ZE_RESULT_SUCCESS);
    });
    std::thread callers[2];
    for (auto& each : callers)
        each = std::thread([&] {
            for (int i = 0; i < 50000; ++i) barrier();
            EXPECT_TRUE(await([&] {
                barrier();
                return tracer.prologues > 0;
            }));
        });
    for (auto& each : callers) each.join();
    done = true;
    switcher.join();
    EXPECT_EQ(tracer.prologues, tracer.epilogues);
    EXPECT_GT(tracer.prologues, 0);
}
TEST(TracingPairs, SwitchedByAnotherThread) { EXPECT_RUNS(fresh("pairsHoldWhileAnotherThreadSwitches")); }

}  // namespace
}  // namespace zetl::test
