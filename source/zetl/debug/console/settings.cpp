#include "console/settings.h"

#include <algorithm>
#include <array>
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
    if (found == kLockings.end()) fail("set scheduler-locking {}: type auto, off, on or step", value);
    console.session().setLocking(found->locking);
}

std::string locking(Console& console) {
    return std::ranges::find(kLockings, console.session().locking(), &LockingName::locking)->name;
}

void setSchedule(Console& console, const std::string& value) {
    if (value != "off" && value != "first" && value != "last" && !numberFrom(value))
        fail("set schedule {}: type a number, first, last or off", value);
    console.session().setSchedule(value == "off" ? "" : value);
    if (console.session().isAlive()) console.print("Type run to start the program again with this.\n");
}

std::string schedule(Console& console) {
    const auto now = console.session().schedule();
    return now.empty() ? "off" : now;
}

void setPagination(Console& console, const std::string& value) {
    if (value != "on" && value != "off") fail("set pagination {}: type on or off", value);
    console.pages = value == "on";
}

std::string pagination(Console& console) { return console.pages ? "on" : "off"; }

void setTrust(Console& console, const std::string& value) {
    if (value != "on" && value != "off") fail("set trust-locations {}: type on or off", value);
    console.session().locations().setTrust(value == "on");
}

std::string trust(Console& console) { return console.session().locations().trusts() ? "on" : "off"; }

struct Setting {
    const char* name;
    void (*set)(Console&, const std::string&);
    std::string (*value)(Console&);
};
constexpr std::array kSettings = {
    Setting{"pagination", setPagination, pagination}, Setting{"schedule", setSchedule, schedule},
    Setting{"scheduler-locking", setLocking, locking}, Setting{"trust-locations", setTrust, trust}};

}  // namespace

void set(Console& console, const std::string& arguments) {
    const auto [name, value] = firstWord(arguments);
    const auto found = std::ranges::find(kSettings, name, &Setting::name);
    if (found == kSettings.end() || value.starts_with('=')) return assign(console, arguments);
    found->set(console, value);
}

void show(Console& console, const std::string& arguments) {
    const auto found = std::ranges::find(kSettings, arguments, &Setting::name);
    if (found == kSettings.end() && !arguments.empty()) fail("show {}: there is no such setting", arguments);
    for (const auto& each : kSettings)
        if (arguments.empty() || found->name == each.name) console.print("{}: {}\n", each.name, each.value(console));
}

}  // namespace zetl::debugger
