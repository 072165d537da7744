// A tracer of the tools layer's, for libraries that get into programs and are not linked to a loader.
#pragma once

#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/layers/zel_tracing_ddi.h>
#include <level_zero/layers/zel_tracing_register_cb.h>

#include <optional>
#include <string_view>

namespace zetl::command {

/// Lives as long as the process, whatever becomes of this object. For one thread.
class Tracer {
  public:
    /// Disabled, and without callbacks. None if the layer, opened by dlopen(), refuses one.
    static std::optional<Tracer> create(void* layer);

    /// The layer calls it before (prologue) or after each call of the function, "zeMemFree" for one. `callback` has the
    /// type that the function's registration asks for, or one that is passed alike. A function that the layer cannot
    /// register (it is older than this file) stays untraced.
    template <class Callback>
    void add(std::string_view function, zel_tracer_reg_t when, Callback* callback) {
        addAny(function, when, reinterpret_cast<void (*)()>(callback));
    }
    bool enable();

  private:
    Tracer(void* layer, const zel_tracer_dditable_t& calls, zel_tracer_handle_t handle)
        : layer_(layer), calls_(calls), handle_(handle) {}
    void addAny(std::string_view function, zel_tracer_reg_t when, void (*callback)());

    void* layer_;
    zel_tracer_dditable_t calls_;
    zel_tracer_handle_t handle_;
};

}  // namespace zetl::command
