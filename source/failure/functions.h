// What rules can name: functions and their groups, result codes, and where a call's arguments say what matters here.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ddi/api.h"

namespace zetl::failure {

using Functions = std::bitset<ddi::kTraced>;

/// The functions that a name, a group or a pattern (with `*` and `?`) stands for. Empty if there are none. Functions
/// that return no result code are left out.
Functions functionsNamed(std::string_view name);

/// The groups, then all functions.
std::vector<std::string> functionNames();

/// A result code by its name, with or without ZE_RESULT_ and ERROR_. SUCCESS is none.
std::optional<std::uint32_t> codeNamed(std::string_view name);
std::vector<std::string> codeNames();

/// The functions that a lost device refuses: those that give it work, wait for it, or ask about it.
const Functions& functionsOfDevice();

/// Places of arguments, from 0.
struct SizedFunction {
    ddi::Function function;
    std::uint8_t size;     ///< a size_t
    std::uint8_t pointer;  ///< of allocations: a void** for the result; 0 for other functions
};
/// Null if calls of the function have no size.
const SizedFunction* sizedFunction(ddi::Function function) noexcept;
std::vector<std::string> sizedFunctionNames();

}  // namespace zetl::failure
