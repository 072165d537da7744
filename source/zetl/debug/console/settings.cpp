#include "console/settings.h"

#include <algorithm>
#include <array>
#include <iomanip>
#include <sstream>
#include <vector>

#include "console/commands.h"
#include "console/console.h"
#include "console/values.h"
#include "core/failure.h"

namespace zetl::debugger {
namespace {

struct LockingName {
    const char* name;
    Locking locking;
};
constexpr std::array kLockings = {LockingName{"auto", Locking::untilWaiting}, LockingName{"off", Locking::off},
                                  LockingName{"on", Locking::on}, LockingName{"step", Locking::step}};

void setLocking(Console& console, const std::string& value) {
    const auto found = std::ranges::find(kLockings, value, &LockingName::name);
    if (found == kLockings.end()) fail("{}: type auto, off, on or step", asTyped("set scheduler-locking", value));
    console.session().setLocking(found->locking);
}

std::string locking(Console& console) {
    return std::ranges::find(kLockings, console.session().locking(), &LockingName::locking)->name;
}

void setSchedule(Console& console, const std::string& value) {
    if (value != "off" && value != "first" && value != "last" && !numberFrom(value))
        fail("{}: type a number, first, last or off", asTyped("set schedule", value));
    console.session().setSchedule(value == "off" ? "" : value);
    if (console.session().isAlive()) console.print("Type run to start the program again with this.\n");
}

std::string schedule(Console& console) {
    const auto now = console.session().schedule();
    return now.empty() ? "off" : now;
}

bool isOn(const char* setting, const std::string& value) {
    if (value != "on" && value != "off") fail("{}: type on or off", asTyped(setting, value));
    return value == "on";
}

void setPagination(Console& console, const std::string& value) { console.pages = isOn("set pagination", value); }

std::string pagination(Console& console) { return console.pages ? "on" : "off"; }

void setTrust(Console& console, const std::string& value) {
    console.session().locations().setTrust(isOn("set trust-locations", value));
}

std::string trust(Console& console) { return console.session().locations().trusts() ? "on" : "off"; }

void setArguments(Console& console, const std::string& value) { console.session().setArguments(shellWords(value)); }

std::string arguments(Console& console) {
    const auto& words = console.session().options().program.words;
    std::ostringstream text;
    for (std::size_t i = 1; i < words.size(); ++i) text << (i > 1 ? " " : "") << std::quoted(words[i]);
    return text.str();
}

struct Setting {
    const char* name;
    void (*set)(Console&, const std::string&);
    std::string (*value)(Console&);
};
constexpr std::array kSettings = {
    Setting{"args", setArguments, arguments}, Setting{"pagination", setPagination, pagination},
    Setting{"schedule", setSchedule, schedule}, Setting{"scheduler-locking", setLocking, locking},
    Setting{"trust-locations", setTrust, trust}};

}  // namespace

void set(Console& console, const std::string& arguments) {
    const auto [name, value] = firstWord(arguments);
    const auto found = std::ranges::find(kSettings, name, &Setting::name);
    if (found == kSettings.end() || value.starts_with('=')) return assign(console, arguments);
    found->set(console, value);
}

void show(Console& console, const std::string& arguments) {
    const auto found = std::ranges::find(kSettings, arguments, &Setting::name);
    if (found == kSettings.end() && !arguments.empty())
        fail("show {}: there is no such setting; type show for a list", arguments);
    for (const auto& each : kSettings)
        if (arguments.empty() || found->name == each.name) console.print("{}: {}\n", each.name, each.value(console));
}

}  // namespace zetl::debugger
