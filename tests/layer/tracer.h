// Tracers as the tests use them: on one core function, counting what they see.
#pragma once

#include <atomic>
#include <functional>

#include "support/level_zero.h"

namespace zetl::test {

/// The traced call of most tests, on a list made once; cheap, and without output.
ze_result_t barrier(std::uint32_t waitEvents = 0);
inline constexpr const char* kBarrier = "zeCommandListAppendBarrier";
using BarrierParams = ze_command_list_append_barrier_params_t;

/// A tracer of barrier(), created disabled. Destroyed, after disabling, with the object.
class BarrierTracer {
  public:
    BarrierTracer();
    ~BarrierTracer();
    BarrierTracer(const BarrierTracer&) = delete;
    BarrierTracer& operator=(const BarrierTracer&) = delete;

    zel_tracer_handle_t handle() const { return handle_; }
    ze_result_t enable(bool on = true) { return zelTracerSetEnabled(handle_, on); }
    /// Disables and destroys now; the result is that of destroying.
    ze_result_t destroy();

    /// Run on the calling thread inside the callbacks; set before enabling.
    std::function<void(BarrierParams&, void** instance)> onPrologue;
    std::function<void(BarrierParams&, ze_result_t, void** instance)> onEpilogue;

    std::atomic<long> prologues{0};
    std::atomic<long> epilogues{0};

  private:
    static void prologue(BarrierParams* params, ze_result_t result, void* user, void** instance);
    static void epilogue(BarrierParams* params, ze_result_t result, void* user, void** instance);

    zel_tracer_handle_t handle_ = nullptr;
};

/// Holds calls of barrier() inside the driver, from construction until open().
class DriverGate {
  public:
    DriverGate();
    ~DriverGate() { open(); }

    /// Returns once that many calls have arrived since construction; false after ten seconds.
    bool awaitArrivals(int count) const;
    void open();
};

/// Waits, at most ten seconds, until the condition holds; true if it did.
bool await(const std::function<bool()>& condition);

}  // namespace zetl::test
