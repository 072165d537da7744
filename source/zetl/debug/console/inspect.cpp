#include "console/inspect.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "console/commands.h"
#include "console/console.h"
#include "console/images.h"
#include "console/values.h"
#include "core/failure.h"

namespace zetl::debugger {
namespace {

constexpr char kNotFound[] = "cannot find {}; info functions lists what there is";

constexpr int kLinesAround = 5;
constexpr int kInstructions = 12;

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
            const auto image = parameters ? imageText(console, each.name) : std::nullopt;
            console.print("{} = {}\n", each.name, image ? *image : textOf(inspector.read(each)));
            any = true;
        }
    if (any) return;
    const auto* const reason = console.session().link().architecture().silence().whyNoVariables();
    console.print("{}{}{}\n", parameters ? "no arguments" : "no variables", reason ? ": " : "", reason ? reason : "");
}

void infoBreakpoints(Console& console, const std::string&) {
    if (console.session().control().breakpoints().all().empty()) return console.print("no breakpoints\n");
    for (const auto& each : console.session().control().breakpoints().all()) {
        const bool isDevices = std::ranges::any_of(each.addresses, [&](std::uint64_t address) {
            return console.session().control().conditions().areDevices(address);
        });
        console.print("{:<4}{}{}{}{}{}{}, {} {}\n", each.number, each.place,
                      each.condition.empty() ? "" : " if " + each.condition,
                      isDevices ? " (evaluated by the device)" : "", each.enabled ? "" : ", disabled",
                      each.addresses.empty() ? ", waiting for its module"
                                             : fmt::format(", at {:#x}", fmt::join(each.addresses, " ")),
                      each.ignored > 0 ? fmt::format(", ignored {} more times", each.ignored) : "", each.hits,
                      each.hits == 1 ? "hit" : "hits");
        for (const auto& line : console.commandsOf(each.number)) console.print("        {}\n", line);
    }
}

void infoLocals(Console& console, const std::string&) { printVariables(console, false); }
void infoArguments(Console& console, const std::string&) { printVariables(console, true); }

void infoRegisters(Console& console, const std::string& arguments) {
    auto& session = console.session();
    auto& thread = session.control().thread(session.thread());
    constexpr const char* kCounter = "pc";
    const bool isCounter = arguments == kCounter;
    bool any = isCounter;
    if (arguments.empty() || isCounter)
        console.print("{:<6} {:#x} <{}>\n", kCounter, thread.address(),
                      session.control().modules().nameOf(thread.address()));
    const auto names = thread.architecture().setNames();
    for (const auto& set : session.link().registerSets()) {
        const auto own = fmt::format("set{}.", set.type);
        const auto known = set.type < names.size() ? names[set.type] : RegisterSetName{own.c_str()};
        if (arguments.empty() && !known.isListed) continue;
        const std::string name = known.name;
        const auto count = thread.architecture().mostRegisters(set.type, set.count);
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto full = known.isNumbered ? fmt::format("{}{}", name, i) : name;
            if (!arguments.empty() && arguments != name && arguments != full) continue;
            const auto bytes = thread.read(set.type, i, 1);
            if (!bytes) break;  // the thread has no more of them
            any = true;
            console.print("{:<6}", full);
            for (std::size_t at = 0; at < bytes->size(); at += 4) console.print(" {:08x}", bitsOf(*bytes, at * 8, 32));
            console.print("\n");
        }
    }
    if (any) return;
    std::string all = kCounter;
    for (const auto& each : names)
        if (*each.name != '\0') all += fmt::format(", {}{}", each.name, each.isNumbered ? "0" : "");
    fail("{}: not a register; known are {} and so on", arguments, all);
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

/// The kernels and functions whose names contain the text.
void infoFunctions(Console& console, const std::string& arguments) {
    for (const auto& module : console.session().control().modules().all())
        for (const auto& symbol : module->elf().symbols()) {
            if (!symbol.isFunction || symbol.name.empty() || symbol.name.front() == '_' ||
                symbol.name.find(arguments) == std::string::npos)
                continue;
            const auto line = module->debug().lineAt(symbol.address);
            console.print("{:#x} {}{}\n", symbol.address, symbol.name,
                          line ? fmt::format(" at {}:{}", line.file, line.line) : "");
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
                      session.options().allDevices || i == session.options().device ? '*' : ' ', i, all[i].name,
                      all[i].shape.count(), all[i].shape.slices, all[i].shape.subslices, all[i].shape.eus,
                      all[i].shape.threads, all[i].subDevices);
}

void infoSource(Console& console, const std::string&) {
    for (const auto& module : console.session().control().modules().all())
        for (const auto& file : module->debug().files()) {
            const auto path = console.session().source().pathOf(file);
            console.print("{}{}\n", file, path.empty() ? ": not found" : path == file ? "" : ": " + path);
        }
}

/// For a place, or for the selected frame.
void infoLine(Console& console, const std::string& arguments) {
    auto& session = console.session();
    const auto& modules = session.control().modules();
    const auto places = arguments.empty() ? std::vector{session.frame().address}
                                          : modules.resolve(placeWithAddress(console, arguments), session.file());
    if (places.empty()) fail(kNotFound, arguments);
    for (const auto address : places) {
        const auto line = modules.lineAt(address);
        const auto text = line ? fmt::format("{}:{}", line.file, line.line) : "unknown line";
        console.print("{} has code at {:#x} <{}>\n", text, address, modules.nameOf(address));
    }
}

void infoSymbol(Console& console, const std::string& arguments) {
    const auto place = placeWithAddress(console, "*" + arguments);
    const auto address = requiredNumber(place.substr(1));
    const auto& modules = console.session().control().modules();
    console.print("{}\n",
                  modules.at(address) ? modules.nameOf(address) : fmt::format("there is no code at {:#x}", address));
}

/// The selected frame: its place, its neighbours, and the registers with values of their own in it.
void infoFrame(Console& console, const std::string&) {
    auto& session = console.session();
    const auto number = session.frameNumber();
    console.printFrame(number);
    const auto& frame = session.frame();
    if (number + 1 < session.frames().size()) {
        const auto& caller = session.frames()[number + 1];
        console.print("{} frame {}, {} at {:#x}\n", frame.isInlined ? "inlined into" : "called by", number + 1,
                      caller.function, caller.address);
    }
    if (number > 0) console.print("caller of frame {}, {}\n", number - 1, session.frames()[number - 1].function);
    if (!frame.module) console.print("its code belongs to no known module\n");
    std::vector<std::string> saved;
    for (const auto& [which, bytes] : frame.saved)
        if (which >= kFirstGeneralRegister) saved.push_back(fmt::format("r{}", which - kFirstGeneralRegister));
    if (!saved.empty()) console.print("registers with their own values in this frame: {}\n", fmt::join(saved, ", "));
}

void infoDisplay(Console& console, const std::string&) {
    if (console.displays.empty()) console.print("no displays\n");
    for (const auto& each : console.displays) console.print("{:<4}{}\n", each.number, each.expression);
}

void infoWatch(Console& console, const std::string&) {
    if (console.session().control().watches().empty()) console.print("no watches\n");
    for (const auto& each : console.session().control().watches())
        console.print("{:<4}{}: {} bytes at {:#x}{}\n", each.number, each.name, each.last.size(), each.address,
                      each.group ? fmt::format(" of work-group {}", textOf(*each.group)) : "");
}

void infoItem(Console& console, const std::string&) {
    const auto& items = console.session().items();
    if (!items.known)
        fail("the kernel was compiled without work-item ids, because it asks for none; call get_global_id() in it");
    for (const auto& each : items.items)
        console.print("{} lane {:<3}global {} local {}{}\n", each.lane == console.session().lane() ? '*' : ' ',
                      each.lane, textOf(each.global), textOf(each.local), each.active ? "" : ", inactive");
}

/// What has a name at a place, with its type.
void infoScope(Console& console, const std::string& arguments) {
    auto& session = console.session();
    const auto& modules = session.control().modules();
    const auto places =
        modules.resolve(placeWithAddress(console, arguments.empty() ? "*$pc" : arguments), session.file());
    const auto* const module = places.empty() ? nullptr : modules.at(places.front());
    if (!module) fail(kNotFound, arguments.empty() ? "code here" : arguments);
    const auto all = module->debug().variablesAt(places.front());
    if (all.empty()) console.print("no variables there\n");
    for (const auto& each : all) {
        const bool isPointer = each.type && each.type->kind == Type::Kind::pointer;
        console.print("{}: {} of type {}, {} bytes{}\n", each.name, each.isParameter ? "argument" : "variable",
                      nameOf(each.type), each.type ? each.type->size : 0,
                      each.inLocalMemory && !isPointer ? ", in local memory" : "");
    }
}

struct Topic {
    const char* name;
    void (*print)(Console&, const std::string&);
};
constexpr Topic kTopics[] = {
    {"breakpoints", infoBreakpoints}, {"threads", printThreads}, {"locals", infoLocals},   {"args", infoArguments},
    {"registers", infoRegisters},     {"kernels", infoKernels},  {"modules", infoModules}, {"devices", infoDevices},
    {"source", infoSource},           {"watch", infoWatch},      {"items", infoItem},      {"line", infoLine},
    {"symbol", infoSymbol},           {"display", infoDisplay},  {"frame", infoFrame},     {"values", infoValues},
    {"functions", infoFunctions},     {"scope", infoScope}};

}  // namespace

void printInstruction(Console& console, std::uint64_t& address) {
    auto& session = console.session();
    const auto instruction = session.control().memory().instruction(address);
    if (!instruction) fail("there is no code at {:#x}; info modules shows where code is", address);
    const bool isHere = session.control().stopped() && address == session.frame().address;
    console.print("{:>2} {:#x} <{}>: {}\n", isHere ? "=>" : "", address, session.control().modules().nameOf(address),
                  session.link().architecture().textOf(*instruction));
    address += instruction->bytes;
}

void printFrames(Console& console, const std::string& arguments) {
    const auto all = console.session().frames().size();
    const auto shown = arguments.empty() ? all : std::min<std::size_t>(requiredNumber(arguments), all);
    for (std::size_t i = 0; i < shown; ++i) console.printFrame(i);
    if (shown < all) console.print("(and {} more)\n", all - shown);
}

void selectFrame(Console& console, const std::string& arguments) {
    if (!arguments.empty()) console.session().selectFrame(requiredNumber(arguments));
    console.printFrame(console.session().frameNumber());
    console.printSourceLine(console.session().frame().line, true);
}
void selectCaller(Console& console, const std::string&) {
    selectFrame(console, std::to_string(console.session().frameNumber() + 1));
}
void selectCalled(Console& console, const std::string&) {
    if (console.session().frameNumber() == 0) fail("this is the innermost frame; up goes to its caller");
    selectFrame(console, std::to_string(console.session().frameNumber() - 1));
}

/// "3,9"; "3," is so many lines from there on, and ",9" so many up to there.
struct LineRange {
    int first = 0;
    int last = 0;
};
LineRange rangeFrom(const std::string& text, int count) {
    const auto comma = text.find(',');
    const auto first = firstWord(text.substr(0, comma)).first;
    const auto last = firstWord(text.substr(comma + 1)).first;
    if (first.empty() && last.empty()) fail("{}: not a range of lines; type FIRST,LAST", text);
    const auto begin = first.empty() ? 0 : requiredNumber(first);
    const auto end = last.empty() ? begin + static_cast<std::uint64_t>(count) - 1 : requiredNumber(last);
    const bool isRange = end > 0 && end >= begin && end <= INT32_MAX && (begin > 0 || first.empty());
    if (!isRange) fail("{}: not a range of lines; type FIRST,LAST", text);
    const auto to = static_cast<int>(end);
    return {first.empty() ? std::max(1, to - count + 1) : static_cast<int>(begin), to};
}

void list(Console& console, const std::string& arguments) {
    auto& session = console.session();
    auto& at = console.listing;
    int count = 2 * kLinesAround;
    if (arguments.find(',') != std::string::npos) {
        const auto range = rangeFrom(arguments, count);
        at = {session.file(), range.first};
        count = range.last - range.first + 1;
    } else if (arguments == "-") {
        if (at.file.empty()) fail("nothing was listed yet; type list");
        if (at.first <= 1) fail("this is the beginning of {}; list LINE goes elsewhere", at.file);
        count = std::min(count, at.first - 1);
        at.next = at.first - count;
    } else if (!arguments.empty()) {
        const auto place = placeWithAddress(console, arguments);
        const auto addresses = session.control().modules().resolve(place, session.file());
        if (addresses.empty()) fail(kNotFound, arguments);
        const auto line = session.control().modules().lineAt(addresses.front());
        at = {line.file, line.line - kLinesAround};
    } else if (at.file.empty()) {
        const auto line = session.frame().line;
        at = {line.file, line.line - kLinesAround};
    }
    const auto lines = session.source().lines(at.file);
    if (lines == 0)
        fail("{}", at.file.empty() ? "there is no source here; build with -g"
                                   : at.file + ": not found; type directory PATH to search there");
    if (at.next > lines) fail("{} has {} lines; list - goes back", at.file, lines);
    const auto here = session.control().stopped() ? session.frame().line : SourceLine{};
    at.first = std::max(at.next, 1);
    for (int i = 0; i < count && at.next <= lines; ++i, ++at.next)
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
        const bool isAddress = numberFrom(arguments) || arguments.starts_with('$');
        const auto place = placeWithAddress(console, isAddress ? "*" + arguments : arguments);
        const auto found = modules.resolve(place, session.file());
        if (found.empty()) fail(kNotFound, arguments);
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

namespace {

/// Where a thread is: its line, or its function and offset in code without lines.
std::string shownPlace(Console& console, const ThreadId& id) {
    auto& control = console.session().control();
    const auto address = control.thread(id).address();
    const auto line = control.modules().lineAt(address);
    return line ? fmt::format("{}:{}", line.file, line.line) : control.modules().nameOf(address);
}

void printPlaces(Console& console, const std::vector<ThreadId>& ids) {
    std::map<std::string, std::vector<ThreadId>> byPlace;
    for (const auto& id : ids) byPlace[shownPlace(console, id)].push_back(id);
    std::vector<std::pair<std::string, std::vector<ThreadId>>> places(byPlace.begin(), byPlace.end());
    std::ranges::stable_sort(places, [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
    const auto selected = console.session().thread();
    for (const auto& [place, there] : places) {
        const bool isSelected = std::ranges::find(there, selected) != there.end();
        console.print("{} {} {} at {}, such as {}\n", isSelected ? '*' : ' ', there.size(),
                      there.size() == 1 ? "thread" : "threads", place, textOf(isSelected ? selected : there.front()));
    }
}

/// The threads at the lines of a place.
std::vector<ThreadId> threadsAt(Console& console, const std::string& place) {
    auto& session = console.session();
    const auto& modules = session.control().modules();
    const auto addresses = modules.resolve(placeWithAddress(console, place), session.file());
    if (addresses.empty()) fail("cannot find {}; type threads, threads all, threads places, or threads PLACE", place);
    auto ids = session.control().threads();
    std::erase_if(ids, [&](const ThreadId& id) {
        const auto at = session.control().thread(id).address();
        return std::ranges::none_of(addresses, [&](std::uint64_t each) {
            return each == at || (modules.lineAt(at) && modules.lineAt(at) == modules.lineAt(each));
        });
    });
    return ids;
}

}  // namespace

void printThreads(Console& console, const std::string& arguments) {
    constexpr std::size_t kMostListed = 32;  // more are counted by their places
    const bool isOfPlace = !arguments.empty() && arguments != "all" && arguments != "places";
    const auto ids = isOfPlace ? threadsAt(console, arguments) : console.session().control().threads();
    if (ids.empty()) return console.print("no thread is stopped{}\n", isOfPlace ? " there" : "");
    if (arguments == "places" || (arguments.empty() && ids.size() > kMostListed)) return printPlaces(console, ids);
    std::vector<std::pair<Triple, ThreadId>> byGroup;
    byGroup.reserve(ids.size());
    for (const auto& id : ids) byGroup.emplace_back(console.session().control().thread(id).group(), id);
    std::ranges::stable_sort(byGroup, [](const auto& a, const auto& b) {
        return std::tuple(a.first[2], a.first[1], a.first[0]) < std::tuple(b.first[2], b.first[1], b.first[0]);
    });
    for (const auto& [group, id] : byGroup) printItems(console, id);
}

/// "all COMMAND". A thread in which it fails is named in the end, and does not keep it from the others.
void applyToThreads(Console& console, const std::string& arguments) {
    const auto [all, command] = firstWord(arguments);
    if (all != "all" || command.empty()) fail("type thread apply all COMMAND");
    auto& session = console.session();
    const auto selected = session.thread();
    const auto lane = session.lane();
    const auto frame = session.frameNumber();
    const auto ids = session.control().threads();
    std::vector<std::string> failed;
    for (const auto& id : ids) {
        if (!session.control().stopped()) return;
        session.select(id);
        console.print("\n");
        printItems(console, id);
        if (!console.execute(command)) failed.push_back(textOf(id));
    }
    session.select(selected);
    session.selectLane(lane);
    session.selectFrame(frame);
    if (failed.empty()) return;
    constexpr std::size_t kMostNamed = 8;
    const auto more = failed.size() > kMostNamed ? fmt::format(" and {} more", failed.size() - kMostNamed) : "";
    const auto count = failed.size();
    failed.resize(std::min(count, kMostNamed));
    fail("{} failed in {} of {} threads: {}{}", command, count, ids.size(), fmt::join(failed, ", "), more);
}

void selectThread(Console& console, const std::string& arguments) {
    const auto [first, rest] = firstWord(arguments);
    if (first == "apply") return applyToThreads(console, rest);
    if (!arguments.empty()) {
        const auto id = threadFrom(arguments);
        if (!id || !id->single()) fail("{}: no such thread; type threads for a list", arguments);
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
        each = requiredNumber(word);
        rest = more;
    }
    if (!console.session().selectItem(global))
        fail("work-item {} is in no stopped thread; info items shows those of a thread", textOf(global));
    printItems(console, console.session().thread());
    selectFrame(console, "");
}

void selectLane(Console& console, const std::string& arguments) {
    if (!arguments.empty()) console.session().selectLane(requiredNumber(arguments));
    const auto* item = console.session().items().at(console.session().lane());
    console.print("lane {}{}{}\n", console.session().lane(),
                  item && console.session().items().known ? ", work-item " + textOf(item->global) : "",
                  item && !item->active ? ", inactive" : "");
}

std::vector<std::string> infoTopics() {
    std::vector<std::string> names;
    for (const auto& each : kTopics) names.emplace_back(each.name);
    return names;
}

void info(Console& console, const std::string& arguments) {
    const auto [topic, rest] = firstWord(arguments);
    for (const auto& each : kTopics)
        if (!topic.empty() && std::string_view(each.name).starts_with(topic)) return each.print(console, rest);
    fail("type info and one of {}", fmt::join(infoTopics(), ", "));
}

}  // namespace zetl::debugger
