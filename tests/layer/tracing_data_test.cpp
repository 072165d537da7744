// What callbacks are given and may change: arguments, result, user data, instance data; the order among tracers.
#include <malloc.h>

#include <string>
#include <thread>

#include "layer/tracer.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

SCENARIO(instanceDataIsPerTracerAndCall) {
    BarrierTracer tracers[2];
    int data[2];
    for (int i = 0; i < 2; ++i) {
        tracers[i].onPrologue = [&, i](BarrierParams&, void** instance) {
            EXPECT_EQ(*instance, nullptr);
            *instance = &data[i];
        };
        tracers[i].onEpilogue = [&, i](BarrierParams&, ze_result_t, void** instance) {
            EXPECT_EQ(*instance, &data[i]);
        };
        tracers[i].enable();
    }
    barrier();
    barrier();
    EXPECT_EQ(tracers[1].epilogues, 2);
}
TEST(TracingData, InstanceDataPerTracerAndCall) { EXPECT_RUNS(fresh("instanceDataIsPerTracerAndCall")); }

SCENARIO(instanceDataIsPerThread) {
    BarrierTracer tracer;
    thread_local int mine;
    tracer.onPrologue = [](BarrierParams&, void** instance) { *instance = &mine; };
    tracer.onEpilogue = [](BarrierParams&, ze_result_t, void** instance) { EXPECT_EQ(*instance, &mine); };
    tracer.enable();
    DriverGate gate;
    std::thread callers[3];
    for (auto& each : callers) each = std::thread([] { barrier(); });
    ASSERT_TRUE(gate.awaitArrivals(3));
    gate.open();
    for (auto& each : callers) each.join();
    EXPECT_EQ(tracer.epilogues, 3);
}
TEST(TracingData, InstanceDataPerThread) { EXPECT_RUNS(fresh("instanceDataIsPerThread")); }

SCENARIO(changedArgumentReachesLaterPrologueAndEpilogue) {
    BarrierTracer first;
    BarrierTracer second;
    first.onPrologue = [](BarrierParams& params, void**) { *params.pnumWaitEvents = 7; };
    second.onPrologue = [](BarrierParams& params, void**) { EXPECT_EQ(*params.pnumWaitEvents, 7u); };
    second.onEpilogue = [](BarrierParams& params, ze_result_t, void**) { EXPECT_EQ(*params.pnumWaitEvents, 7u); };
    first.enable();
    second.enable();
    barrier(3);
    EXPECT_EQ(second.epilogues, 1);
}
TEST(TracingData, ChangedArgumentIsSeenLater) { EXPECT_RUNS(fresh("changedArgumentReachesLaterPrologueAndEpilogue")); }

SCENARIO(changedArgumentReachesTheDriver) {
    const auto& objects = Objects::get();
    const zel_tracer_desc_t desc{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, nullptr};
    zel_tracer_handle_t tracer = nullptr;
    ASSERT_EQ(zelTracerCreate(&desc, &tracer), ZE_RESULT_SUCCESS);
    zelTracerMemAllocHostRegisterCallback(
        tracer, ZEL_REGISTER_PROLOGUE,
        [](ze_mem_alloc_host_params_t* params, ze_result_t, void*, void**) { *params->psize = 1 << 20; });
    // An epilogue cannot touch the result code, but it can touch what the output pointers lead to.
    zelTracerMemAllocHostRegisterCallback(tracer, ZEL_REGISTER_EPILOGUE,
                                          [](ze_mem_alloc_host_params_t* params, ze_result_t, void*, void**) {
                                              static void* seen = **params->ppptr;
                                              EXPECT_GE(malloc_usable_size(seen), std::size_t{1} << 20);
                                              **params->ppptr = &seen;
                                          });
    zelTracerSetEnabled(tracer, true);
    const ze_host_mem_alloc_desc_t hostDesc{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
    void* memory = nullptr;
    EXPECT_EQ(zeMemAllocHost(objects.context, &hostDesc, 64, 64, &memory), ZE_RESULT_SUCCESS);
    EXPECT_GE(malloc_usable_size(*static_cast<void**>(memory)), std::size_t{1} << 20);
    zelTracerSetEnabled(tracer, false);
    zelTracerDestroy(tracer);
}
TEST(TracingData, ChangedArgumentReachesTheDriver) { EXPECT_RUNS(fresh("changedArgumentReachesTheDriver")); }

SCENARIO(epilogueSeesTheDriversResult) {
    BarrierTracer tracer;
    ze_result_t seen = ZE_RESULT_SUCCESS;
    tracer.onEpilogue = [&](BarrierParams&, ze_result_t result, void**) { seen = result; };
    tracer.enable();
    fakeDriver()->results[slotOf(kBarrier)] = ZE_RESULT_ERROR_DEVICE_LOST;
    fakeDriver()->armed = true;
    EXPECT_EQ(barrier(), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_EQ(seen, ZE_RESULT_ERROR_DEVICE_LOST);
    fakeDriver()->armed = false;
    EXPECT_EQ(barrier(), ZE_RESULT_SUCCESS);
    EXPECT_EQ(seen, ZE_RESULT_SUCCESS);
}
TEST(TracingData, EpilogueSeesTheResult) { EXPECT_RUNS(fresh("epilogueSeesTheDriversResult")); }

SCENARIO(tracersRunInTheOrderOfEnabling) {
    std::string order;
    BarrierTracer a;
    BarrierTracer b;
    BarrierTracer c;
    const std::pair<BarrierTracer*, char> all[] = {{&a, 'a'}, {&b, 'b'}, {&c, 'c'}};
    for (auto [tracer, name] : all) {
        tracer->onPrologue = [&order, name = name](BarrierParams&, void**) { order += name; };
        tracer->onEpilogue = [&order, name = name](BarrierParams&, ze_result_t, void**) { order += char(name - 32); };
    }
    b.enable();
    c.enable();
    a.enable();
    barrier();
    EXPECT_EQ(order, "bcaBCA");
    order.clear();
    b.enable(false);
    b.enable();
    barrier();
    EXPECT_EQ(order, "cabCAB");
}
TEST(TracingData, OrderOfEnabling) { EXPECT_RUNS(fresh("tracersRunInTheOrderOfEnabling")); }

}  // namespace
}  // namespace zetl::test
