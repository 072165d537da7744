// zetTracerExp*, which Intel's driver no longer has: served by the layer in the validation slot.
#include "layer/tracer.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

const zet_tracer_exp_desc_t kExpDesc{ZET_STRUCTURE_TYPE_TRACER_EXP_DESC, nullptr, nullptr};

zet_context_handle_t context() { return reinterpret_cast<zet_context_handle_t>(Objects::get().context); }

SCENARIO(experimentalTracerTraces) {
    int seen[2] = {};
    const zet_tracer_exp_desc_t desc{ZET_STRUCTURE_TYPE_TRACER_EXP_DESC, nullptr, seen};
    zet_tracer_exp_handle_t tracer = nullptr;
    ASSERT_EQ(zetTracerExpCreate(context(), &desc, &tracer), ZE_RESULT_SUCCESS);
    zet_core_callbacks_t prologues{};
    zet_core_callbacks_t epilogues{};
    prologues.CommandList.pfnAppendBarrierCb = [](BarrierParams*, ze_result_t, void* user, void** instance) {
        ++static_cast<int*>(user)[0];
        *instance = user;
    };
    epilogues.CommandList.pfnAppendBarrierCb = [](BarrierParams*, ze_result_t, void* user, void** instance) {
        ++static_cast<int*>(user)[1];
        EXPECT_EQ(*instance, user);
    };
    EXPECT_EQ(zetTracerExpSetPrologues(tracer, &prologues), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zetTracerExpSetEpilogues(tracer, &epilogues), ZE_RESULT_SUCCESS);
    barrier();
    EXPECT_EQ(seen[0], 0) << "created disabled";
    EXPECT_EQ(zetTracerExpSetEnabled(tracer, true), ZE_RESULT_SUCCESS);
    barrier();
    EXPECT_EQ(seen[0], 1);
    EXPECT_EQ(seen[1], 1);
    EXPECT_EQ(zetTracerExpSetPrologues(tracer, &prologues), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "while enabled";
    EXPECT_EQ(zetTracerExpDestroy(tracer), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE) << "while enabled";
    EXPECT_EQ(zetTracerExpSetEnabled(tracer, false), ZE_RESULT_SUCCESS);
    barrier();
    EXPECT_EQ(seen[1], 1);
    EXPECT_EQ(zetTracerExpDestroy(tracer), ZE_RESULT_SUCCESS);
}

SCENARIO(experimentalTracerRefusesNull) {
    Objects::get();
    zet_tracer_exp_handle_t tracer = nullptr;
    zet_core_callbacks_t callbacks{};
    EXPECT_EQ(zetTracerExpCreate(nullptr, &kExpDesc, &tracer), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zetTracerExpCreate(context(), nullptr, &tracer), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(zetTracerExpCreate(context(), &kExpDesc, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(zetTracerExpDestroy(nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zetTracerExpSetPrologues(nullptr, &callbacks), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zetTracerExpSetEpilogues(nullptr, &callbacks), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zetTracerExpSetEnabled(nullptr, true), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    ASSERT_EQ(zetTracerExpCreate(context(), &kExpDesc, &tracer), ZE_RESULT_SUCCESS) << "null user data is accepted";
    EXPECT_EQ(zetTracerExpSetPrologues(tracer, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(zetTracerExpDestroy(tracer), ZE_RESULT_SUCCESS);
}

SCENARIO(experimentalTracerNeedsItsVariable) {
    zet_tracer_exp_handle_t tracer = nullptr;
    EXPECT_EQ(zetTracerExpCreate(context(), &kExpDesc, &tracer), ZE_RESULT_ERROR_UNINITIALIZED);
}

Process enabled(const char* scenario, Slots slots, Drivers drivers = Drivers::one) {
    return fresh(scenario, slots, drivers).with("ZET_ENABLE_API_TRACING_EXP", "1");
}

TEST(TracerExp, Traces) {
    EXPECT_RUNS(enabled("experimentalTracerTraces", Slots::validation));
    EXPECT_RUNS(enabled("experimentalTracerTraces", Slots::both));
    EXPECT_RUNS(enabled("experimentalTracerTraces", Slots::validation, Drivers::two));
}
TEST(TracerExp, TracesAboveADriverWithoutTools) {
    EXPECT_RUNS(enabled("experimentalTracerTraces", Slots::both).with("ZETL_FAKE_WITHOUT", "zet"));
}
TEST(TracerExp, RefusesNull) { EXPECT_RUNS(enabled("experimentalTracerRefusesNull", Slots::validation)); }
TEST(TracerExp, NeedsItsVariable) {
    EXPECT_RUNS(fresh("experimentalTracerNeedsItsVariable", Slots::validation));
    for (const char* value : {"true", "0"})
        EXPECT_RUNS(fresh("experimentalTracerNeedsItsVariable", Slots::both).with("ZET_ENABLE_API_TRACING_EXP", value));
}
TEST(TracerExp, FollowsTheTracingSlot) { EXPECT_RUNS(fresh("experimentalTracerTraces", Slots::both)); }

}  // namespace
}  // namespace zetl::test
