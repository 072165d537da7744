// Which functions and kernels are recorded.
#pragma once

#include <fnmatch.h>

#include <string>
#include <string_view>
#include <vector>

#include "text/blanks.h"

namespace zetl::command {

/// Shell patterns separated by commas and optional blanks, such as "zeMem*, zeKernel*". Without any pattern everything
/// matches.
class Patterns {
  public:
    /// Null: none.
    explicit Patterns(const char* list) {
        for (std::string_view rest = list ? list : ""; !rest.empty();) {
            const auto end = rest.find(',');
            if (const auto pattern = withoutBlanks(rest.substr(0, end)); !pattern.empty()) each_.emplace_back(pattern);
            rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        }
    }

    bool empty() const { return each_.empty(); }
    const std::vector<std::string>& each() const { return each_; }
    bool match(std::string_view name) const {
        const std::string text(name);
        for (const auto& pattern : each_)
            if (matches(pattern, text)) return true;
        return each_.empty();
    }
    static bool matches(const std::string& pattern, const std::string& name) {
        return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    }

  private:
    std::vector<std::string> each_;
};

}  // namespace zetl::command
