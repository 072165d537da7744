// Writes a function's body in LLVM's assembly text, instruction by instruction.
#pragma once

#include <fmt/format.h>

#include <string>

#include "compiler/ptx/value_type.h"

namespace zetl::compiler {

class Body {
  public:
    /// Appends an instruction that has a result, and returns the result's name.
    template <class... A>
    std::string value(fmt::format_string<A...> format, A&&... arguments) {
        std::string name = fmt::format("%v{}", next_++);
        line("  {} = {}", name, fmt::format(format, std::forward<A>(arguments)...));
        return name;
    }
    template <class... A>
    void line(fmt::format_string<A...> format, A&&... arguments) {
        text_ += fmt::format(format, std::forward<A>(arguments)...) + "\n";
    }
    void give(const ValueType& type, const std::string& value) { line("  ret {} {}", type.text, value); }

    /// The value's bits as an integer of its size, and back.
    std::string toInteger(const ValueType& type, const std::string& value);
    std::string fromInteger(const ValueType& type, const std::string& value);
    /// The same as 64 bits, for types of at most 64.
    std::string toWord(const ValueType& type, const std::string& value);
    std::string fromWord(const ValueType& type, const std::string& value);

    const std::string& text() const noexcept { return text_; }

  private:
    std::string text_ = "entry:\n";
    int next_ = 0;
};

}  // namespace zetl::compiler
