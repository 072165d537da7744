// Which functions and kernels are recorded.
#pragma once

#include <fnmatch.h>

#include <string>
#include <string_view>
#include <vector>

#include "text/blanks.h"

namespace zetl::command {

/// Shell patterns separated by commas and optional blanks, such as "zeMem*, zeKernel*, !zeMemFree". What matches a
/// pattern behind '!' is left out. Without any other pattern everything else matches.
class Patterns {
  public:
    /// Null: none.
    explicit Patterns(const char* list) {
        for (std::string_view rest = list ? list : ""; !rest.empty();) {
            const auto end = rest.find(',');
            const auto pattern = withoutBlanks(rest.substr(0, end));
            if (pattern.size() > 1 && pattern.front() == '!')
                excluded_.emplace_back(pattern.substr(1));
            else if (!pattern.empty())
                each_.emplace_back(pattern);
            rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        }
    }

    bool empty() const { return each_.empty() && excluded_.empty(); }
    /// Those that are not behind '!'.
    const std::vector<std::string>& each() const { return each_; }
    const std::vector<std::string>& excluded() const { return excluded_; }
    bool match(std::string_view name) const {
        const std::string text(name);
        return !matchesAny(excluded_, text) && (each_.empty() || matchesAny(each_, text));
    }
    static bool matches(const std::string& pattern, const std::string& name) {
        return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    }

  private:
    static bool matchesAny(const std::vector<std::string>& patterns, const std::string& name) {
        for (const auto& pattern : patterns)
            if (matches(pattern, name)) return true;
        return false;
    }
    std::vector<std::string> each_;
    std::vector<std::string> excluded_;
};

}  // namespace zetl::command
