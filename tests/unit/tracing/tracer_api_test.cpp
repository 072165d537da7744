// Codes for bad and unusual input.
#include "tracing/tracer_api.h"

#include <gtest/gtest.h>

#include "calls.h"

namespace zetl::tracing {
namespace {

constexpr zel_tracer_desc_t kDesc{ZEL_STRUCTURE_TYPE_TRACER_EXP_DESC, nullptr, nullptr};

class TracerApi : public testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(createTracer(&kDesc, &tracer_), ZE_RESULT_SUCCESS); }
    void TearDown() override {
        setTracerEnabled(tracer_, 0);
        EXPECT_EQ(destroyTracer(tracer_), ZE_RESULT_SUCCESS);
    }
    zel_tracer_handle_t tracer_ = nullptr;
};

TEST_F(TracerApi, CreateRefusesNullPointersAndAcceptsNullUserData) {
    zel_tracer_handle_t out = nullptr;
    EXPECT_EQ(createTracer(nullptr, &out), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(createTracer(&kDesc, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(out, nullptr);
    EXPECT_NE(tracer_, nullptr);
}

TEST_F(TracerApi, CreateIgnoresAnUnknownTypeAndChain) {
    const zel_tracer_desc_t garbage{static_cast<zel_structure_type_t>(0x5eadbeef), reinterpret_cast<void*>(0x8),
                                    nullptr};
    zel_tracer_handle_t out = nullptr;
    EXPECT_EQ(createTracer(&garbage, &out), ZE_RESULT_SUCCESS);
    EXPECT_EQ(destroyTracer(out), ZE_RESULT_SUCCESS);
}

TEST_F(TracerApi, NullAndForeignHandlesAreRefusedEverywhere) {
    int object = 0;
    const ze_callbacks_t callbacks{};
    for (auto handle : {zel_tracer_handle_t{}, reinterpret_cast<zel_tracer_handle_t>(&object),
                        reinterpret_cast<zel_tracer_handle_t>(~std::uintptr_t{0})}) {
        EXPECT_EQ(destroyTracer(handle), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        EXPECT_EQ(setTracerEnabled(handle, 1), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        EXPECT_EQ(setTracerCallbacks(handle, Phase::prologue, &callbacks), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        EXPECT_EQ(resetTracerCallbacks(handle), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        EXPECT_EQ(registerTracerCallback(handle, ddi::Function::zeInit, ZEL_REGISTER_PROLOGUE, nullptr),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    }
}

TEST_F(TracerApi, CallbacksAreFixedWhileEnabled) {
    const ze_callbacks_t callbacks{};
    ASSERT_EQ(setTracerEnabled(tracer_, 1), ZE_RESULT_SUCCESS);
    EXPECT_EQ(setTracerCallbacks(tracer_, Phase::epilogue, &callbacks), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(registerTracerCallback(tracer_, ddi::Function::zeInit, ZEL_REGISTER_EPILOGUE, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(resetTracerCallbacks(tracer_), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(setTracerEnabled(tracer_, 1), ZE_RESULT_SUCCESS);
    EXPECT_EQ(setTracerEnabled(tracer_, 0), ZE_RESULT_SUCCESS);
    EXPECT_EQ(setTracerEnabled(tracer_, 0), ZE_RESULT_SUCCESS);
    EXPECT_EQ(setTracerCallbacks(tracer_, Phase::epilogue, &callbacks), ZE_RESULT_SUCCESS);
}

TEST_F(TracerApi, NullCallbackTableIsRefused) {
    EXPECT_EQ(setTracerCallbacks(tracer_, Phase::prologue, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

TEST_F(TracerApi, UnknownRegistrationIsRefused) {
    EXPECT_EQ(registerTracerCallback(tracer_, ddi::Function::zeInit, static_cast<zel_tracer_reg_t>(7), nullptr),
              ZE_RESULT_ERROR_INVALID_ENUMERATION);
}

int resetsSeen;
void countReset(ze_event_host_reset_params_t*, ze_result_t, void*, void**) { ++resetsSeen; }

TEST_F(TracerApi, SettingTheTableLeavesOtherRegistrations) {
    resetsSeen = 0;
    const auto count = reinterpret_cast<ddi::Address>(&countReset);
    EXPECT_EQ(registerTracerCallback(tracer_, ddi::Function::zeEventHostReset, ZEL_REGISTER_PROLOGUE, count),
              ZE_RESULT_SUCCESS);
    ze_callbacks_t epilogues{};
    epilogues.Event.pfnHostResetCb = countReset;
    EXPECT_EQ(setTracerCallbacks(tracer_, Phase::epilogue, &epilogues), ZE_RESULT_SUCCESS);
    setTracerEnabled(tracer_, 1);
    callEventHostReset();
    EXPECT_EQ(resetsSeen, 2);
    setTracerEnabled(tracer_, 0);
    EXPECT_EQ(resetTracerCallbacks(tracer_), ZE_RESULT_SUCCESS);
    setTracerEnabled(tracer_, 1);
    callEventHostReset();
    EXPECT_EQ(resetsSeen, 2);
}

}  // namespace
}  // namespace zetl::tracing
