// Which of the application's environment variables the compiler's process gets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zetl::compiler {

/// True for what the compiler and its libraries read, and what a developer sets for them. All others stay with the
/// application: LD_PRELOAD and LD_AUDIT would start its tools a second time, in a process that is none of their
/// business, and so would the variables of Level Zero and of those tools. docs/reference/settings.md has the list.
bool compilerKeeps(std::string_view name) noexcept;

/// Whether what the compiler makes may depend on the variable.
bool decidesBuilds(std::string_view name) noexcept;

/// Whether it is one that developers set for the compiler: its name, or name=value.
bool isForDevelopers(std::string_view variable) noexcept;

/// A copy of those of the variables that the compiler keeps.
class Environment {
  public:
    explicit Environment(const char* const* variables);
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

    /// As execve takes them; valid as long as this object.
    char* const* pointers() const noexcept { return pointers_.data(); }
    /// As "name=value".
    const std::vector<std::string>& variables() const noexcept { return variables_; }

  private:
    std::vector<std::string> variables_;
    std::vector<char*> pointers_;
};

}  // namespace zetl::compiler
