// Null, foreign and stale handles, null tables, states in which a call is refused.
#include "layer/tracer.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

const zel_tracer_desc_t kDesc{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, nullptr};

SCENARIO(nullPointersAreRefused) {
    Objects::get();
    zel_tracer_handle_t tracer = nullptr;
    EXPECT_EQ(zelTracerCreate(nullptr, &tracer), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(zelTracerCreate(&kDesc, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    ASSERT_EQ(zelTracerCreate(&kDesc, &tracer), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zelTracerSetPrologues(tracer, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(zelTracerSetEpilogues(tracer, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(zelTracerDestroy(tracer), ZE_RESULT_SUCCESS);
}
TEST(TracingInput, NullPointers) { EXPECT_RUNS(fresh("nullPointersAreRefused")); }

SCENARIO(nullHandlesAreRefused) {
    Objects::get();
    zel_core_callbacks_t callbacks{};
    EXPECT_EQ(zelTracerDestroy(nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zelTracerSetEnabled(nullptr, true), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zelTracerSetPrologues(nullptr, &callbacks), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zelTracerSetEpilogues(nullptr, &callbacks), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zelTracerCommandListAppendBarrierRegisterCallback(nullptr, ZEL_REGISTER_PROLOGUE, nullptr),
              ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}
TEST(TracingInput, NullHandles) { EXPECT_RUNS(fresh("nullHandlesAreRefused")); }

SCENARIO(foreignAndStaleHandlesAreRefused) {
    Objects::get();
    long memory[64] = {};
    zel_tracer_handle_t stale = nullptr;
    ASSERT_EQ(zelTracerCreate(&kDesc, &stale), ZE_RESULT_SUCCESS);
    ASSERT_EQ(zelTracerDestroy(stale), ZE_RESULT_SUCCESS);
    zel_core_callbacks_t callbacks{};
    for (auto handle :
         {reinterpret_cast<zel_tracer_handle_t>(memory), reinterpret_cast<zel_tracer_handle_t>(1), stale}) {
        EXPECT_EQ(zelTracerDestroy(handle), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        EXPECT_EQ(zelTracerSetEnabled(handle, true), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        EXPECT_EQ(zelTracerSetPrologues(handle, &callbacks), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        EXPECT_EQ(zelTracerCommandListAppendBarrierRegisterCallback(handle, ZEL_REGISTER_PROLOGUE, nullptr),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    }
}
TEST(TracingInput, ForeignAndStaleHandles) { EXPECT_RUNS(fresh("foreignAndStaleHandlesAreRefused")); }

SCENARIO(oddDescriptorsAreAccepted) {
    Objects::get();
    long junk = -1;
    const zel_tracer_desc_t odd[] = {
        {ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, nullptr},
        {static_cast<zel_structure_type_t>(0x77), nullptr, &junk},
        {ZEL_STRUCTURE_TYPE_TRACER_DESC, &junk, &junk},
    };
    for (const auto& desc : odd) {
        zel_tracer_handle_t tracer = nullptr;
        EXPECT_EQ(zelTracerCreate(&desc, &tracer), ZE_RESULT_SUCCESS);
        EXPECT_EQ(zelTracerDestroy(tracer), ZE_RESULT_SUCCESS);
    }
}
TEST(TracingInput, NullUserDataAndUnknownTypes) { EXPECT_RUNS(fresh("oddDescriptorsAreAccepted")); }

SCENARIO(callbacksCannotBeSetWhileEnabled) {
    BarrierTracer tracer;
    tracer.enable();
    zel_core_callbacks_t callbacks{};
    EXPECT_EQ(zelTracerSetPrologues(tracer.handle(), &callbacks), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(zelTracerSetEpilogues(tracer.handle(), &callbacks), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(zelTracerCommandListAppendBarrierRegisterCallback(tracer.handle(), ZEL_REGISTER_PROLOGUE, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    barrier();
    EXPECT_EQ(tracer.prologues, 1) << "and nothing has changed";
    tracer.enable(false);
    EXPECT_EQ(zelTracerSetPrologues(tracer.handle(), &callbacks), ZE_RESULT_SUCCESS);
    tracer.enable();
    barrier();
    EXPECT_EQ(tracer.prologues, 1);
    EXPECT_EQ(tracer.epilogues, 2);
}
TEST(TracingInput, SetWhileEnabled) { EXPECT_RUNS(fresh("callbacksCannotBeSetWhileEnabled")); }

SCENARIO(destroyWhileEnabledIsRefused) {
    BarrierTracer tracer;
    tracer.enable();
    EXPECT_EQ(zelTracerDestroy(tracer.handle()), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    barrier();
    EXPECT_EQ(tracer.epilogues, 1) << "the tracer stays usable";
}
TEST(TracingInput, DestroyWhileEnabled) { EXPECT_RUNS(fresh("destroyWhileEnabledIsRefused")); }

SCENARIO(enablingTwiceIsOnce) {
    BarrierTracer tracer;
    EXPECT_EQ(tracer.enable(), ZE_RESULT_SUCCESS);
    EXPECT_EQ(tracer.enable(), ZE_RESULT_SUCCESS);
    barrier();
    EXPECT_EQ(tracer.prologues, 1);
    EXPECT_EQ(tracer.enable(false), ZE_RESULT_SUCCESS);
    EXPECT_EQ(tracer.enable(false), ZE_RESULT_SUCCESS);
    barrier();
    EXPECT_EQ(tracer.prologues, 1);
}
TEST(TracingInput, EnablingTwice) { EXPECT_RUNS(fresh("enablingTwiceIsOnce")); }

SCENARIO(unknownRegistrationKindIsRefused) {
    BarrierTracer tracer;
    EXPECT_EQ(
        zelTracerCommandListAppendBarrierRegisterCallback(tracer.handle(), static_cast<zel_tracer_reg_t>(9), nullptr),
        ZE_RESULT_ERROR_INVALID_ENUMERATION);
    tracer.enable();
    barrier();
    EXPECT_EQ(tracer.prologues, 1) << "and nothing has changed";
    EXPECT_EQ(tracer.epilogues, 1);
}
TEST(TracingInput, UnknownRegistrationKind) { EXPECT_RUNS(fresh("unknownRegistrationKindIsRefused")); }

SCENARIO(createBeforeInitIsRefused) {
    zel_tracer_handle_t tracer = nullptr;
    EXPECT_EQ(zelTracerCreate(&kDesc, &tracer), ZE_RESULT_ERROR_UNINITIALIZED);
}
TEST(TracingInput, CreateBeforeInit) { EXPECT_RUNS(fresh("createBeforeInitIsRefused")); }

}  // namespace
}  // namespace zetl::test
