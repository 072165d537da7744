// The rows of functions.def, checked against the functions' prototypes at compile time.
#pragma once

#include <ze_tools_layer/level_zero.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "ddi/api.h"
#include "ddi/argument_letters.h"

namespace zetl::tools {

inline constexpr std::size_t kMostCodes = 8;

struct FunctionRow {
    std::string_view arguments;
    std::array<ze_result_t, kMostCodes> codes;  // unused ones are SUCCESS
};

namespace detail {

/// The codes that any function that reaches a device may return, after the mapping in device/status.h.
template <class... C>
constexpr std::array<ze_result_t, kMostCodes> withCodesOfDevices(C... codes) {
    static_assert(3 + sizeof...(C) <= kMostCodes);
    return {ZE_RESULT_NOT_READY, ZE_RESULT_ERROR_NOT_AVAILABLE, ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, codes...};
}

/// Checks a row's letters. All handles are required here, and the modules look them up.
template <class Prototype, ddi::LettersFault Fault>
constexpr bool fits(std::string_view letters) noexcept {
    return ddi::lettersFit<Prototype, Fault>() && letters.find_first_not_of("hp.") == std::string_view::npos;
}

template <ddi::Function F>
inline constexpr FunctionRow row{};

#define FUNCTION(name, arguments, ...)                                                                               \
    static_assert(fits<decltype(::name), ddi::ArgumentCheck<decltype(::name)>::fault(arguments)>(arguments), #name); \
    template <>                                                                                                      \
    inline constexpr FunctionRow row<ddi::Function::name>{arguments, withCodesOfDevices(__VA_ARGS__)};
#define SERVED(name, arguments, method, ...) FUNCTION(name, arguments, __VA_ARGS__)
#define ANYWHERE(name, arguments, function, recognises, ...) FUNCTION(name, arguments, __VA_ARGS__)
#include "tools/functions.def"
#undef ANYWHERE
#undef SERVED
#undef FUNCTION

}  // namespace detail

template <ddi::Function F>
constexpr const FunctionRow& functionRow() noexcept {
    static_assert(!detail::row<F>.arguments.empty(), "functions.def has no row for it");
    return detail::row<F>;
}

/// Finds missing arguments, in the specification's order: INVALID_NULL_HANDLE, INVALID_NULL_POINTER, or SUCCESS if none
/// is missing.
template <class... A>
ze_result_t missingOf(std::string_view letters, A... arguments) noexcept {
    const auto lacks = [&](char letter) {
        std::size_t i = 0;
        return ((letters[i++] == letter && ddi::isNull(arguments)) || ...);
    };
    if (lacks('h')) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    return lacks('p') ? ZE_RESULT_ERROR_INVALID_NULL_POINTER : ZE_RESULT_SUCCESS;
}

template <ddi::Function F, class... A>
ze_result_t missing(A... arguments) noexcept {
    constexpr std::string_view kLetters = functionRow<F>().arguments;
    static_assert(kLetters.size() == sizeof...(A));
    return missingOf(kLetters, arguments...);
}

}  // namespace zetl::tools
