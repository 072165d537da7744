// The edge between C callers and us: what is thrown inside becomes a code, and a code that the caller cannot be
// prepared for becomes UNKNOWN.
#pragma once

#include <level_zero/ze_api.h>

#include <span>

#include "base/log.h"

namespace zetl {

/// One exported function, as its log lines name it.
struct Edge {
    const char* function;
    log::Channel channel;
    std::span<const ze_result_t> codes;  // what it may answer beside what any function may
};

/// Passes `code` on if any function may answer it (Level Zero specification, "Error Handling") or this one may;
/// otherwise logs the breach and returns UNKNOWN.
ze_result_t passed(const Edge& edge, ze_result_t code) noexcept;

/// What the exception being handled means to a C caller: OUT_OF_HOST_MEMORY for what the system has too little of, or
/// UNKNOWN for a defect, and why. The words live as long as the exception.
struct Failure {
    ze_result_t code;
    const char* kind;
    const char* words;
};
Failure failureOfException() noexcept;

/// The code of the same, with a log line.
ze_result_t codeOfException(const Edge& edge) noexcept;

/// Runs `body`, which returns a code and may throw, as the implementation of the function.
template <class F>
ze_result_t guarded(const Edge& edge, F&& body) noexcept {
    try {
        return passed(edge, body());
    } catch (...) {
        return codeOfException(edge);
    }
}

}  // namespace zetl
