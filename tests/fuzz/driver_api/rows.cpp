#include "fuzz/driver_api/rows.h"

#include <level_zero/zes_api.h>

#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "composition/composition.h"
#include "ddi/argument_letters.h"
#include "emulator/access/provider.h"
#include "emulator/driver/entry/by_hand.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/execution/visitor.h"
#include "ze_tools_layer/level_zero.h"
#include "ze_tools_layer/level_zero/intel_metrics.h"

/// Headers before specification 1.11 lack it.
// NOLINTNEXTLINE(readability-redundant-declaration): newer headers declare it
ZE_APIEXPORT ze_result_t ZE_APICALL zesDeviceEnumEnabledVFExp(zes_device_handle_t device, std::uint32_t* count,
                                                              zes_vf_handle_t* out);

namespace zetl::test {
namespace {

template <class T>
using Pointee = std::remove_cv_t<std::remove_pointer_t<T>>;

template <class T>
constexpr RowParameter::Kind kindOf() {
    if constexpr (!std::is_pointer_v<T>)
        return RowParameter::Kind::value;
    else if constexpr (ddi::isHandle<T>())
        return RowParameter::Kind::handle;
    else if constexpr (std::is_function_v<Pointee<T>>)
        return RowParameter::Kind::callback;
    else if constexpr (std::is_same_v<T, const char*>)
        return RowParameter::Kind::text;
    else
        return ddi::isHandle<Pointee<T>>() ? RowParameter::Kind::handles : RowParameter::Kind::data;
}

template <class T>
std::type_index typeOf() {
    if constexpr (std::is_pointer_v<T> && !ddi::isHandle<T>() && !std::is_function_v<Pointee<T>>)
        return typeid(Pointee<T>);
    else
        return typeid(T);
}

/// A callback that does nothing.
template <class F>
struct Idle;
template <class R, class... A>
struct Idle<R (*)(A...)> {
    static R call(A...) { return R(); }
};

template <class T>
T chosen(Chooser& chooser, const RowParameter& parameter) {
    if constexpr (kindOf<T>() == RowParameter::Kind::callback) {
        return chooser.pointer(parameter) ? &Idle<T>::call : nullptr;
    } else if constexpr (std::is_pointer_v<T>) {
        return static_cast<T>(chooser.pointer(parameter));
    } else if constexpr (std::is_class_v<T>) {
        const std::uint64_t number = chooser.number(parameter);
        T value{};
        std::memcpy(&value, &number, sizeof value < sizeof number ? sizeof value : sizeof number);
        return value;
    } else {
        return static_cast<T>(chooser.number(parameter));
    }
}

template <class Prototype>
struct Prototyped;

template <class R, class... A>
struct Prototyped<R(A...)> {
    static Row row(std::string_view name, std::string_view letters, void* entry) {
        const ddi::PlainLetters plain = ddi::plain(letters);
        Row made{name, {}, std::is_same_v<R, ze_result_t>, entry, call};
        // What is written by hand has no letters; its handles must be given.
        [[maybe_unused]] const auto letterOf = [&](RowParameter::Kind kind) {
            return letters.empty() && kind == RowParameter::Kind::handle ? 'h' : '.';
        };
        (made.parameters.push_back({made.parameters.size(), kindOf<A>(), letterOf(kindOf<A>()), typeOf<A>()}), ...);
        for (std::size_t i = 0; i < plain.count && i < made.parameters.size(); ++i)
            made.parameters[i].letter = plain.letters[i];
        return made;
    }

  private:
    static std::uint64_t call(const Row& row, Chooser& chooser) {
        return callWith(row, chooser, std::index_sequence_for<A...>());
    }

    template <std::size_t... I>
    static std::uint64_t callWith(const Row& row, [[maybe_unused]] Chooser& chooser, std::index_sequence<I...>) {
        const std::tuple<std::remove_const_t<A>...> arguments{
            chosen<std::remove_const_t<A>>(chooser, row.parameters[I])...};
        const R result = std::apply(reinterpret_cast<R (*)(A...)>(row.entry), arguments);
        if constexpr (std::is_pointer_v<R>)
            return reinterpret_cast<std::uint64_t>(result);
        else
            return static_cast<std::uint64_t>(result);
    }
};

template <class R, class... A>
struct Prototyped<R(A...) noexcept> : Prototyped<R(A...)> {};

std::vector<Row> rows() {
    using ::zetl::emulator::driver::servedFunction;
    composeDriver();
    return {
#define SERVED(name, letters, ...) Prototyped<decltype(::name)>::row(#name, letters, servedFunction(#name)),
#define SYSMAN(name, ready, letters, ...) Prototyped<decltype(::name)>::row(#name, letters, servedFunction(#name)),
#define NAMED(name, prototype, letters, ...) Prototyped<prototype>::row(#name, letters, servedFunction(#name)),
#define BY_HAND(name, entry) Prototyped<decltype(::name)>::row(#name, "", servedFunction(#name)),
#define BY_HAND_NAMED(name, entry) \
    Prototyped<decltype(::zetl::emulator::driver::entry)>::row(#name, "", servedFunction(#name)),
#include "emulator/driver/entry/functions.def"
#undef NAMED
#define NAMED(name, letters, ...) Prototyped<decltype(::name)>::row(#name, letters, servedFunction(#name)),
#include "tools/named_functions.def"
#undef BY_HAND_NAMED
#undef BY_HAND
#undef NAMED
#undef SYSMAN
#undef SERVED
    };
}

}  // namespace

void composeDriver() {
    [[maybe_unused]] static const bool composed = [] {
        setenv("ZETL_METRIC_TRACERS", "1", 1);  // their groups are not listed otherwise
        emulator::access::offer();
        composition::serveModules(emulator::access::provider());
        composition::serveNamesOfIntel();
        return true;
    }();
}

const std::vector<Row>& driverRows() {
    static const std::vector<Row> all = rows();
    return all;
}

std::type_index objectKind(std::type_index handle) {
    if (handle == typeid(zes_driver_handle_t)) return typeid(ze_driver_handle_t);
    if (handle == typeid(zes_device_handle_t)) return typeid(ze_device_handle_t);
    return handle;
}

}  // namespace zetl::test
