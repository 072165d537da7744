// A traced function to call, and tracers to watch it, without a loader.
#pragma once

#include <functional>
#include <vector>

#include "tracing/tracer_api.h"

namespace zetl::tracing {

/// The function under test is zeFenceReset: this calls it as an application would.
ze_result_t callFenceReset(ze_fence_handle_t fence = nullptr);
/// Another one, for what happens inside a call.
ze_result_t callEventHostReset(ze_event_handle_t event = nullptr);

/// What the driver's zeFenceReset does; success and nothing else by default.
void onDriver(std::function<ze_result_t(ze_fence_handle_t)> body);
/// How often the driver's zeEventHostReset has run since resetCalls().
int eventResets();
void resetCalls();

/// A tracer of zeFenceReset whose callbacks are functions of the test. Disabled and destroyed at the end of its life.
class Watcher {
  public:
    struct Seen {
        ze_fence_reset_params_t* parameters;
        ze_result_t result;
        void** instance;
    };
    using Body = std::function<void(const Seen&)>;

    explicit Watcher(Body prologue, Body epilogue = nullptr);
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;
    ~Watcher();

    ze_result_t enable() { return setTracerEnabled(handle_, 1); }
    ze_result_t disable() { return setTracerEnabled(handle_, 0); }
    ze_result_t destroy();
    zel_tracer_handle_t handle() const { return handle_; }

  private:
    static void onPrologue(ze_fence_reset_params_t*, ze_result_t, void* self, void** instance);
    static void onEpilogue(ze_fence_reset_params_t*, ze_result_t, void* self, void** instance);

    Body prologue_;
    Body epilogue_;
    zel_tracer_handle_t handle_ = nullptr;
};

}  // namespace zetl::tracing
