#include "layer/tracer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace zetl::test {
namespace {

std::atomic<int> arrivals{0};
std::atomic<bool> closed{false};

void hold(int slot) {
    static constexpr int kBarrierSlot = slotOf(kBarrier);
    if (slot != kBarrierSlot) return;
    arrivals.fetch_add(1);
    while (closed.load()) std::this_thread::yield();
}

}  // namespace

ze_result_t barrier(std::uint32_t waitEvents) {
    return zeCommandListAppendBarrier(Objects::get().list, nullptr, waitEvents, nullptr);
}

BarrierTracer::BarrierTracer() {
    Objects::get();
    const zel_tracer_desc_t desc{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, this};
    EXPECT_EQ(zelTracerCreate(&desc, &handle_), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zelTracerCommandListAppendBarrierRegisterCallback(handle_, ZEL_REGISTER_PROLOGUE, prologue),
              ZE_RESULT_SUCCESS);
    EXPECT_EQ(zelTracerCommandListAppendBarrierRegisterCallback(handle_, ZEL_REGISTER_EPILOGUE, epilogue),
              ZE_RESULT_SUCCESS);
}

BarrierTracer::~BarrierTracer() {
    if (handle_) {
        EXPECT_EQ(destroy(), ZE_RESULT_SUCCESS);
    }
}

ze_result_t BarrierTracer::destroy() {
    EXPECT_EQ(enable(false), ZE_RESULT_SUCCESS);
    const auto result = zelTracerDestroy(handle_);
    if (result == ZE_RESULT_SUCCESS) handle_ = nullptr;
    return result;
}

void BarrierTracer::prologue(BarrierParams* params, ze_result_t, void* user, void** instance) {
    auto& self = *static_cast<BarrierTracer*>(user);
    ++self.prologues;
    if (self.onPrologue) self.onPrologue(*params, instance);
}

void BarrierTracer::epilogue(BarrierParams* params, ze_result_t result, void* user, void** instance) {
    auto& self = *static_cast<BarrierTracer*>(user);
    ++self.epilogues;
    if (self.onEpilogue) self.onEpilogue(*params, result, instance);
}

DriverGate::DriverGate() {
    Objects::get();
    arrivals = 0;
    closed = true;
    fakeDriver()->hook = hold;
    fakeDriver()->armed = true;
}

bool DriverGate::awaitArrivals(int count) const {
    return await([&] { return arrivals.load() >= count; });
}

void DriverGate::open() {
    closed = false;
    fakeDriver()->armed = false;
}

bool await(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::yield();
    }
    return true;
}

}  // namespace zetl::test
