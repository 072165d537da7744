// How an exported tools function is served: it checks arguments in the specification's order, then calls the driver,
// and if the driver lacks the function, a module.
#pragma once

#include <level_zero/ze_api.h>

#include <optional>

#include "ddi/route.h"
#include "module_functions.h"
#include "native.h"
#include "tools/function_row.h"
#include "tools/switches.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::layer {

/// The variables as they were when first asked for.
const tools::Switches& toolsSwitches() noexcept;

/// Logs why no library implements the function, and returns the code for that.
ze_result_t unserved(ddi::Function function) noexcept;
ze_result_t refused(ddi::Function function, ze_result_t code) noexcept;

/// A guard's result if the call may go on.
inline constexpr auto kNoGuard = [] { return std::optional<ze_result_t>(); };

/// True for the code that a driver, or a loader in its place, returns for a function that it lacks.
inline bool lacking(ze_result_t code) noexcept {
    return code == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE || code == ZE_RESULT_ERROR_UNINITIALIZED;
}

/// Serves a call if no argument is missing: by a module that made the object; else by the driver, unless `guard`
/// answers in its place; else by a module that serves the device.
template <ddi::Function F, class Guard, class... A>
ze_result_t serveGuarded(Guard&& guard, A... arguments) {
    using Target = ze_result_t(ZE_APICALL*)(A...);
    const auto call = [&](ddi::Address target) { return reinterpret_cast<Target>(target)(arguments...); };
    if (const auto code = tools::missing<F>(arguments...); code != ZE_RESULT_SUCCESS) return refused(F, code);

    const auto& module = moduleFunction(F);
    if (module.ifOwned)
        if (const auto code = call(module.ifOwned); code != kNotMine) return code;
    ze_result_t code = kNotMine;
    if (const auto next = nativeFunction(F)) {
        const std::optional<ze_result_t> answer = guard();
        code = answer ? *answer : call(next);
    }
    if (module.ifServed && (code == kNotMine || lacking(code)))
        if (const auto own = call(module.ifServed); own != kNotMine) return own;
    return code == kNotMine ? unserved(F) : code;
}

template <ddi::Function F, class... A>
ze_result_t serve(A... arguments) {
    return serveGuarded<F>(kNoGuard, arguments...);
}

}  // namespace zetl::layer
