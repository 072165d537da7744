// The two tracer APIs of Level Zero, zelTracer* and zetTracerExp*, on one engine: each API accepts tracers made by the
// other.
//
// A tracer's handle is its id, not an address: null, foreign and ended handles are told apart from live ones without
// touching memory, and all three give INVALID_NULL_HANDLE. Every refusal is logged.
#pragma once

#include "tracing/engine.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::tracing {

/// INVALID_NULL_POINTER, OUT_OF_HOST_MEMORY. A null pUserData is a value like any other. A wrong structure type, and
/// chained structures, of which none is defined, are logged and otherwise ignored.
ze_result_t createTracer(const zel_tracer_desc_t* desc, zel_tracer_handle_t* tracer) noexcept;

/// INVALID_NULL_HANDLE, or HANDLE_OBJECT_IN_USE for the reasons of Engine::destroy.
ze_result_t destroyTracer(zel_tracer_handle_t tracer) noexcept;

/// INVALID_NULL_HANDLE, INVALID_NULL_POINTER, INVALID_ARGUMENT if the tracer is enabled.
ze_result_t setTracerCallbacks(zel_tracer_handle_t tracer, Phase phase, const ze_callbacks_t* callbacks) noexcept;

/// INVALID_NULL_HANDLE, INVALID_ENUMERATION for a registration that is neither prologue nor epilogue, INVALID_ARGUMENT
/// if the tracer is enabled. A null callback clears.
ze_result_t registerTracerCallback(zel_tracer_handle_t tracer, ddi::Function function, zel_tracer_reg_t registration,
                                   ddi::Address callback) noexcept;

/// INVALID_NULL_HANDLE, INVALID_ARGUMENT if the tracer is enabled.
ze_result_t resetTracerCallbacks(zel_tracer_handle_t tracer) noexcept;

/// INVALID_NULL_HANDLE, OUT_OF_HOST_MEMORY.
ze_result_t setTracerEnabled(zel_tracer_handle_t tracer, ze_bool_t enable) noexcept;

/// Replaces the result of the call whose epilogue the calling thread runs: later epilogues and the application get
/// `result`. INVALID_ARGUMENT outside an epilogue, or if the traced function does not return a ze_result_t.
ze_result_t replaceResult(ze_result_t result) noexcept;

}  // namespace zetl::tracing
