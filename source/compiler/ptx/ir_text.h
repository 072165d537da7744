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

/// Passes each line to the function.
template <class F>
void eachLine(std::string_view text, F&& body) {
    while (!text.empty()) {
        const auto end = text.find('\n');
        body(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

/// The types of a list of parameters or arguments, which begins behind its bracket.
std::vector<std::string> typesIn(std::string_view list);

/// The kernels that it defines.
std::vector<std::string> kernelsOf(std::string_view module);

/// What it defines for other modules besides kernels.
struct Export {
    std::string name;
    bool isFunction = false;
};
std::vector<Export> exportsOf(std::string_view module);

/// The kernels' parameters that are pointers to local memory, by their names in PTX.
std::vector<std::string> localParametersOf(std::string_view module);
/// PTX that marks those parameters as such, which LLVM's CUDA flavour leaves out.
std::string withLocalParameters(std::string ptx, const std::vector<std::string>& names);

/// A kernel that runs with groups of one size alone.
struct RequiredGroup {
    std::string kernel;
    std::string size;  ///< "32, 2, 1"
};
std::vector<RequiredGroup> requiredGroupsOf(std::string_view module);
/// PTX that says so, too.
std::string withRequiredGroups(std::string ptx, const std::vector<RequiredGroup>& groups);

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
