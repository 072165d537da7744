#include "failing/fail_rules.h"

#include <fmt/format.h>

#include "failure/rule.h"
#include "text/spelling.h"
#include "text/usage_error.h"

namespace zetl::command {

std::string failList(const std::vector<std::string>& rules) {
    std::string list;
    for (const std::string& text : rules) {
        if (text.find(';') != std::string::npos)
            throw UsageError(fmt::format("--fail {}: write --fail again instead of ';'", text));
        if (const auto rule = failure::ruleOf(text); !rule)
            throw UsageError(fmt::format("--fail: {}{}", rule.refusal().reason,
                                         alternatives(rule.refusal().word, rule.refusal().known)));
        list += (list.empty() ? "" : ";") + text;
    }
    return list;
}

}  // namespace zetl::command
