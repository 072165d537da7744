#include "console/values.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include "console/commands.h"
#include "console/console.h"
#include "console/images.h"
#include "console/inspect.h"
#include "core/address.h"
#include "core/failure.h"

namespace zetl::debugger {
namespace {

/// A format such as "/8xw" before the rest. Commands come as "p/x i", "x/4f a" and "p /x i".
std::string takeFormat(std::string& arguments) {
    if (!arguments.starts_with('/')) return "";
    const auto [format, rest] = firstWord(arguments);
    arguments = rest;
    return format.substr(1);
}

/// One row of memory: a number of units of one size, in a format.
struct MemoryFormat {
    std::uint64_t count = 1;
    char format = 'x';
    unsigned bytes = 4;
};

MemoryFormat memoryFormatFrom(const std::string& text) {
    constexpr std::uint64_t kMostUnits = 65536;
    MemoryFormat result;
    const auto letters = std::min(text.find_first_not_of("0123456789"), text.size());
    if (letters > 0) result.count = requiredNumber(text.substr(0, letters));
    for (const char each : text.substr(letters)) {
        constexpr std::string_view kSizes = "bhwg";
        if (const auto size = kSizes.find(each); size != std::string_view::npos)
            result.bytes = 1u << size;
        else
            result.format = each;
    }
    if (result.count > kMostUnits)
        fail("{} units are too many to print at once; ask for at most {}", result.count, kMostUnits);
    return result;
}

std::string unitText(const Bytes& bytes, char format) {
    if (format == 'f' && bytes.size() >= 2) {
        const Type real{Type::Kind::floating, "", bytes.size(), 0, nullptr, {}, {}};
        return textOf(Value{&real, bytes, std::nullopt, false, ""});
    }
    const auto bits = static_cast<unsigned>(bytes.size() * 8);
    const auto value = bitsOf(bytes, 0, bits);
    if (format == 'd' && bits < 64 && (value >> (bits - 1)) != 0)
        return std::to_string(static_cast<std::int64_t>(value | ~std::uint64_t{0} << bits));
    return format == 'x' ? fmt::format("0x{:0{}x}", value, bytes.size() * 2) : textOf(Scalar(value), format);
}

Value evaluated(Console& console, const std::string& expression) {
    auto inspector = console.session().inspector();
    return evaluateExpression(expression, inspector);
}

std::string textIn(const std::string& format, const Value& value) {
    constexpr unsigned kMostElements = 200;
    return format.empty() ? textOf(value) : textOf(value, format.front(), kMostElements);
}

/// An expression with its value for the selected work-item.
struct Printed {
    std::string text;  ///< "i = 37"
    Value value;
};
Printed printed(Console& console, const std::string& arguments) {
    auto expression = arguments;
    const auto format = takeFormat(expression);
    auto value = evaluated(console, expression);
    const auto* item = console.session().items().at(console.session().lane());
    const auto note = item && !item->active ? "  (lane inactive)" : "";
    const auto image = format.empty() ? imageText(console, expression) : std::nullopt;
    return {fmt::format("{} = {}{}", expression, image ? *image : textIn(format, value), note), std::move(value)};
}

void show(Console& console, const Display& display) try {
    console.print("{}: {}\n", display.number, printed(console, display.expression).text);
} catch (const Failure& failure) {
    console.print("{}: {}: {}\n", display.number, display.expression, failure.what());
}

}  // namespace

std::uint64_t requiredNumber(const std::string& text) {
    const auto value = numberFrom(text);
    if (!value) fail("{}: not a number; type decimal digits, or 0x and hexadecimal ones", text);
    return *value;
}

std::string placeWithAddress(Console& console, const std::string& place) {
    if (!place.starts_with('*') || numberFrom(place.substr(1))) return place;
    auto& control = console.session().control();
    const bool maybeSymbol = symbolPlaceFrom(place.substr(1)).has_value();
    if (maybeSymbol && (!control.stopped() || !control.modules().resolve(place, "").empty())) return place;
    return fmt::format("*{:#x}", asBits(scalarOf(evaluated(console, place.substr(1)))));
}

void print(Console& console, const std::string& arguments) {
    auto& session = console.session();
    auto [text, value] = printed(console, arguments);
    auto types = session.control().modules().sharedAt(session.frame().address);
    const auto number = session.history().add(std::move(value), std::move(types));
    console.print("${}: {}\n", number, text);
}

void infoValues(Console& console, const std::string&) {
    const auto& history = console.session().history();
    for (std::size_t number = 1; number <= history.size(); ++number)
        console.print("${} = {}\n", number, textOf(history.at(number)));
}

void display(Console& console, const std::string& arguments) {
    if (arguments.empty()) return showDisplays(console);
    auto& all = console.displays;
    all.push_back({all.empty() ? 1 : all.back().number + 1, arguments});
    if (console.session().control().stopped()) show(console, all.back());
}

void undisplay(Console& console, const std::string& arguments) {
    auto& all = console.displays;
    if (arguments.empty()) return all.clear();
    const auto number = requiredNumber(arguments);
    if (std::erase_if(all, [number](const Display& each) { return each.number == number; }) == 0)
        fail("there is no display {}; type info display for a list", number);
}

void showDisplays(Console& console) {
    for (const auto& each : console.displays) show(console, each);
}

namespace {

/// The type that is named, or that of an expression.
std::shared_ptr<const Type> typeIn(Console& console, const std::string& text) {
    auto inspector = console.session().inspector();
    if (auto named = typeFrom(text, inspector)) return named;
    const auto value = evaluateExpression(text, inspector);
    return {value.made, value.type};
}

}  // namespace

void printType(Console& console, const std::string& arguments) {
    console.print("type = {}\n", nameOf(typeIn(console, arguments).get()));
}

void printWholeType(Console& console, const std::string& arguments) {
    const auto type = typeIn(console, arguments);
    const Type* whole = type.get();
    std::string behind;  // pointers to it, and arrays of it
    for (; whole && whole->element && !whole->isVector; whole = whole->element)
        behind += whole->kind == Type::Kind::pointer ? " *" : fmt::format(" [{}]", whole->count);
    if (!whole || whole->kind != Type::Kind::structure) return console.print("type = {}\n", nameOf(type.get()));
    console.print("type = {} {{\n", nameOf(whole));
    for (const auto& each : whole->members) console.print("    {} {};\n", nameOf(each.type), each.name);
    console.print("}}{}\n", behind);
}

namespace {

/// Text in memory up to its zero, or to `most` bytes. Memory may end behind it, so little is read at once.
std::optional<std::string> textAt(const std::function<std::optional<Bytes>(std::uint64_t, std::size_t)>& read,
                                  std::uint64_t address, std::size_t most) {
    constexpr std::uint64_t kAtOnce = 64;
    std::string text;
    while (text.size() < most) {
        const auto at = address + text.size();
        const auto bytes = read(at, kAtOnce - at % kAtOnce);
        const auto one = bytes ? bytes : read(at, 1);
        if (!one) return text.empty() ? std::nullopt : std::optional(text);
        for (const auto each : *one) {
            if (each == 0 || text.size() == most) return text;
            text += static_cast<char>(each);
        }
    }
    return text;
}

std::string quotedText(const std::string& text) {
    std::string all = "\"";
    for (const char each : text) {
        const bool isPlain = each >= ' ' && each <= '~';
        if (each == '"' || each == '\\') all += '\\';
        all += isPlain ? std::string(1, each) : fmt::format("\\x{:02x}", static_cast<unsigned char>(each));
    }
    return all + "\"";
}

}  // namespace

void assign(Console& console, const std::string& arguments) {
    const auto [word, rest] = firstWord(arguments);
    const auto& expression = word == "var" || word == "variable" ? rest : arguments;
    auto inspector = console.session().inspector();
    evaluateExpression(expression, inspector);
    if (console.session().control().isInPast())
        console.print("This is the past: the change is lost when you move on.\n");
}

void examine(Console& console, const std::string& arguments) {
    auto place = arguments;
    const auto format = memoryFormatFrom(takeFormat(place));
    constexpr std::string_view kLocal = "local:";
    bool isLocal = place.starts_with(kLocal);
    auto& session = console.session();
    std::uint64_t address = 0;
    if (const auto plain = numberFrom(isLocal ? std::string_view(place).substr(kLocal.size()) : place)) {
        address = *plain;
    } else {
        auto inspector = session.inspector();
        auto value = evaluateExpression(isLocal ? place.substr(kLocal.size()) : place, inspector);
        if (value.type && value.type->kind == Type::Kind::array && value.place) value = inspector.addressOf(value);
        address = asBits(scalarOf(value));
        if (value.leadsToLocal) {
            isLocal = true;
            address &= kLocalOffset;
        }
    }
    if (format.format == 'i') {
        for (std::uint64_t i = 0; i < format.count; ++i) printInstruction(console, address);
        return;
    }
    const auto bytes = format.count * format.bytes;
    auto& control = session.control();
    const auto& memory = control.memory();
    const auto read = [&](std::uint64_t from, std::size_t count) {
        return isLocal             ? memory.readLocal(session.thread(), from, count)
               : control.stopped() ? readAny(memory, control.thread(session.thread()), from, count)
                                   : memory.read(from, count);
    };
    if (format.format == 's') {
        constexpr std::size_t kMost = 200;  // bytes of a text on one line
        for (std::uint64_t i = 0; i < format.count; ++i) {
            const auto text = textAt(read, address, kMost);
            if (!text)
                fail("cannot read text at {}{:#x}: no allocation is there; x/8x shows bytes", isLocal ? kLocal : "",
                     address);
            console.print("{:#x}: {}{}\n", address, quotedText(*text), text->size() == kMost ? "..." : "");
            address += text->size() + (text->size() == kMost ? 0 : 1);
        }
        return;
    }
    const auto data = read(address, bytes);
    if (!data) fail(kUnreadable, bytes, isLocal ? kLocal : "", address);
    for (std::uint64_t i = 0; i < format.count; ++i) {
        const auto perRow = 16 / format.bytes;
        if (i % perRow == 0) console.print("{}{:#x}:", i > 0 ? "\n" : "", address + i * format.bytes);
        const auto begin = data->begin() + static_cast<std::ptrdiff_t>(i * format.bytes);
        console.print(" {}", unitText({begin, begin + format.bytes}, format.format));
    }
    console.print("\n");
}

}  // namespace zetl::debugger
