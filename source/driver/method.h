// Makes exported functions from methods: the C function, which takes an object's handle and arguments, calls the
// object's method with the arguments.
#pragma once

#include <tuple>

#include "driver/boundary.h"
#include "driver/tables.h"

namespace zetl::driver {

/// The C function behind ZETL_METHOD. It may return the general codes, and those that the specification gives to some
/// functions of every kind.
template <ddi::Function F, auto Method, std::size_t... Needed>
struct MethodEntry;

template <ddi::Function F, class T, class... A, Status (T::*Method)(A...), std::size_t... Needed>
struct MethodEntry<F, Method, Needed...> {
    static ze_result_t ZE_APICALL call(typename T::Handle handle, A... arguments) noexcept {
        return onObject<T, ZE_RESULT_NOT_READY, ZE_RESULT_ERROR_INVALID_SIZE, ZE_RESULT_ERROR_UNSUPPORTED_SIZE,
                        ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
                        ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION,
                        ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
                        ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, ZE_RESULT_ERROR_INVALID_KERNEL_NAME,
                        ZE_RESULT_ERROR_INVALID_GLOBAL_NAME, ZE_RESULT_ERROR_INVALID_FUNCTION_NAME,
                        ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
                        ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE, ZE_RESULT_ERROR_OVERLAPPING_REGIONS>(
            ddi::row(F).name, handle, {}, [&](T& object) -> Status {
                [[maybe_unused]] const auto all = std::forward_as_tuple(arguments...);
                if ((... || !std::get<Needed>(all))) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
                return (object.*Method)(arguments...);
            });
    }
};

/// The C function that takes the object out of its live set. The last user of the object destroys it.
template <ddi::Function F, class T>
struct DestroyEntry {
    static ze_result_t ZE_APICALL call(typename T::Handle handle) noexcept {
        return onRemoval<T>(ddi::row(F).name, handle, [](T&) { return ZE_RESULT_SUCCESS; });
    }
};

/// A row: `method` of the object behind the first argument implements `function`. The numbers after it are the indices
/// of the method's arguments that must not be null.
#define ZETL_METHOD(function, ...) \
    ZETL_SERVES(function, (::zetl::driver::MethodEntry<::zetl::ddi::Function::function, __VA_ARGS__>::call))
#define ZETL_DESTROYS(function, type) \
    ZETL_SERVES(function, (::zetl::driver::DestroyEntry<::zetl::ddi::Function::function, type>::call))

}  // namespace zetl::driver
