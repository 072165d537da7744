// A value's type in LLVM's assembly text.
#pragma once

#include <string>
#include <string_view>

namespace zetl::compiler {

struct ValueType {
    std::string text;
    unsigned bits = 0;  ///< total size; 0: not a type that our functions take
    bool real = false;
    bool vector = false;

    /// The type for a text such as i32, float or <4 x half>.
    static ValueType of(std::string_view text);
    /// The integer type of the same size.
    std::string integer() const { return "i" + std::to_string(bits); }
};

}  // namespace zetl::compiler
