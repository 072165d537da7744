#include "module_functions.h"

#include <array>
#include <concepts>

#include "core_api_devices.h"
#include "toolbox.h"
#include "tools/entry.h"

namespace zetl::layer {
namespace {

template <class M, class H>
bool owns(M& module, H argument) {
    if constexpr (std::is_same_v<M, metrics::Metrics> && std::is_same_v<H, ze_device_handle_t>)
        return countsCoreApi(module, argument);
    else if constexpr (requires {
                           { module.owns(argument) } -> std::same_as<bool>;
                       } &&
                       std::is_pointer_v<H>)
        return module.owns(argument);
    else
        return false;
}

/// Arguments that are no devices do not matter.
template <class M, class H>
bool servesDevice(M& module, H argument) {
    if constexpr (std::is_same_v<H, ze_device_handle_t>)
        return module.serves(argument) &&
               (isCoreApiOnly(argument) ? std::is_same_v<M, metrics::Metrics> : onDeviceAccess());
    else
        return true;
}

/// A module serves a call that names its devices, or names none. From the core API's facts only metrics are made.
template <class M, class... A>
bool serves(M& module, A... arguments) {
    constexpr bool kNamesDevice = (std::is_same_v<A, ze_device_handle_t> || ...);
    return (kNamesDevice || onDeviceAccess()) && (servesDevice(module, arguments) && ...);
}

template <class Served, class Signature = typename Served::Signature>
struct Stand;

template <class Served, class... A>
struct Stand<Served, ze_result_t(A...)> {
    static ze_result_t ZE_APICALL ifOwned(A... arguments) noexcept {
        if constexpr (tools::kAnywhere<Served>)
            return Served::recognises(arguments...) ? Served::in(arguments...) : kNotMine;
        else
            return ifModuleOwns(arguments...);
    }
    static ze_result_t ZE_APICALL ifServed(A... arguments) noexcept {
        if constexpr (tools::kAnywhere<Served>)
            return Served::in(arguments...);
        else
            return ifModuleServes(arguments...);
    }

  private:
    static ze_result_t ifModuleOwns(A... arguments) noexcept {
        tools::Toolbox* all = madeToolbox();
        return all && (owns(Served::module(*all), arguments) || ...) ? Served::in(*all, arguments...) : kNotMine;
    }
    static ze_result_t ifModuleServes(A... arguments) noexcept {
        return edged([&] {
            tools::Toolbox* all = toolbox();
            return all && serves(Served::module(*all), arguments...) ? Served::in(*all, arguments...) : kNotMine;
        });
    }
    template <class F>
    static ze_result_t edged(F&& body) noexcept {
        try {
            return body();
        } catch (...) {
            return codeOfException(Served::kEdge);
        }
    }
};

using Table = std::array<ModuleFunction, ddi::kTools>;

Table implemented() {
    Table table{};
    tools::forEachServed([&]<class Served>() {
        table[ddi::index(Served::kFunction) - ddi::kTraced] = {
            .ifOwned = reinterpret_cast<ddi::Address>(&Stand<Served>::ifOwned),
            .ifServed = reinterpret_cast<ddi::Address>(&Stand<Served>::ifServed)};
    });
    return table;
}

// Made when the library is loaded: if a thread made it later and another one forked, the child would have half of it.
const Table table = implemented();

}  // namespace

const ModuleFunction& moduleFunction(ddi::Function function) noexcept {
    return table[ddi::index(function) - ddi::kTraced];
}

}  // namespace zetl::layer
