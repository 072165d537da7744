// LLVM's assembly text, as far as SPIR-V's form of it differs from the one that NVIDIA's back end takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zetl::compiler {

/// The module with triple, data layout, calling conventions and address spaces of NVIDIA's: what was the generic space
/// (4) becomes 0, what was the constant space (2) becomes 4, also in mangled names.
std::string withNvidiasConventions(std::string_view module);

/// The kernels that it defines.
std::vector<std::string> kernelsOf(std::string_view module);

/// Of the kernels' parameters those that are pointers to local memory, by the names that PTX gives them.
std::vector<std::string> localParametersOf(std::string_view module);
/// PTX that says so of them; LLVM's CUDA flavour leaves it out.
std::string withLocalParameters(std::string ptx, const std::vector<std::string>& names);

/// A function that the module calls and does not have.
struct Declaration {
    std::string symbol;  ///< as it stands there
    std::string result;  ///< type
    std::vector<std::string> parameters;

    /// Nothing unless the line declares a function.
    static std::optional<Declaration> of(std::string_view line);
    /// The name in the program: of _Z10atomic_addPii atomic_add.
    std::string_view name() const;
    /// What follows it in the mangled name, the parameters' types.
    std::string_view mangledTypes() const;
};

}  // namespace zetl::compiler
