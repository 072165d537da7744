// What looks for mistakes in kernels while they are debugged. The debugger itself does not know checks.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace zetl::debugger {

class Checks {
  public:
    virtual ~Checks() = default;
    Checks() = default;
    Checks(const Checks&) = delete;
    Checks& operator=(const Checks&) = delete;

    /// The variables with which a program that starts from now on is checked. `kinds` may be empty: the usual ones.
    /// Throws Failure if they are not to be had.
    virtual std::vector<std::pair<std::string, std::string>> on(const std::string& kinds) = 0;
    virtual std::vector<std::pair<std::string, std::string>> off() = 0;
    /// What was found since the last call, as it is printed.
    virtual std::string news() = 0;
};

}  // namespace zetl::debugger
