// The layer in each slot of the stock loader, above one driver and above two, and switched on later.
#include <thread>

#include "layer/tracer.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

/// One call of barrier() on a list made below that driver is seen once and arrives once, at that driver.
void expectOneCallOneTrace(BarrierTracer& tracer, const Objects& objects, bool second) {
    auto& driver = *fakeDriver(second);
    driver.armed = true;
    const auto before = driver.callsOf(kBarrier);
    const long traced = tracer.epilogues;
    tracer.onPrologue = [&](BarrierParams& params, void**) {
        EXPECT_EQ(*params.phCommandList, objects.list) << "callbacks see the application's handles";
    };
    EXPECT_EQ(zeCommandListAppendBarrier(objects.list, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(driver.callsOf(kBarrier) - before, 1u);
    EXPECT_EQ(tracer.epilogues - traced, 1);
}

SCENARIO(callsAreTracedOnce) {
    BarrierTracer tracer;
    tracer.enable();
    expectOneCallOneTrace(tracer, Objects::get(), false);
}
TEST(Slots, Tracing) { EXPECT_RUNS(fresh("callsAreTracedOnce", Slots::tracing)); }
TEST(Slots, Both) { EXPECT_RUNS(fresh("callsAreTracedOnce", Slots::both)); }
TEST(Slots, TracingIntercepted) {
    EXPECT_RUNS(fresh("callsAreTracedOnce", Slots::tracing).with("ZE_ENABLE_LOADER_INTERCEPT", "1"));
}
TEST(Slots, BothIntercepted) {
    EXPECT_RUNS(fresh("callsAreTracedOnce", Slots::both).with("ZE_ENABLE_LOADER_INTERCEPT", "1"));
}

SCENARIO(callsOfTwoDriversAreTracedOnce) {
    const auto first = Objects::make(0);
    const auto second = Objects::make(1);
    BarrierTracer tracer;
    tracer.enable();
    // Which of the two a loader lists first is its own affair.
    fakeDriver(false)->armed = true;
    zeCommandListAppendBarrier(first.list, nullptr, 0, nullptr);
    const bool swapped = fakeDriver(false)->callsOf(kBarrier) == 0;
    expectOneCallOneTrace(tracer, first, swapped);
    expectOneCallOneTrace(tracer, second, !swapped);
    expectOneCallOneTrace(tracer, first, swapped);
}
TEST(Slots, TwoDrivers) { EXPECT_RUNS(fresh("callsOfTwoDriversAreTracedOnce", Slots::tracing, Drivers::two)); }
TEST(Slots, TwoDriversBoth) { EXPECT_RUNS(fresh("callsOfTwoDriversAreTracedOnce", Slots::both, Drivers::two)); }

SCENARIO(bothDriversAreInitialised) {
    Objects::get();
    for (const bool second : {false, true}) fakeDriver(second)->armed = true;
    EXPECT_EQ(zeInit(ZE_INIT_FLAG_GPU_ONLY), ZE_RESULT_SUCCESS);
    for (const bool second : {false, true}) EXPECT_LE(fakeDriver(second)->callsOf("zeInit"), 1u);
    EXPECT_EQ(fakeDriver(false)->callsOf("zeInit"), fakeDriver(true)->callsOf("zeInit"));
}
TEST(Slots, BothDriversAreInitialised) {
    EXPECT_RUNS(fresh("bothDriversAreInitialised", Slots::both, Drivers::two));
    EXPECT_RUNS(fresh("bothDriversAreInitialised", Slots::none, Drivers::two));
}

/// The validation slot alone: the loader's zelTracer functions need the tracing slot, the layer's own do not.
SCENARIO(validationSlotTraces) {
    const auto& objects = Objects::get();
    const auto create = reinterpret_cast<decltype(&zelTracerCreate)>(layerFunction("zelTracerCreate"));
    const auto enable = reinterpret_cast<decltype(&zelTracerSetEnabled)>(layerFunction("zelTracerSetEnabled"));
    const auto destroy = reinterpret_cast<decltype(&zelTracerDestroy)>(layerFunction("zelTracerDestroy"));
    const auto registration = reinterpret_cast<decltype(&zelTracerCommandListResetRegisterCallback)>(
        layerFunction("zelTracerCommandListResetRegisterCallback"));
    ASSERT_TRUE(create && enable && destroy && registration);
    int calls = 0;
    const zel_tracer_desc_t desc{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, &calls};
    zel_tracer_handle_t tracer = nullptr;
    ASSERT_EQ(create(&desc, &tracer), ZE_RESULT_SUCCESS);
    registration(tracer, ZEL_REGISTER_PROLOGUE,
                 [](ze_command_list_reset_params_t*, ze_result_t, void* user, void**) { ++*static_cast<int*>(user); });
    enable(tracer, true);
    EXPECT_EQ(zeCommandListReset(objects.list), ZE_RESULT_SUCCESS);
    EXPECT_EQ(calls, 1);
    enable(tracer, false);
    EXPECT_EQ(destroy(tracer), ZE_RESULT_SUCCESS);
}
TEST(Slots, Validation) { EXPECT_RUNS(fresh("validationSlotTraces", Slots::validation)); }
TEST(Slots, ValidationIntercepted) {
    EXPECT_RUNS(fresh("validationSlotTraces", Slots::validation).with("ZE_ENABLE_LOADER_INTERCEPT", "1"));
}
TEST(Slots, ValidationTwoDrivers) { EXPECT_RUNS(fresh("validationSlotTraces", Slots::validation, Drivers::two)); }

SCENARIO(initCanBeRepeated) {
    BarrierTracer tracer;
    tracer.enable();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(zeInit(0), ZE_RESULT_SUCCESS);
        if (const auto sysmanInit = loaderFunction<ze_result_t(std::uint32_t)>("zesInit")) sysmanInit(0);
        if (const auto initDrivers =
                loaderFunction<ze_result_t(std::uint32_t*, ze_driver_handle_t*, ze_init_driver_type_desc_t*)>(
                    "zeInitDrivers")) {
            ze_init_driver_type_desc_t desc{ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC, nullptr, UINT32_MAX};
            std::uint32_t count = 0;
            EXPECT_EQ(initDrivers(&count, nullptr, &desc), ZE_RESULT_SUCCESS);
        }
        expectOneCallOneTrace(tracer, Objects::get(), false);
    }
}
TEST(Slots, RepeatedInit) {
    EXPECT_RUNS(fresh("initCanBeRepeated", Slots::tracing));
    EXPECT_RUNS(fresh("initCanBeRepeated", Slots::both));
    EXPECT_RUNS(fresh("initCanBeRepeated", Slots::both).with("ZE_ENABLE_LOADER_INTERCEPT", "1"));
}

SCENARIO(failureOfTheDriverIsReported) { EXPECT_EQ(zeInit(0), ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE); }
SCENARIO(noDriverIsLeft) { EXPECT_NE(zeInit(0), ZE_RESULT_SUCCESS); }
TEST(Slots, FailingDriver) {
    const auto failing = [](Slots slots, const char* scenario) {
        return fresh(scenario, slots).with("ZETL_FAKE_INIT_RESULT", "0x70020000");
    };
    const auto plain = failing(Slots::none, "failureOfTheDriverIsReported").run();
    const auto layered = failing(Slots::both, "failureOfTheDriverIsReported").run();
    EXPECT_EQ(plain.exitCode, layered.exitCode)
        << "the layer changes nothing about it; without: " << plain << "with: " << layered;
    EXPECT_RUNS(failing(Slots::both, "noDriverIsLeft"));
}

/// Switched on at run time, without the variable; possible from loader 1.15.7 on.
SCENARIO(tracingCanBeSwitchedOnLater) {
    Objects::get();
    const auto switchOn = loaderFunction<ze_result_t()>("zelEnableTracingLayer");
    const auto switchOff = loaderFunction<ze_result_t()>("zelDisableTracingLayer");
    if (!loaderHasDynamicTracing()) {
        zel_tracer_handle_t tracer = nullptr;
        const zel_tracer_desc_t desc{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, nullptr};
        EXPECT_EQ(zelTracerCreate(&desc, &tracer), ZE_RESULT_ERROR_UNINITIALIZED) << "this loader has no tracing then";
        return;
    }
    BarrierTracer tracer;
    tracer.enable();
    barrier();
    EXPECT_EQ(tracer.prologues, 0);
    EXPECT_EQ(switchOn(), ZE_RESULT_SUCCESS);
    barrier();
    EXPECT_EQ(tracer.prologues, 1);
    EXPECT_EQ(switchOff(), ZE_RESULT_SUCCESS);
    barrier();
    EXPECT_EQ(tracer.prologues, 1);
    EXPECT_EQ(switchOn(), ZE_RESULT_SUCCESS);
    barrier();
    EXPECT_EQ(tracer.epilogues, 2);
}
TEST(Slots, DynamicTracing) {
    EXPECT_RUNS(fresh("tracingCanBeSwitchedOnLater", Slots::tracing).without("ZE_ENABLE_TRACING_LAYER"));
}
TEST(Slots, DynamicTracingTwoDrivers) {
    EXPECT_RUNS(fresh("tracingCanBeSwitchedOnLater", Slots::tracing, Drivers::two).without("ZE_ENABLE_TRACING_LAYER"));
}

SCENARIO(nothingIsTracedWithoutASlot) {
    Objects::get();
    EXPECT_EQ(barrier(), ZE_RESULT_SUCCESS);
    EXPECT_EQ(layerFunction("zelTracerCreate"), nullptr) << "the layer is not even loaded";
}
TEST(Slots, None) {
    auto process = fresh("nothingIsTracedWithoutASlot", Slots::none);
    EXPECT_RUNS(process);
}

}  // namespace
}  // namespace zetl::test
