// A value's type in LLVM's assembly text.
#pragma once

#include <string>
#include <string_view>

namespace zetl::compiler {

struct ValueType {
    std::string text;
    unsigned bits = 0;  ///< in all; 0: none that functions of ours take
    bool real = false;
    bool vector = false;

    /// Of i32, float, <4 x half> and the like.
    static ValueType of(std::string_view text);
    /// The integer of its size.
    std::string integer() const { return "i" + std::to_string(bits); }
};

}  // namespace zetl::compiler
