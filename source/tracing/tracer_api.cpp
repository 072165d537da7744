#include "tracing/tracer_api.h"

#include <cstring>
#include <new>
#include <type_traits>

#include "base/log.h"
#include "tracing/callback_groups.h"

namespace zetl::tracing {
namespace {

constexpr auto kLog = log::Channel::tracing;

TracerId idOf(zel_tracer_handle_t handle) noexcept { return reinterpret_cast<TracerId>(handle); }
// NOLINTNEXTLINE(performance-no-int-to-ptr): a handle is a number in a pointer's clothes
zel_tracer_handle_t handleOf(TracerId id) noexcept { return reinterpret_cast<zel_tracer_handle_t>(id); }

const char* cause(ze_result_t code) noexcept {
    switch (code) {
        case ZE_RESULT_ERROR_INVALID_NULL_HANDLE:
            return "no such tracer: null, destroyed, or not a tracer's handle";
        case ZE_RESULT_ERROR_INVALID_ARGUMENT:
            return "the tracer is enabled; disable it first";
        case ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE:
            return "the tracer is enabled, or this thread is inside a call that it traces; disable it, and destroy it "
                   "outside its callbacks";
        default:
            return "out of memory";
    }
}

/// Runs an operation on a tracer: catches all exceptions, and logs the reason of a refusal.
template <class Operation>
ze_result_t guarded(const char* function, zel_tracer_handle_t handle, Operation&& operation) noexcept {
    ze_result_t code = ZE_RESULT_SUCCESS;
    try {
        code = operation();
    } catch (const std::bad_alloc&) {
        code = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    } catch (const std::exception& failure) {
        log::error(kLog, "{}({}): {}", function, static_cast<void*>(handle), failure.what());
        return ZE_RESULT_ERROR_UNKNOWN;
    }
    if (code != ZE_RESULT_SUCCESS) log::warn(kLog, "{}({}): {}", function, static_cast<void*>(handle), cause(code));
    return code;
}

bool isTracerDescriptor(unsigned type) noexcept {
    return type == ZEL_STRUCTURE_TYPE_TRACER_EXP_DESC || type == ZET_STRUCTURE_TYPE_TRACER_EXP_DESC;
}

}  // namespace

ze_result_t createTracer(const zel_tracer_desc_t* desc, zel_tracer_handle_t* tracer) noexcept {
    constexpr auto kName = "zelTracerCreate";
    if (!desc || !tracer) {
        log::warn(kLog, "{}: {} is null", kName, desc ? "phTracer" : "desc");
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    // Tools in the field leave the type unset, and the stock tracing layer accepts that.
    if (!isTracerDescriptor(desc->stype))
        log::warn(kLog, "{}: structure type {:#x} is not a tracer descriptor's; taken for one", kName,
                  unsigned(desc->stype));
    else if (desc->pNext)
        log::warn(kLog, "{}: no extension of the descriptor is known; pNext is ignored", kName);
    return guarded(kName, nullptr, [&] {
        *tracer = handleOf(Engine::instance().create(desc->pUserData));
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t destroyTracer(zel_tracer_handle_t tracer) noexcept {
    return guarded("zelTracerDestroy", tracer, [&] { return Engine::instance().destroy(idOf(tracer)); });
}

ze_result_t setTracerCallbacks(zel_tracer_handle_t tracer, Phase phase, const ze_callbacks_t* callbacks) noexcept {
    const char* name = phase == Phase::prologue ? "zelTracerSetPrologues" : "zelTracerSetEpilogues";
    if (tracer && !callbacks) {
        log::warn(kLog, "{}: pCoreCbs is null; to clear all callbacks pass a table of nulls", name);
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    return guarded(name, tracer, [&]() -> ze_result_t {
        if (!tracer) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        return Engine::instance().setCallbacks(idOf(tracer), settingsOf(*callbacks, phase));
    });
}

ze_result_t registerTracerCallback(zel_tracer_handle_t tracer, ddi::Function function, zel_tracer_reg_t registration,
                                   ddi::Address callback) noexcept {
    const char* name = ddi::row(function).name;
    // A C program may pass any number, and reading one without an enumerator as the enumeration is undefined.
    std::underlying_type_t<zel_tracer_reg_t> kind;
    std::memcpy(&kind, &registration, sizeof kind);
    if (tracer && kind != ZEL_REGISTER_PROLOGUE && kind != ZEL_REGISTER_EPILOGUE) {
        log::warn(kLog, "registering a callback of {}: {} is neither prologue nor epilogue", name, kind);
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    }
    return guarded(name, tracer, [&] {
        const auto phase = kind == ZEL_REGISTER_PROLOGUE ? Phase::prologue : Phase::epilogue;
        const CallbackSetting setting{function, phase, callback};
        return Engine::instance().setCallbacks(idOf(tracer), {&setting, 1});
    });
}

ze_result_t resetTracerCallbacks(zel_tracer_handle_t tracer) noexcept {
    return guarded("zelTracerResetAllCallbacks", tracer,
                   [&] { return Engine::instance().resetCallbacks(idOf(tracer)); });
}

ze_result_t setTracerEnabled(zel_tracer_handle_t tracer, ze_bool_t enable) noexcept {
    return guarded("zelTracerSetEnabled", tracer,
                   [&] { return Engine::instance().setEnabled(idOf(tracer), enable != 0); });
}

ze_result_t replaceResult(ze_result_t result) noexcept {
    const Thread* thread = Thread::existing();
    if (!thread || !thread->exposedResult()) {
        log::warn(kLog, "zetlTracerSetResult: this thread is in no epilogue of a function that returns a result code");
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    *thread->exposedResult() = result;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::tracing
