#include "console/inspect.h"

#include <algorithm>

#include "console/commands.h"
#include "console/console.h"
#include "core/disassembler.h"
#include "core/failure.h"

namespace zetl::debugger {
namespace {

constexpr int kLinesAround = 5;
constexpr int kInstructions = 12;

std::uint64_t number(const std::string& text) {
    const auto value = numberFrom(text);
    if (!value) fail("{}: no number", text);
    return *value;
}

/// "/8xw" in front of the rest; commands come as "p/x i", "x/4f a" and "p /x i".
std::string takeFormat(std::string& arguments) {
    if (!arguments.starts_with('/')) return "";
    const auto [format, rest] = firstWord(arguments);
    arguments = rest;
    return format.substr(1);
}

void printItems(Console& console, const ThreadId& id) {
    auto& session = console.session();
    auto& thread = session.control().thread(id);
    const auto items = session.control().itemsOf(id);
    const auto address = thread.address();
    const auto line = session.control().modules().lineAt(address);
    const auto active = std::ranges::count(items.items, true, &WorkItem::active);
    auto range = std::string();
    if (items.known && !items.items.empty())
        range = fmt::format(" items {}..{}", textOf(items.items.front().global), textOf(items.items.back().global));
    const bool isSelected = id == session.thread();
    console.print("{} {:<10} group {}{}, {} of {} lanes active, {}{}\n", isSelected ? '*' : ' ', textOf(id),
                  textOf(items.group), range, active, items.items.size(), session.control().modules().nameOf(address),
                  line ? fmt::format(" at {}:{}", line.file, line.line) : "");
}

void printVariables(Console& console, bool parameters) {
    const auto inspector = console.session().inspector();
    bool any = false;
    for (const auto& each : inspector.variables())
        if (each.isParameter == parameters) {
            console.print("{} = {}\n", each.name, textOf(inspector.read(each)));
            any = true;
        }
    if (!any) console.print("{}\n", parameters ? "no arguments" : "no variables");
}

void infoBreakpoints(Console& console, const std::string&) {
    for (const auto& each : console.session().control().breakpoints().all()) {
        console.print(
            "{:<4}{}{}{}{}, {} hits\n", each.number, each.place, each.condition.empty() ? "" : " if " + each.condition,
            each.enabled ? "" : ", disabled",
            each.addresses.empty() ? ", nowhere yet" : fmt::format(", at {:#x}", fmt::join(each.addresses, " ")),
            each.hits);
    }
}

void infoLocals(Console& console, const std::string&) { printVariables(console, false); }
void infoArguments(Console& console, const std::string&) { printVariables(console, true); }

void infoRegisters(Console& console, const std::string& arguments) {
    auto& session = console.session();
    auto& thread = session.control().thread(session.thread());
    constexpr const char* kNames[] = {"", "r", "a", "f", "ce", "sr", "cr", "tdr", "acc", "mme", "sp", "sba", "dbg"};
    for (const auto& set : session.link().registerSets()) {
        const std::string name = set.type < std::size(kNames) ? kNames[set.type] : fmt::format("set{}.", set.type);
        if (arguments.empty() && set.type == registers::kGeneral) continue;
        for (std::uint32_t i = 0; i < set.count; ++i) {
            const auto full = fmt::format("{}{}", name, i);
            if (!arguments.empty() && arguments != name && arguments != full) continue;
            const auto bytes = thread.read(set.type, i, 1);
            if (!bytes) continue;
            console.print("{:<6}", full);
            for (std::size_t at = 0; at < bytes->size(); at += 4) console.print(" {:08x}", bitsOf(*bytes, at * 8, 32));
            console.print("\n");
        }
    }
}

void infoKernels(Console& console, const std::string&) {
    for (const auto& module : console.session().control().modules().all())
        for (const auto& kernel : module->kernels()) {
            const auto entry = module->entryOf(kernel.name);
            if (entry == 0) continue;
            console.print("{} at {:#x} in module {}: SIMD{}, {} registers{}\n", kernel.name, entry, module->number(),
                          kernel.simd, kernel.registers, module->debug().empty() ? ", no debug information" : "");
        }
}

void infoModules(Console& console, const std::string&) {
    for (const auto& module : console.session().control().modules().all())
        console.print("{:<4}at {:#x}, {} kernels, {}\n", module->number(), module->load(), module->kernels().size(),
                      module->debug().empty() ? "no debug information (build with -g)"
                                              : fmt::format("{}", fmt::join(module->debug().files(), " ")));
}

void infoDevices(Console& console, const std::string&) {
    auto& session = console.session();
    const auto& all = session.devices();
    for (std::size_t i = 0; i < all.size(); ++i)
        console.print("{} {:<4}{}: {} hardware threads ({}x{}x{}x{}), {} sub-devices\n",
                      i == session.options().device ? '*' : ' ', i, all[i].name, all[i].shape.count(),
                      all[i].shape.slices, all[i].shape.subslices, all[i].shape.eus, all[i].shape.threads,
                      all[i].subDevices);
}

void infoSource(Console& console, const std::string&) {
    for (const auto& module : console.session().control().modules().all())
        for (const auto& file : module->debug().files()) {
            const auto path = console.session().source().pathOf(file);
            console.print("{}{}\n", file, path.empty() ? ": not found" : path == file ? "" : ": " + path);
        }
}

void infoWatch(Console& console, const std::string&) {
    for (const auto& each : console.session().control().watches())
        console.print("{:<4}{}: {} bytes at {:#x}{}\n", each.number, each.name, each.last.size(), each.address,
                      each.group ? fmt::format(" of work-group {}", textOf(*each.group)) : "");
}

void infoItem(Console& console, const std::string&) {
    const auto& items = console.session().items();
    for (const auto& each : items.items)
        console.print("{} lane {:<3}global {} local {}{}\n", each.lane == console.session().lane() ? '*' : ' ',
                      each.lane, textOf(each.global), textOf(each.local), each.active ? "" : ", inactive");
}

struct Topic {
    const char* name;
    void (*print)(Console&, const std::string&);
};
constexpr Topic kTopics[] = {
    {"breakpoints", infoBreakpoints}, {"threads", printThreads}, {"locals", infoLocals},   {"args", infoArguments},
    {"registers", infoRegisters},     {"kernels", infoKernels},  {"modules", infoModules}, {"devices", infoDevices},
    {"source", infoSource},           {"watch", infoWatch},      {"items", infoItem}};

void printInstruction(Console& console, std::uint64_t& address) {
    auto& session = console.session();
    const auto instruction = session.control().memory().instruction(address);
    if (!instruction) fail("there is no code at {:#x}", address);
    const bool isHere = session.control().stopped() && address == session.frame().address;
    console.print("{:>2} {:#x} <{}>: {}\n", isHere ? "=>" : "", address, session.control().modules().nameOf(address),
                  textOf(*instruction));
    address += instruction->bytes();
}

/// One row of memory: so many units of a size, as the format says.
struct MemoryFormat {
    std::uint64_t count = 1;
    char format = 'x';
    unsigned bytes = 4;
};

MemoryFormat memoryFormatFrom(const std::string& text) {
    MemoryFormat result;
    const auto letters = std::min(text.find_first_not_of("0123456789"), text.size());
    if (letters > 0) result.count = number(text.substr(0, letters));
    for (const char each : text.substr(letters)) {
        constexpr std::string_view kSizes = "bhwg";
        if (const auto size = kSizes.find(each); size != std::string_view::npos)
            result.bytes = 1u << size;
        else
            result.format = each;
    }
    if (result.count > 65536) fail("more than is printed at once");
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

}  // namespace

void printFrames(Console& console, const std::string&) {
    for (std::size_t i = 0; i < console.session().frames().size(); ++i) console.printFrame(i);
}

void selectFrame(Console& console, const std::string& arguments) {
    if (!arguments.empty()) console.session().selectFrame(number(arguments));
    console.printFrame(console.session().frameNumber());
    console.printSourceLine(console.session().frame().line, true);
}
void selectCaller(Console& console, const std::string&) {
    selectFrame(console, std::to_string(console.session().frameNumber() + 1));
}
void selectCalled(Console& console, const std::string&) {
    if (console.session().frameNumber() == 0) fail("this is the innermost frame");
    selectFrame(console, std::to_string(console.session().frameNumber() - 1));
}

void list(Console& console, const std::string& arguments) {
    auto& session = console.session();
    auto& at = console.listing;
    if (!arguments.empty()) {
        const auto addresses = session.control().modules().resolve(arguments, session.file());
        if (addresses.empty()) fail("{} is nowhere", arguments);
        const auto line = session.control().modules().lineAt(addresses.front());
        at = {line.file, line.line - kLinesAround};
    } else if (at.file.empty()) {
        const auto line = session.frame().line;
        at = {line.file, line.line - kLinesAround};
    }
    const auto lines = session.source().lines(at.file);
    if (lines == 0)
        fail("{}", at.file.empty() ? "there is no source here" : at.file + ": not found; directory PATH helps");
    if (at.next > lines) fail("{} has {} lines", at.file, lines);
    const auto here = session.control().stopped() ? session.frame().line : SourceLine{};
    for (int i = 0; i < 2 * kLinesAround && at.next <= lines; ++i, ++at.next)
        if (at.next > 0) console.printSourceLine({at.file, at.next}, here == SourceLine{at.file, at.next});
    at.next = std::max(at.next, 1);
}

void disassemble(Console& console, const std::string& arguments) {
    auto& session = console.session();
    auto& modules = session.control().modules();
    std::uint64_t address = 0;
    if (arguments.empty()) {
        address = session.frame().address;
    } else {
        const auto found = modules.resolve(numberFrom(arguments) ? "*" + arguments : arguments, session.file());
        if (found.empty()) fail("{} is nowhere", arguments);
        address = found.front();
    }
    SourceLine last;
    for (int i = 0; i < kInstructions && (i == 0 || modules.at(address)); ++i) {
        const auto line = modules.lineAt(address);
        if (line && line != last) console.printSourceLine(line, false);
        last = line;
        printInstruction(console, address);
    }
}

void printThreads(Console& console, const std::string&) {
    const auto ids = console.session().control().threads();
    if (ids.empty()) return console.print("no thread stands still\n");
    std::vector<std::pair<Triple, ThreadId>> byGroup;
    for (const auto& id : ids) byGroup.emplace_back(console.session().control().thread(id).group(), id);
    std::ranges::stable_sort(byGroup, [](const auto& a, const auto& b) {
        return std::tuple(a.first[2], a.first[1], a.first[0]) < std::tuple(b.first[2], b.first[1], b.first[0]);
    });
    for (const auto& [group, id] : byGroup) printItems(console, id);
}

void selectThread(Console& console, const std::string& arguments) {
    if (!arguments.empty()) {
        const auto id = threadFrom(arguments);
        if (!id || !id->single()) fail("{}: no thread; threads lists them", arguments);
        console.session().select(*id);
    }
    printItems(console, console.session().thread());
    selectFrame(console, "");
}

void selectItem(Console& console, const std::string& arguments) {
    if (arguments.empty()) return infoItem(console, "");
    Triple global{};
    auto rest = arguments;
    for (auto& each : global) {
        if (rest.empty()) break;
        const auto [word, more] = firstWord(rest);
        each = number(word);
        rest = more;
    }
    if (!console.session().selectItem(global)) fail("work-item {} does not stand still anywhere", textOf(global));
    printItems(console, console.session().thread());
    selectFrame(console, "");
}

void selectLane(Console& console, const std::string& arguments) {
    if (!arguments.empty())
        console.session().selectLane(static_cast<unsigned>(std::min<std::uint64_t>(number(arguments), 255)));
    const auto* item = console.session().items().at(console.session().lane());
    console.print("lane {}{}{}\n", console.session().lane(),
                  item && console.session().items().known ? ", work-item " + textOf(item->global) : "",
                  item && !item->active ? ", inactive" : "");
}

void print(Console& console, const std::string& arguments) {
    auto expression = arguments;
    const auto format = takeFormat(expression);
    auto inspector = console.session().inspector();
    const auto value = evaluateExpression(expression, inspector);
    const auto* item = console.session().items().at(console.session().lane());
    const auto note = item && !item->active ? "  (lane inactive)" : "";
    console.print("{} = {}{}\n", expression, format.empty() ? textOf(value) : textOf(scalarOf(value), format.front()),
                  note);
}

void assign(Console& console, const std::string& arguments) {
    const auto [word, rest] = firstWord(arguments);
    const auto& expression = word == "var" || word == "variable" ? rest : arguments;
    auto inspector = console.session().inspector();
    evaluateExpression(expression, inspector);
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
    const auto data = isLocal ? session.control().memory().readLocal(session.thread(), address, bytes)
                              : session.control().memory().read(address, bytes);
    if (!data) fail("{} bytes at {}{:#x} cannot be read", bytes, isLocal ? kLocal : "", address);
    for (std::uint64_t i = 0; i < format.count; ++i) {
        const auto perRow = 16 / format.bytes;
        if (i % perRow == 0) console.print("{}{:#x}:", i > 0 ? "\n" : "", address + i * format.bytes);
        const auto begin = data->begin() + static_cast<std::ptrdiff_t>(i * format.bytes);
        console.print(" {}", unitText({begin, begin + format.bytes}, format.format));
    }
    console.print("\n");
}

void info(Console& console, const std::string& arguments) {
    const auto [topic, rest] = firstWord(arguments);
    for (const auto& each : kTopics)
        if (!topic.empty() && std::string_view(each.name).starts_with(topic)) return each.print(console, rest);
    fail("info what? breakpoints, threads, items, locals, args, registers, kernels, modules, devices, source, watch");
}

}  // namespace zetl::debugger
