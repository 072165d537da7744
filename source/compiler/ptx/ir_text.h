// LLVM's assembly text: changes the form that SPIR-V is translated to into the form that NVIDIA's back end takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zetl::compiler {

/// The module with NVIDIA's triple, data layout, calling conventions and address spaces: the generic space (4) becomes
/// 0, and the constant space (2) becomes 4, also in mangled names.
std::string withNvidiasConventions(std::string_view module);

/// The kernels that it defines.
std::vector<std::string> kernelsOf(std::string_view module);

/// The kernels' parameters that are pointers to local memory, by their names in PTX.
std::vector<std::string> localParametersOf(std::string_view module);
/// PTX that marks those parameters as such, which LLVM's CUDA flavour leaves out.
std::string withLocalParameters(std::string ptx, const std::vector<std::string>& names);

/// A function that the module calls but does not define.
struct Declaration {
    std::string symbol;  ///< as written there
    std::string result;  ///< type
    std::vector<std::string> parameters;

    /// Nothing unless the line declares a function.
    static std::optional<Declaration> of(std::string_view line);
    /// The name in the program: atomic_add for _Z10atomic_addPii.
    std::string_view name() const;
    /// The rest of the mangled name: the parameters' types.
    std::string_view mangledTypes() const;
};

}  // namespace zetl::compiler
