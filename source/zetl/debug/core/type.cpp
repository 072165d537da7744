#include "core/type.h"

#include <fmt/format.h>

#include <algorithm>
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

std::uint64_t vectorSize(std::uint64_t elementSize, std::uint64_t count) {
    return elementSize * (count == 3 ? 4 : count);
}

std::shared_ptr<const Type> vectorOf(const Type& element, std::uint64_t count, std::shared_ptr<const Type> of) {
    constexpr std::string_view kUnsigned = "unsigned ";
    std::string name = element.name;
    if (name.starts_with(kUnsigned)) name = "u" + name.substr(kUnsigned.size());
    return madeType({Type::Kind::array,
                     name + std::to_string(count),
                     vectorSize(element.size, count),
                     count,
                     &element,
                     {},
                     {},
                     true},
                    std::move(of));
}

std::vector<unsigned> componentsNamed(std::string_view name, std::uint64_t count) {
    constexpr std::string_view kLetters[] = {"xyzw", "rgba"};
    constexpr std::string_view kDigits = "0123456789abcdef";
    constexpr std::size_t kMost = 16;
    const auto most = static_cast<unsigned>(std::min<std::uint64_t>(count == 3 ? 4 : count, kMost));
    std::vector<unsigned> chosen;
    const auto every = [&](unsigned first, unsigned end, unsigned step) {
        for (unsigned i = first; i < end; i += step) chosen.push_back(i);
        return chosen;
    };
    if (name == "lo") return every(0, most / 2, 1);
    if (name == "hi") return every(most / 2, most, 1);
    if (name == "even") return every(0, most, 2);
    if (name == "odd") return every(1, most, 2);
    const bool isNumbered = name.size() > 1 && (name.front() == 's' || name.front() == 'S');
    if (isNumbered) name.remove_prefix(1);
    if (name.size() > kMost) return {};
    const auto& letters =
        !name.empty() && kLetters[1].find(name.front()) != std::string_view::npos ? kLetters[1] : kLetters[0];
    for (const char each : name) {
        const auto lower = each >= 'A' && each <= 'F' ? static_cast<char>(each - 'A' + 'a') : each;
        const auto place = isNumbered ? kDigits.find(lower) : letters.find(each);
        if (place >= count) return {};
        chosen.push_back(static_cast<unsigned>(place));
    }
    return chosen;
}

namespace {

/// An array of arrays names its dimensions in the order of the source: "int [2][3]".
std::string arrayName(const Type& array) {
    std::string dimensions;
    const Type* each = &array;
    for (; each && each->kind == Type::Kind::array && each->name.empty(); each = each->element)
        dimensions += fmt::format("[{}]", each->count);
    return nameOf(each) + " " + dimensions;
}

}  // namespace

std::string nameOf(const Type* type) {
    if (!type) return "void";
    if (!type->name.empty()) return type->name;
    switch (type->kind) {
        case Type::Kind::pointer:
            return nameOf(type->element) + " *";
        case Type::Kind::array:
            return arrayName(*type);
        case Type::Kind::structure:
            return "struct {...}";
        case Type::Kind::enumeration:
            return "enum {...}";
        default:
            return "void";
    }
}

}  // namespace zetl::debugger
