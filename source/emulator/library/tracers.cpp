#include "tracers.h"

#include "base/handle_head.h"
#include "base/live_set.h"
#include "base/log.h"
#include "base/never_destroyed.h"
#include "base/settings.h"
#include "ddi/trampoline.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/shared_parts.h"
#include "tracing/tracer_api.h"

namespace zetl::emulator::library {
namespace {

using tracing::Phase;

/// A tracer in the form that loaders need: they read the first words of every handle of a driver that has them.
struct Tracer : RoutedObject<Tracer, zet_tracer_exp_handle_t> {
    zel_tracer_handle_t known = nullptr;  // to the tracing module
};

LiveSet<Tracer>& tracers() noexcept {
    static NeverDestroyed<LiveSet<Tracer>> all;
    return *all;
}

/// Runs `body` on the tracing module's handle of a tracer.
template <class F>
ze_result_t onTracer(const char* function, zet_tracer_exp_handle_t handle, F&& body) noexcept {
    return driver::boundary<ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE>(function, [&]() -> Status {
        if (const auto tracer = tracers().find(handle)) return body(tracer->known);
        return driver::refuse(ZE_RESULT_ERROR_INVALID_NULL_HANDLE,
                              "no such tracer: null, destroyed, or not a tracer's handle");
    });
}

ze_result_t ZE_APICALL create(zet_context_handle_t context, const zet_tracer_exp_desc_t* description,
                              zet_tracer_exp_handle_t* tracer) noexcept {
    return driver::boundary("zetTracerExpCreate", [&]() -> Status {
        if (!context) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        if (!description || !tracer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        if (!settings::apiTracing())
            return driver::refuse(ZE_RESULT_ERROR_UNINITIALIZED, "set {}=1 before zeInit to use it",
                                  settings::kTracingLayer);
        const zel_tracer_desc_t equal{ZEL_STRUCTURE_TYPE_TRACER_EXP_DESC, description->pNext, description->pUserData};
        const auto made = std::make_shared<Tracer>();
        const auto handle = tracers().add(made);
        const auto code = tracing::createTracer(&equal, &made->known);
        if (code == ZE_RESULT_SUCCESS)
            *tracer = handle;
        else
            tracers().remove(handle);
        return code;
    });
}

ze_result_t ZE_APICALL destroy(zet_tracer_exp_handle_t tracer) noexcept {
    return onTracer("zetTracerExpDestroy", tracer, [&](zel_tracer_handle_t known) {
        const auto code = tracing::destroyTracer(known);
        if (code == ZE_RESULT_SUCCESS) tracers().remove(tracer);
        return code;
    });
}

template <Phase When>
ze_result_t ZE_APICALL setCallbacks(zet_tracer_exp_handle_t tracer, zet_core_callbacks_t* callbacks) noexcept {
    const char* const name = When == Phase::prologue ? "zetTracerExpSetPrologues" : "zetTracerExpSetEpilogues";
    return onTracer(name, tracer,
                    [&](zel_tracer_handle_t known) { return tracing::setTracerCallbacks(known, When, callbacks); });
}

ze_result_t ZE_APICALL setEnabled(zet_tracer_exp_handle_t tracer, ze_bool_t enable) noexcept {
    return onTracer("zetTracerExpSetEnabled", tracer,
                    [&](zel_tracer_handle_t known) { return tracing::setTracerEnabled(known, enable); });
}

const driver::Served kRows[] = {
    ZETL_SERVES(zetTracerExpCreate, create),
    ZETL_SERVES(zetTracerExpDestroy, destroy),
    ZETL_SERVES(zetTracerExpSetPrologues, setCallbacks<Phase::prologue>),
    ZETL_SERVES(zetTracerExpSetEpilogues, setCallbacks<Phase::epilogue>),
    ZETL_SERVES(zetTracerExpSetEnabled, setEnabled),
};

/// Makes calls through the tables take a route into which a tracer can put its detour.
void observe(ddi::Function function) noexcept {
    auto* const entry = reinterpret_cast<void*>(ddi::kTrampolines[ddi::index(function)].call);
    ddi::route(function).setNext(reinterpret_cast<ddi::Address>(driver::interpose(function, entry)));
}

}  // namespace

void serveTracing() {
    for (const auto& row : kRows) driver::serve(row.function, row.entry);
    if (!settings::apiTracing()) return;
    for (std::size_t i = 0; i < ddi::kTraced; ++i) observe(ddi::Function(i));
}

}  // namespace zetl::emulator::library
