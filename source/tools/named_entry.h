// Passes the C arguments of a function that only Intel's driver has to the module's method that serves it.
#pragma once

#include "tools/entry.h"
#include "ze_tools_layer/level_zero/intel_metrics.h"

namespace zetl::tools {

/// The functions of named_functions.def.
enum class NamedFunction {
#define NAMED(name, arguments, method, ...) name,
#include "tools/named_functions.def"
#undef NAMED
};

namespace detail {

template <NamedFunction F>
struct Named;

#define NAMED(name, arguments, method, ...)                                                                          \
    static_assert(fits<decltype(::name), ddi::ArgumentCheck<decltype(::name)>::fault(arguments)>(arguments), #name); \
    template <>                                                                                                      \
    struct Named<NamedFunction::name> {                                                                              \
        using Prototype = decltype(::name);                                                                          \
        static constexpr const char* kName = #name;                                                                  \
        static constexpr FunctionRow kRow{arguments, withCodesOfDevices(__VA_ARGS__)};                               \
    };
#include "tools/named_functions.def"
#undef NAMED

}  // namespace detail

/// Function F served by a method, as named_functions.def pairs them.
template <NamedFunction F, auto Method>
struct ServedByName;

template <NamedFunction F, class M, class... A, ze_result_t (M::*Method)(A...)>
struct ServedByName<F, Method> {
    using Module = M;
    using Signature = ze_result_t(A...);
    using Row = detail::Named<F>;
    static_assert(std::is_same_v<Signature, typename Row::Prototype>, "the method takes other arguments");
    static constexpr Edge kEdge{Row::kName, logOf(static_cast<M*>(nullptr)), Row::kRow.codes};

    static ze_result_t in(Toolbox& toolbox, A... arguments) noexcept {
        return guarded(kEdge, [&] { return (toolbox.part(static_cast<M*>(nullptr)).*Method)(arguments...); });
    }
    static ze_result_t missing(A... arguments) noexcept { return missingOf(Row::kRow.arguments, arguments...); }
};

/// Applies `visit.operator()<Served>()` to every row.
template <class V>
void forEachNamed(V&& visit) {
    using metrics::Metrics;
#define NAMED(name, arguments, method, ...) visit.template operator()<ServedByName<NamedFunction::name, &method>>();
#include "tools/named_functions.def"
#undef NAMED
}

}  // namespace zetl::tools
