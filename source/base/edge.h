// The edge between C callers and us: exceptions become codes, and a code that the function may not return becomes
// UNKNOWN.
#pragma once

#include <level_zero/ze_api.h>

#include <span>

#include "base/log.h"

namespace zetl {

/// One exported function, as its log lines name it.
struct Edge {
    const char* function;
    log::Channel channel;
    std::span<const ze_result_t> codes;  // codes that it may return beside those of all functions
};

/// Returns `code` if all functions or this one may return it (Level Zero specification, "Error Handling"). Otherwise
/// logs the breach and returns UNKNOWN.
ze_result_t passed(const Edge& edge, ze_result_t code) noexcept;

/// What the exception being handled means to a C caller: OUT_OF_HOST_MEMORY if the system is out of a resource, UNKNOWN
/// for a defect; and the reason. The text lives as long as the exception.
struct Failure {
    ze_result_t code;
    const char* kind;
    const char* words;
};
Failure failureOfException() noexcept;

/// The code of that failure; logs a line.
ze_result_t codeOfException(const Edge& edge) noexcept;

/// Runs `body` as the implementation of the function; it returns a code and may throw.
template <class F>
ze_result_t guarded(const Edge& edge, F&& body) noexcept {
    try {
        return passed(edge, body());
    } catch (...) {
        return codeOfException(edge);
    }
}

}  // namespace zetl
