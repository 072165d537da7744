#include "console/values.h"

#include <algorithm>

#include "console/commands.h"
#include "console/console.h"
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
    if (result.count > 65536) fail("too much to print at once");
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
    return format.empty() ? textOf(value) : textOf(scalarOf(value), format.front());
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
    return {fmt::format("{} = {}{}", expression, textIn(format, value), note), std::move(value)};
}

void show(Console& console, const Display& display) try {
    console.print("{}: {}\n", display.number, printed(console, display.expression).text);
} catch (const Failure& failure) {
    console.print("{}: {}: {}\n", display.number, display.expression, failure.what());
}

}  // namespace

std::uint64_t requiredNumber(const std::string& text) {
    const auto value = numberFrom(text);
    if (!value) fail("{}: not a number", text);
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
        fail("there is no display {}", number);
}

void showDisplays(Console& console) {
    for (const auto& each : console.displays) show(console, each);
}

void printType(Console& console, const std::string& arguments) {
    console.print("type = {}\n", nameOf(evaluated(console, arguments).type));
}

void printWholeType(Console& console, const std::string& arguments) {
    const auto value = evaluated(console, arguments);
    if (!value.type || value.type->kind != Type::Kind::structure) return printType(console, arguments);
    console.print("type = {} {{\n", nameOf(value.type));
    for (const auto& each : value.type->members) console.print("    {} {};\n", nameOf(each.type), each.name);
    console.print("}}\n");
}

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
    const bool isLocal = place.starts_with(kLocal);
    auto& session = console.session();
    std::uint64_t address = 0;
    if (const auto plain = numberFrom(isLocal ? std::string_view(place).substr(kLocal.size()) : place)) {
        address = *plain;
    } else {
        auto inspector = session.inspector();
        address = asBits(scalarOf(evaluateExpression(isLocal ? place.substr(kLocal.size()) : place, inspector)));
    }
    if (format.format == 'i') {
        for (std::uint64_t i = 0; i < format.count; ++i) printInstruction(console, address);
        return;
    }
    const auto bytes = format.count * format.bytes;
    auto& control = session.control();
    const auto& memory = control.memory();
    const auto data = isLocal             ? memory.readLocal(session.thread(), address, bytes)
                      : control.stopped() ? readAny(memory, control.thread(session.thread()), address, bytes)
                                          : memory.read(address, bytes);
    if (!data) fail("cannot read {} bytes at {}{:#x}", bytes, isLocal ? kLocal : "", address);
    for (std::uint64_t i = 0; i < format.count; ++i) {
        const auto perRow = 16 / format.bytes;
        if (i % perRow == 0) console.print("{}{:#x}:", i > 0 ? "\n" : "", address + i * format.bytes);
        const auto begin = data->begin() + static_cast<std::ptrdiff_t>(i * format.bytes);
        console.print(" {}", unitText({begin, begin + format.bytes}, format.format));
    }
    console.print("\n");
}

}  // namespace zetl::debugger
