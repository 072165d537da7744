#include "compiler/ptx/value_type.h"

#include <cstdlib>

namespace zetl::compiler {
namespace {

struct Real {
    std::string_view name;
    unsigned bits;
};
constexpr Real kReals[] = {{"half", 16}, {"float", 32}, {"double", 64}};

}  // namespace

ValueType ValueType::of(std::string_view text) {
    ValueType type;
    type.text = text;
    if (text.starts_with("<")) {
        const auto by = text.find(" x ");
        if (by == std::string_view::npos || !text.ends_with(">")) return type;
        const auto element = of(text.substr(by + 3, text.size() - by - 4));
        type.bits = element.bits * static_cast<unsigned>(std::atoi(text.data() + 1));
        type.real = element.real;
        type.vector = true;
        return type;
    }
    for (const auto& [name, bits] : kReals)
        if (text == name) {
            type.bits = bits;
            type.real = true;
        }
    if (text.starts_with("i") && text.find('*') == std::string_view::npos)
        type.bits = static_cast<unsigned>(std::atoi(text.data() + 1));
    return type;
}

}  // namespace zetl::compiler
