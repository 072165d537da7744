// Checks the rows against the Level Zero headers of this build: every member has its index and its function's type, and
// no table is longer or shorter than its version says. Tables that these headers lack cannot be compared.
#include <level_zero/ze_ddi.h>
#include <level_zero/zes_ddi.h>
#include <level_zero/zet_ddi.h>
#if __has_include(<level_zero/zer_ddi.h>)
#include <level_zero/zer_ddi.h>
#endif

#include <cstddef>
#include <type_traits>

#include "ddi/table_size.h"
#include "ze_tools_layer/level_zero.h"

// Headers older than a table do not know its tag. The declaration makes it an incomplete type, which the checks skip.
#define TABLE(api, table, c_name) struct _##api##_##c_name##_dditable_t;
#define SLOT(api, table, index, object, member, minor)
#include "ddi/every_api.def"

namespace zetl::ddi {
namespace {

template <class T>
concept Known = requires {
    sizeof(T);
};

constexpr bool usable(unsigned minor) {
    return ZE_MAKE_VERSION(1, minor) <= static_cast<unsigned>(ZE_API_VERSION_CURRENT);
}

// The headers of loader 1.18 have the same version number as those of 1.19, but differ from them.
constexpr bool kAmbiguous = ZE_API_VERSION_CURRENT == ZE_MAKE_VERSION(1, 11);

template <class T>
consteval bool lengthAgrees(std::size_t rows) {
    if constexpr (Known<T>)
        return kAmbiguous || sizeof(T) == rows * sizeof(void*);
    else
        return rows == 0;
}

consteval std::size_t rowsOf(Table table) {
    std::size_t count = 0;
    for (const auto& each : kFunctionRows)
        if (each.table == table && usable(each.minor)) ++count;
    return count;
}

#define TABLE(api, table, c_name)                                               \
    using api##table##Members = struct _##api##_##c_name##_dditable_t;          \
    static_assert(lengthAgrees<api##table##Members>(rowsOf(Table::api##table)), \
                  "the headers' table " #c_name " and its rows differ in length");
#define SLOT(api, table, index, object, member, minor)                              \
    template <class T>                                                              \
    consteval bool api##object##member##InPlace() {                                 \
        if constexpr (requires { &T::pfn##member; })                                \
            return kAmbiguous || offsetof(T, pfn##member) == index * sizeof(void*); \
        else                                                                        \
            return true;                                                            \
    }                                                                               \
    static_assert(api##object##member##InPlace<api##table##Members>(),              \
                  "the headers place " #api #object #member " at another index");
#include "ddi/every_api.def"

// Our own header declares the core and tools functions that older headers lack, so that every function has a type to
// compare.
#define TABLE(api, table, c_name)
#define SLOT(api, table, index, object, member, minor)                                       \
    template <class T>                                                                       \
    consteval bool api##object##member##Typed() {                                            \
        if constexpr (requires { &T::pfn##member; })                                         \
            return std::is_same_v<decltype(T::pfn##member), decltype(&api##object##member)>; \
        else                                                                                 \
            return true;                                                                     \
    }                                                                                        \
    static_assert(api##object##member##Typed<api##table##Members>(), "the type of " #api #object #member " differs");
#include "ddi/core_api.def"
#include "ddi/tools_api.def"
#undef TABLE
#undef SLOT

}  // namespace
}  // namespace zetl::ddi
