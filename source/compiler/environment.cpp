#include "compiler/environment.h"

#include <algorithm>

#include "base/settings.h"

namespace zetl::compiler {
namespace {

constexpr std::string_view kNames[] = {"PATH", "HOME", "XDG_CACHE_HOME", "TMPDIR", "LANG", "TZ"};
constexpr std::string_view kLocale = "LC_";
constexpr std::string_view kPlaces[] = {"LD_LIBRARY_PATH", settings::kLlvm};  // which compiler it is
constexpr std::string_view kDevelopers[] = {"IGC_", "NEO", "OCLOC_"};

}  // namespace

bool decidesBuilds(std::string_view name) noexcept {
    return std::ranges::find(kPlaces, name) != std::end(kPlaces) || isForDevelopers(name);
}

bool isForDevelopers(std::string_view variable) noexcept {
    return std::ranges::any_of(kDevelopers,
                               [variable](std::string_view prefix) { return variable.starts_with(prefix); });
}

bool compilerKeeps(std::string_view name) noexcept {
    return decidesBuilds(name) || name.starts_with(kLocale) || std::ranges::find(kNames, name) != std::end(kNames);
}

Environment::Environment(const char* const* variables) {
    for (; variables != nullptr && *variables != nullptr; ++variables) {
        const std::string_view variable = *variables;
        if (compilerKeeps(variable.substr(0, variable.find('=')))) variables_.emplace_back(variable);
    }
    for (std::string& variable : variables_) pointers_.push_back(variable.data());
    pointers_.push_back(nullptr);
}

}  // namespace zetl::compiler
