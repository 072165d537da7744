// Passes a tools function's C arguments to the module's method that serves it.
#pragma once

#include "base/edge.h"
#include "tools/function_row.h"
#include "tools/toolbox.h"

namespace zetl::tools {

constexpr log::Channel logOf(const metrics::Metrics*) noexcept { return log::Channel::metrics; }
constexpr log::Channel logOf(const pin::Pin*) noexcept { return log::Channel::pin; }
constexpr log::Channel logOf(const debug::Debug*) noexcept { return log::Channel::debug; }

/// Function F served by a method, as functions.def pairs them.
template <ddi::Function F, auto Method>
struct Served;

template <ddi::Function F, class M, class... A, ze_result_t (M::*Method)(A...)>
struct Served<F, Method> {
    using Module = M;
    using Signature = ze_result_t(A...);
    static constexpr ddi::Function kFunction = F;
    static constexpr Edge kEdge{ddi::row(F).name, logOf(static_cast<M*>(nullptr)), functionRow<F>().codes};

    /// Calls the method. Exceptions, and codes that the function may not return, become other codes. The arguments have
    /// been checked (missing(), function_row.h).
    static ze_result_t in(Toolbox& toolbox, A... arguments) noexcept {
        return guarded(kEdge, [&] { return (module(toolbox).*Method)(arguments...); });
    }

    static ze_result_t missing(A... arguments) noexcept { return tools::missing<F>(arguments...); }
    static M& module(Toolbox& toolbox) noexcept { return toolbox.part(static_cast<M*>(nullptr)); }
};

/// Function F served without a module: on any machine, whether or not Level Zero is initialised.
template <ddi::Function F, auto Serve, auto Recognises>
struct ServedAnywhere;

template <ddi::Function F, class... A, ze_result_t (*Serve)(A...), bool (*Recognises)(A...)>
struct ServedAnywhere<F, Serve, Recognises> {
    using Signature = ze_result_t(A...);
    static constexpr ddi::Function kFunction = F;
    static constexpr Edge kEdge{ddi::row(F).name, log::Channel::metrics, functionRow<F>().codes};

    static ze_result_t in(A... arguments) noexcept {
        return guarded(kEdge, [&] { return Serve(arguments...); });
    }
    static ze_result_t missing(A... arguments) noexcept { return tools::missing<F>(arguments...); }
    /// True if only this function can serve these arguments, which may be null.
    static bool recognises(A... arguments) noexcept { return Recognises(arguments...); }
};

template <class S>
inline constexpr bool kAnywhere = !requires {
    typename S::Module;
};

/// Applies `visit.operator()<Served>()` to every row that is served by a module or by a function of its own.
template <class V>
void forEachServed(V&& visit) {
    using debug::Debug;
    using metrics::Metrics;
    using pin::Pin;
#define FUNCTION(name, arguments, ...)
#define SERVED(name, arguments, method, ...) visit.template operator()<Served<ddi::Function::name, &method>>();
#define ANYWHERE(name, arguments, function, recognises, ...) \
    visit.template operator()<ServedAnywhere<ddi::Function::name, &function, &recognises>>();
#include "tools/functions.def"
#undef ANYWHERE
#undef SERVED
#undef FUNCTION
}

}  // namespace zetl::tools
