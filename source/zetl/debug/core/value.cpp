#include "core/value.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/failure.h"
#include "isa/xe/architecture.h"

namespace zetl::debugger {

namespace types {
const Type kSigned{Type::Kind::integer, "long", 8, 0, nullptr, {}, {}};
const Type kUnsigned{Type::Kind::natural, "unsigned long", 8, 0, nullptr, {}, {}};
const Type kReal{Type::Kind::floating, "double", 8, 0, nullptr, {}, {}};
const Type kWord{Type::Kind::natural, "unsigned int", 4, 0, nullptr, {}, {}};
const Type kByte{Type::Kind::natural, "unsigned char", 1, 0, nullptr, {}, {}};
const Type kRegister{Type::Kind::array, "", isa::xe::kRegisterBytes, isa::xe::kRegisterBytes / 4, &kWord, {}, {}};
}  // namespace types

namespace {

std::int64_t extended(std::uint64_t value, unsigned bits) {
    if (bits == 0 || bits >= 64) return static_cast<std::int64_t>(value);
    const auto sign = std::uint64_t{1} << (bits - 1);
    return static_cast<std::int64_t>((value ^ sign) - sign);
}

double realOf(const Bytes& data) {
    const auto bits = bitsOf(data, 0, 64);
    switch (data.size()) {
        case 2:
            return halfToDouble(static_cast<std::uint16_t>(bits));
        case 4: {
            float value;
            std::memcpy(&value, data.data(), sizeof value);
            return static_cast<double>(value);
        }
        case 8: {
            double value;
            std::memcpy(&value, data.data(), sizeof value);
            return value;
        }
        default:
            fail("a floating-point number of {} bytes", data.size());
    }
}

std::string realText(const Bytes& data) {
    if (data.size() != 4) return fmt::format("{}", realOf(data));
    float value;
    std::memcpy(&value, data.data(), sizeof value);
    return fmt::format("{}", value);
}

std::string characterText(std::int64_t value) {
    if (value >= 32 && value < 127) return fmt::format("{} '{}'", value, static_cast<char>(value));
    return std::to_string(value);
}

Value elementOf(const Value& whole, const Type& type, std::uint64_t offset) {
    Value part{&type, {}, std::nullopt, whole.leadsToLocal, ""};
    for (std::uint64_t i = 0; i < type.size; ++i)
        part.data.push_back(offset + i < whole.data.size() ? whole.data[offset + i] : std::uint8_t{0});
    return part;
}

std::string formatted(const Value& value, char format, unsigned most);
std::string plainText(const Value& value);

std::string arrayText(const Value& value, char format, unsigned most) {
    std::string text = "{";
    const auto& element = *value.type->element;
    for (std::uint64_t i = 0; i < value.type->count; ++i) {
        if (i > 0) text += ", ";
        if (i == most) return text + "...}";
        text += formatted(elementOf(value, element, i * element.size), format, most / 2);
    }
    return text + "}";
}

std::string structureText(const Value& value, char format, unsigned most) {
    std::string text = "{";
    if (most == 0) return "{...}";
    for (const auto& member : value.type->members) {
        if (text.size() > 1) text += ", ";
        text += member.name + " = ";
        text += member.type ? formatted(elementOf(value, *member.type, member.offset), format, most / 2) : "?";
    }
    return text + "}";
}

std::string enumerationText(const Value& value) {
    const auto number = extended(bitsOf(value.data, 0, 64), static_cast<unsigned>(value.data.size() * 8));
    const auto found = std::ranges::find(value.type->enumerators, number, &Enumerator::value);
    return found == value.type->enumerators.end() ? std::to_string(number) : found->name;
}

}  // namespace

double halfToDouble(std::uint16_t half) {
    const int exponent = half >> 10 & 31;
    const int fraction = half & 1023;
    const double sign = (half & 0x8000) != 0 ? -1 : 1;
    if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
    return exponent == 0 ? sign * std::ldexp(fraction, -24) : sign * std::ldexp(fraction + 1024, exponent - 25);
}

Place Place::part(std::uint64_t firstBit, std::uint64_t bits) const {
    Place result;
    result.isLocal = isLocal;
    std::uint64_t begin = 0;
    for (auto piece : pieces) {
        const auto size = piece.bits ? piece.bits : UINT64_MAX - begin;
        const auto from = std::max(firstBit, begin);
        const auto to = std::min(firstBit + bits, begin + size);
        if (from < to) {
            if (piece.isMemory())
                piece.address += (from - begin) / 8;
            else
                piece.firstBit += from - begin;
            piece.bits = to - from;
            result.pieces.push_back(piece);
        }
        begin += size;
    }
    return result;
}

Scalar scalarOf(const Value& value) {
    if (!value.missing.empty()) fail("{}", value.missing);
    if (!value.type) fail("a value without a type");
    const auto bits = static_cast<unsigned>(std::min<std::size_t>(value.data.size() * 8, 64));
    switch (value.type->kind) {
        case Type::Kind::integer:
        case Type::Kind::enumeration:
            return extended(bitsOf(value.data, 0, bits), bits);
        case Type::Kind::natural:
        case Type::Kind::boolean:
        case Type::Kind::pointer:
            return bitsOf(value.data, 0, bits);
        case Type::Kind::floating:
            return realOf(value.data);
        default:
            fail("{} is not a number; take one of its members or elements", nameOf(value.type));
    }
}

double asDouble(const Scalar& scalar) {
    return std::visit([](auto value) { return static_cast<double>(value); }, scalar);
}

std::uint64_t asBits(const Scalar& scalar) {
    if (const auto* real = std::get_if<double>(&scalar)) {
        if (!(std::abs(*real) < 9.2e18)) fail("{} is too large for a whole number; print it as it is", *real);
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(*real));
    }
    return std::visit([](auto value) { return static_cast<std::uint64_t>(value); }, scalar);
}

bool isTrue(const Scalar& scalar) {
    return std::visit([](auto value) { return value != 0; }, scalar);
}

Bytes bytesFor(const Type& type, const Scalar& scalar) {
    Bytes bytes(type.size);
    const auto store = [&](const auto& value) {
        std::memcpy(bytes.data(), &value, std::min(bytes.size(), sizeof value));
        return bytes;
    };
    if (type.kind == Type::Kind::floating) {
        if (type.size == 8) return store(asDouble(scalar));
        if (type.size == 4) return store(static_cast<float>(asDouble(scalar)));
        fail("a variable of type {} cannot be set", nameOf(&type));
    }
    if (type.kind == Type::Kind::structure || type.kind == Type::Kind::array || type.kind == Type::Kind::nothing ||
        type.size > 8)
        fail("a variable of type {} cannot be set as a whole; set its members or elements", nameOf(&type));
    return store(type.kind == Type::Kind::boolean ? std::uint64_t{isTrue(scalar)} : asBits(scalar));
}

Value valueOf(const Scalar& scalar) {
    const auto& type = std::holds_alternative<double>(scalar)         ? types::kReal
                       : std::holds_alternative<std::int64_t>(scalar) ? types::kSigned
                                                                      : types::kUnsigned;
    return {&type, bytesFor(type, scalar), std::nullopt, false, ""};
}

Value pointerValue(std::uint64_t address, const Type* element, std::shared_ptr<const Type> made) {
    auto type = pointerTo(element, std::move(made));
    return {type.get(), bytesFor(*type, address), std::nullopt, false, "", type};
}

Bytes bytesAs(const Type& type, const Value& value) {
    if (type.isVector) {
        const auto components = componentsOf(value);
        const bool isOne = components.size() == 1;
        if (!isOne && components.size() != type.count)
            fail("{} has {} components, and {} has {}", nameOf(value.type), components.size(), nameOf(&type),
                 type.count);
        Bytes all;
        for (std::uint64_t i = 0; i < type.count; ++i) {
            const auto part = bytesFor(*type.element, scalarOf(components[isOne ? 0 : i]));
            all.insert(all.end(), part.begin(), part.end());
        }
        all.resize(type.size);
        return all;
    }
    const bool isWhole = type.kind == Type::Kind::structure || type.kind == Type::Kind::array;
    const bool isSame = value.missing.empty() && value.data.size() == type.size && nameOf(value.type) == nameOf(&type);
    return isWhole && isSame ? value.data : bytesFor(type, scalarOf(value));
}

std::vector<Value> componentsOf(const Value& value) {
    if (!value.missing.empty()) fail("{}", value.missing);
    if (!value.type || !value.type->isVector) return {value};
    std::vector<Value> all;
    all.reserve(value.type->count);
    for (std::uint64_t i = 0; i < value.type->count; ++i)
        all.push_back(elementOf(value, *value.type->element, i * value.type->element->size));
    return all;
}

std::string textOf(const Value& value, unsigned most) { return formatted(value, 0, most); }
std::string textOf(const Value& value, char format, unsigned most) { return formatted(value, format, most); }

namespace {

/// The bits of an integer of this size; another number as it is.
Scalar bitsFor(const Value& value, char format) {
    constexpr std::string_view kOfBits = "xotu";
    const auto scalar = scalarOf(value);
    if (kOfBits.find(format) == std::string_view::npos || std::holds_alternative<double>(scalar)) return scalar;
    return bitsOf(value.data, 0, 64);
}

std::string formatted(const Value& value, char format, unsigned most) {
    if (!value.missing.empty()) return "<" + value.missing + ">";
    if (!value.type) return "<no type>";
    switch (value.type->kind) {
        case Type::Kind::nothing:
            return "void";
        case Type::Kind::array:
            return value.type->element ? arrayText(value, format, most) : "{}";
        case Type::Kind::structure:
            return structureText(value, format, most);
        default:
            return format == 0 ? plainText(value) : textOf(bitsFor(value, format), format);
    }
}

std::string plainText(const Value& value) {
    switch (value.type->kind) {
        case Type::Kind::integer: {
            const auto number = std::get<std::int64_t>(scalarOf(value));
            return value.type->size == 1 ? characterText(number) : std::to_string(number);
        }
        case Type::Kind::natural: {
            const auto number = std::get<std::uint64_t>(scalarOf(value));
            return value.type->size == 1 ? characterText(static_cast<std::int64_t>(number)) : std::to_string(number);
        }
        case Type::Kind::boolean:
            return isTrue(scalarOf(value)) ? "true" : "false";
        case Type::Kind::floating:
            return realText(value.data);
        case Type::Kind::pointer:
            return fmt::format("({}{}) {:#x}", value.leadsToLocal ? "local " : "", nameOf(value.type),
                               bitsOf(value.data, 0, 64));
        case Type::Kind::enumeration:
            return enumerationText(value);
        default:
            return "";
    }
}

}  // namespace

std::string textOf(const Scalar& scalar, char format) {
    switch (format) {
        case 'x':
        case 'a':
            return fmt::format("{:#x}", asBits(scalar));
        case 'o':
            return fmt::format("{:#o}", asBits(scalar));
        case 't':
            return fmt::format("{:b}", asBits(scalar));
        case 'd':
            return std::to_string(static_cast<std::int64_t>(asBits(scalar)));
        case 'u':
            return std::to_string(asBits(scalar));
        case 'c':
            return characterText(static_cast<std::int64_t>(asBits(scalar)));
        case 'f':
            return fmt::format("{}", asDouble(scalar));
        default:
            fail("unknown format {}; known are x, d, u, o, t, c, a and f", format);
    }
}

}  // namespace zetl::debugger
