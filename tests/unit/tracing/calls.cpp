#include "calls.h"

#include <atomic>

#include "ddi/trampoline.h"

namespace zetl::tracing {
namespace {

using ddi::Function;

std::function<ze_result_t(ze_fence_handle_t)> driver;
std::atomic<int> resets{0};

ze_result_t ZE_APICALL driverFenceReset(ze_fence_handle_t fence) { return driver ? driver(fence) : ZE_RESULT_SUCCESS; }
ze_result_t ZE_APICALL driverEventHostReset(ze_event_handle_t) {
    ++resets;
    return ZE_RESULT_SUCCESS;
}

template <Function F, class R, class... A>
R throughTrampoline(R(ZE_APICALL* target)(A...), A... arguments) {
    if (!ddi::route(F).next()) ddi::route(F).setNext(reinterpret_cast<ddi::Address>(target));
    return reinterpret_cast<decltype(target)>(ddi::kTrampolines[ddi::index(F)].call)(arguments...);
}

}  // namespace

ze_result_t callFenceReset(ze_fence_handle_t fence) {
    return throughTrampoline<Function::zeFenceReset>(&driverFenceReset, fence);
}
ze_result_t callEventHostReset(ze_event_handle_t event) {
    return throughTrampoline<Function::zeEventHostReset>(&driverEventHostReset, event);
}

void onDriver(std::function<ze_result_t(ze_fence_handle_t)> body) { driver = std::move(body); }
int eventResets() { return resets; }
void resetCalls() {
    driver = nullptr;
    resets = 0;
}

Watcher::Watcher(Body prologue, Body epilogue) : prologue_(std::move(prologue)), epilogue_(std::move(epilogue)) {
    const zel_tracer_desc_t desc{ZEL_STRUCTURE_TYPE_TRACER_EXP_DESC, nullptr, this};
    createTracer(&desc, &handle_);
    ze_callbacks_t prologues{};
    ze_callbacks_t epilogues{};
    if (prologue_) prologues.Fence.pfnResetCb = onPrologue;
    if (epilogue_) epilogues.Fence.pfnResetCb = onEpilogue;
    setTracerCallbacks(handle_, Phase::prologue, &prologues);
    setTracerCallbacks(handle_, Phase::epilogue, &epilogues);
}

Watcher::~Watcher() {
    if (!handle_) return;
    disable();
    destroy();
}

ze_result_t Watcher::destroy() {
    const auto code = destroyTracer(handle_);
    if (code == ZE_RESULT_SUCCESS) handle_ = nullptr;
    return code;
}

void Watcher::onPrologue(ze_fence_reset_params_t* parameters, ze_result_t result, void* self, void** instance) {
    static_cast<Watcher*>(self)->prologue_({parameters, result, instance});
}
void Watcher::onEpilogue(ze_fence_reset_params_t* parameters, ze_result_t result, void* self, void** instance) {
    static_cast<Watcher*>(self)->epilogue_({parameters, result, instance});
}

}  // namespace zetl::tracing
