// Selects the application's environment variables for the compiler's process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zetl::compiler {

/// True for variables that the compiler and its libraries read, and those that developers set for them. All others stay
/// with the application: LD_PRELOAD and LD_AUDIT would start its tools a second time, in a process that does not
/// concern them, and so would the variables of Level Zero and of those tools. docs/reference/settings.md has the list.
bool compilerKeeps(std::string_view name) noexcept;

/// Whether the result of the compiler may depend on the variable.
bool decidesBuilds(std::string_view name) noexcept;

/// Whether developers set it for the compiler. `variable` is its name, or name=value.
bool isForDevelopers(std::string_view variable) noexcept;

/// A copy of the variables that the compiler keeps.
class Environment {
  public:
    explicit Environment(const char* const* variables);
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

    /// In execve's form; valid as long as this object.
    char* const* pointers() const noexcept { return pointers_.data(); }
    /// As "name=value".
    const std::vector<std::string>& variables() const noexcept { return variables_; }

  private:
    std::vector<std::string> variables_;
    std::vector<char*> pointers_;
};

}  // namespace zetl::compiler
