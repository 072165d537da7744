#include "console/many_breakpoints.h"

#include <regex.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "console/commands.h"
#include "console/console.h"
#include "core/address.h"
#include "core/failure.h"

namespace zetl::debugger {
namespace {

constexpr std::size_t kMostMatches = 1000;
constexpr std::size_t kLongestName = 4096;  // a module's names are not ours, and long ones make matching slow
constexpr const char* kOwnScript = ".zetldebugrc";
constexpr const char* kLastBreakpoint = "$bpnum";

/// The functions of all modules whose names match.
std::set<std::string> functionsLike(const ModuleList& modules, const std::string& pattern) {
    regex_t compiled{};
    if (const int failure = regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB); failure != 0) {
        char why[128];
        regerror(failure, &compiled, why, sizeof why);
        fail("rbreak {}: {}", pattern, why);
    }
    const std::unique_ptr<regex_t, void (*)(regex_t*)> owner(&compiled, regfree);
    std::set<std::string> names;
    for (const auto& module : modules.all())
        for (const auto& symbol : module->elf().symbols()) {
            const bool isOurs = symbol.isFunction && !symbol.name.empty() && symbol.name.front() != '_' &&
                                symbol.name.size() <= kLongestName;
            if (isOurs && regexec(&compiled, symbol.name.c_str(), 0, nullptr, 0) == 0) names.insert(symbol.name);
        }
    return names;
}

/// Nobody else can have put commands into it.
bool isOwn(const std::filesystem::path& file) {
    struct stat found {};
    if (stat(file.c_str(), &found) != 0) return false;
    const bool othersWrite = (found.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    return S_ISREG(found.st_mode) && found.st_uid == geteuid() && !othersWrite;
}

}  // namespace

void breakByPattern(Console& console, const std::string& arguments) {
    auto& control = console.session().control();
    if (control.modules().all().empty()) fail("no module is loaded yet, so no function is known; type start first");
    const auto names = functionsLike(control.modules(), arguments);
    if (names.empty()) fail("no function matches {}; info functions lists all", arguments);
    if (names.size() > kMostMatches)
        fail("{} functions match {}; at most {} are possible, so give more letters", names.size(), arguments,
             kMostMatches);
    for (const auto& name : names) console.execute("break " + name);
}

void save(Console& console, const std::string& arguments) {
    const auto [what, file] = firstWord(arguments);
    if (what != "breakpoints" || file.empty()) fail("{}: type save breakpoints FILE", asTyped("save", arguments));
    const auto& all = console.session().control().breakpoints().all();
    if (all.empty()) fail("{}", kNoBreakpoint);
    std::ofstream out(file);
    for (const auto& each : all) {
        out << (each.temporary ? "tbreak " : "break ") << each.nextPlace;
        if (!each.condition.empty()) out << " if " << each.condition;
        out << '\n';
        if (const auto& commands = console.commandsOf(each.number); !commands.empty()) {
            out << "commands\n";
            for (const auto& line : commands) out << line << '\n';
            out << "end\n";
        }
        if (each.ignored > 0) out << "ignore " << kLastBreakpoint << ' ' << each.ignored << '\n';
        if (!each.enabled) out << "disable " << kLastBreakpoint << '\n';
    }
    if (!out.flush()) fail("cannot write {}: {}", file, std::strerror(errno));
    console.print("Saved {} breakpoint{}; source {} sets them again.\n", all.size(), all.size() == 1 ? "" : "s", file);
}

unsigned breakpointIn(Console& console, const std::string& text) {
    const auto& all = console.session().control().breakpoints().all();
    if (text.empty()) fail("the number of a breakpoint is missing; type info breakpoints for a list");
    if (text == kLastBreakpoint && all.empty()) fail("{}", kNoBreakpoint);
    if (text == kLastBreakpoint) return std::ranges::max(all, {}, &Breakpoint::number).number;
    const auto number = numberFrom(text);
    if (!number || *number > UINT32_MAX)
        fail("{}: not the number of a breakpoint; type info breakpoints for a list", text);
    return static_cast<unsigned>(*number);
}

void runOwnScript(Console& console) {
    std::error_code failure;
    const char* const home = std::getenv("HOME");
    const auto own = home && *home ? std::filesystem::path(home) / kOwnScript : std::filesystem::path();
    const auto here = std::filesystem::current_path(failure) / kOwnScript;
    const bool isHome = !own.empty() && std::filesystem::equivalent(own, here, failure);
    if (!own.empty() && std::filesystem::exists(own, failure)) {
        if (isOwn(own))
            console.execute("source " + own.string());
        else
            console.print("{} is not run: it belongs to somebody else, or others can write to it; type chmod go-w {}\n",
                          own.string(), own.string());
    }
    if (!isHome && std::filesystem::exists(here, failure))
        console.print("{} is not run, because it may not be yours; type source {} if you trust it\n", here.string(),
                      kOwnScript);
}

}  // namespace zetl::debugger
