// The binary operators of expressions.
#pragma once

#include <string_view>

namespace zetl::debugger {

struct Operator {
    std::string_view text;
    int strength;  ///< a higher number binds more tightly
};
// Longer operators first, if one is the beginning of another.
inline constexpr Operator kOperators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7}, {"<<", 8},
                                          {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},  {"@", 9},
                                          {"+", 10}, {"-", 10}, {"*", 11}, {"/", 11}, {"%", 11}};

/// The operator with which the text begins; null if there is none.
inline const Operator* operatorAt(std::string_view text) {
    for (const auto& each : kOperators)
        if (text.starts_with(each.text)) return &each;
    return nullptr;
}

}  // namespace zetl::debugger
