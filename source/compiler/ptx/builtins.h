// OpenCL functions that libclc lacks for NVIDIA GPUs: sub-groups, work-group functions, atomics with an order, fast
// math. A sub-group is a warp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/ptx/body.h"
#include "compiler/ptx/ir_text.h"

namespace zetl::compiler {

/// One function, or all functions whose names begin like that. Parameters are %a0, %a1, ...
struct Builtin {
    std::string_view name;
    /// Returns false if these types are not supported; the body is then dropped.
    bool (*write)(Body& body, const Declaration& declaration);
    bool prefix = false;
};
std::span<const Builtin> atomicBuiltins();
std::span<const Builtin> groupBuiltins();
std::span<const Builtin> mathBuiltins();

/// The same function of float, for a function of half that libclc and these lack: half sin(half) becomes float
/// sin(float), with conversions around it. `needed` is the declaration that the definition calls. Nothing if it takes
/// no half, or pointers.
std::optional<std::string> byFloat(const Declaration& declaration, Declaration& needed);

/// How two values of a type are combined.
struct Combination {
    std::string_view name;   ///< the end of a function's name
    std::string_view whole;  ///< instruction for integers
    std::string_view real;   ///< instruction for floats; empty: none
    bool compares = false;   ///< the instruction tells whether the first operand is the result
    std::string_view unsignedWhole{};
    std::string (*identity)(const ValueType& type, bool isSigned);
};
/// Null if the name ends in no combination.
const Combination* combinationAtEnd(std::string_view name);
/// Empty if there is no such instruction for the type.
std::string combine(Body& body, const Combination& how, const ValueType& type, bool isSigned, const std::string& one,
                    const std::string& other);
/// Whether a mangled type is a signed integer.
bool isSigned(char mangled);

/// The module, with definitions in the place of declarations, and the functions that these call. With `hasOffset` its
/// kernels have to pass the global offset (global_offset.h); without, it is zero.
std::string withBuiltins(std::string_view module, bool hasOffset);

}  // namespace zetl::compiler
