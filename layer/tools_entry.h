// How an exported tools function is served: arguments checked in the specification's order, then the module that knows
// the object, then the rest of the loader's chain.
#pragma once

#include <level_zero/ze_api.h>

#include <optional>

#include "ddi/route.h"
#include "native.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::layer {

/// The Tools API's environment variables as they stood when first asked for (Tools Programming Guide, "Environment
/// Variables").
struct ToolsSwitches {
    bool apiTracing;
    bool metrics;
    bool programInstrumentation;
    bool programDebugging;
};
const ToolsSwitches& toolsSwitches() noexcept;

template <class T>
ze_result_t handle(T given) noexcept {
    return given ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}
template <class T>
ze_result_t pointer(T given) noexcept {
    return given ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NULL_POINTER;
}
/// The first refusal of a list of checks.
template <class... C>
ze_result_t needs(C... checks) noexcept {
    ze_result_t first = ZE_RESULT_SUCCESS;
    (void)((checks != ZE_RESULT_SUCCESS ? (first = checks, true) : false) || ...);
    return first;
}

/// A module's own implementation of a tools function has the function's type and answers kNotMine for an object that
/// the module does not know; the call then goes down the loader's chain with the caller's handles.
inline constexpr auto kNotMine = static_cast<ze_result_t>(0x7a001001);
inline constinit std::atomic<ddi::Address> moduleFunctions[ddi::kTools]{};

/// Puts a module in charge of a function.
template <ddi::Function F, class... A>
void implement(ze_result_t (*implementation)(A...)) noexcept {
    moduleFunctions[ddi::index(F) - ddi::kTraced].store(reinterpret_cast<ddi::Address>(implementation));
}

/// The answer for a function that nobody implements, with a log line that says why.
ze_result_t unserved(ddi::Function function) noexcept;
ze_result_t refused(ddi::Function function, ze_result_t code) noexcept;

/// What a guard says when the call may go on.
inline constexpr auto kNoGuard = [] { return std::optional<ze_result_t>(); };

/// Serves a call whose arguments have been `checked`. `guard` is asked before the call leaves for the driver and may
/// answer in its place.
template <ddi::Function F, class Guard, class... A>
ze_result_t serveGuarded(ze_result_t checked, Guard&& guard, A... arguments) {
    using Target = ze_result_t(ZE_APICALL*)(A...);
    if (checked != ZE_RESULT_SUCCESS) return refused(F, checked);
    if (const auto own = moduleFunctions[ddi::index(F) - ddi::kTraced].load(std::memory_order_acquire))
        if (const auto code = reinterpret_cast<Target>(own)(arguments...); code != kNotMine) return code;
    const auto next = nativeFunction(F);
    if (!next) return unserved(F);
    if (const std::optional<ze_result_t> answer = guard()) return *answer;
    return reinterpret_cast<Target>(next)(arguments...);
}

template <ddi::Function F, class... A>
ze_result_t serve(ze_result_t checked, A... arguments) {
    return serveGuarded<F>(checked, kNoGuard, arguments...);
}

}  // namespace zetl::layer
