#include "core/type.h"

#include <fmt/format.h>

namespace zetl::debugger {

std::string nameOf(const Type* type) {
    if (!type) return "void";
    if (!type->name.empty()) return type->name;
    switch (type->kind) {
        case Type::Kind::pointer:
            return nameOf(type->element) + " *";
        case Type::Kind::array:
            return fmt::format("{} [{}]", nameOf(type->element), type->count);
        case Type::Kind::structure:
            return "struct {...}";
        case Type::Kind::enumeration:
            return "enum {...}";
        default:
            return "void";
    }
}

}  // namespace zetl::debugger
