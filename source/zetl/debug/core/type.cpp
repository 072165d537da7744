#include "core/type.h"

#include <fmt/format.h>

#include <utility>

namespace zetl::debugger {

std::shared_ptr<const Type> madeType(Type type, std::shared_ptr<const Type> of) {
    struct Made {
        Type type;
        std::shared_ptr<const Type> of;
    };
    const auto made = std::make_shared<const Made>(Made{std::move(type), std::move(of)});
    return {made, &made->type};
}

std::shared_ptr<const Type> pointerTo(const Type* element, std::shared_ptr<const Type> of) {
    return madeType({Type::Kind::pointer, "", sizeof(std::uint64_t), 0, element, {}, {}}, std::move(of));
}

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
