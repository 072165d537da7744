// A tracer of the tools layer, for libraries that are loaded into programs and not linked to a loader.
#pragma once

#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/layers/zel_tracing_ddi.h>
#include <level_zero/layers/zel_tracing_register_cb.h>

#include <optional>
#include <string_view>

namespace zetl::command {

/// The tracer lives as long as the process unless destroy() is called. Use it from one thread.
class Tracer {
  public:
    /// Creates a disabled tracer without callbacks. Nothing if the layer, opened by dlopen(), refuses it.
    static std::optional<Tracer> create(void* layer);

    /// The layer calls `callback` before (prologue) or after each call of the function, for example "zeMemFree". Its
    /// type is that of the function's registration, or one that is passed in the same way. A function that the layer
    /// cannot register, because the layer is older than this file, is not traced.
    template <class Callback>
    void add(std::string_view function, zel_tracer_reg_t when, Callback* callback) {
        addAny(function, when, reinterpret_cast<void (*)()>(callback));
    }
    bool enable();
    void disable();
    /// Of a disabled one. Waits until the calls that it traces have returned.
    void destroy();

  private:
    Tracer(void* layer, const zel_tracer_dditable_t& calls, zel_tracer_handle_t handle)
        : layer_(layer), calls_(calls), handle_(handle) {}
    void addAny(std::string_view function, zel_tracer_reg_t when, void (*callback)());

    void* layer_;
    zel_tracer_dditable_t calls_;
    zel_tracer_handle_t handle_;
};

}  // namespace zetl::command
