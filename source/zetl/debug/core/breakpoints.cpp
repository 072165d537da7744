#include "core/breakpoints.h"

#include <algorithm>

#include "core/failure.h"

namespace zetl::debugger {
namespace {

constexpr const char* kEveryKernel = "entry";

bool isAddress(const std::string& place) { return place.starts_with('*') && numberFrom(place.substr(1)); }

}  // namespace

std::vector<std::uint64_t> Breakpoints::resolved(const Breakpoint& breakpoint) const {
    return breakpoint.place == kEveryKernel ? modules_.kernelBodies() : modules_.resolve(breakpoint.place, "");
}

void Breakpoints::insert(Breakpoint& breakpoint) {
    for (const auto address : resolved(breakpoint))
        if (std::ranges::find(breakpoint.addresses, address) == breakpoint.addresses.end() && mayBeCode(address) &&
            memory_.insertBreakpoint(address))
            breakpoint.addresses.push_back(address);
}

bool Breakpoints::mayBeCode(std::uint64_t address) const { return modules_.all().empty() || modules_.at(address); }

void Breakpoints::withdraw(Breakpoint& breakpoint) {
    for (const auto address : breakpoint.addresses) memory_.removeBreakpoint(address);
    breakpoint.addresses.clear();
}

Breakpoint& Breakpoints::add(const std::string& place, const std::string& file, bool temporary) {
    Breakpoint breakpoint;
    breakpoint.place = numberFrom(place) && !file.empty() ? file + ":" + place : place;
    breakpoint.temporary = temporary;
    insert(breakpoint);
    breakpoint.nextPlace = breakpoint.place;
    if (isAddress(place)) {
        if (breakpoint.addresses.empty())
            fail("there is no code at {}; info modules shows where code is", place.substr(1));
        breakpoint.nextPlace = "*" + modules_.nameOf(breakpoint.addresses.front());
    }
    breakpoint.number = next_++;
    all_.push_back(std::move(breakpoint));
    return all_.back();
}

void Breakpoints::adopt(Breakpoint former) {
    former.place = former.nextPlace;
    former.addresses.clear();
    former.hits = 0;
    if (former.enabled) insert(former);
    next_ = std::max(next_, former.number + 1);
    all_.push_back(std::move(former));
}

Breakpoint& Breakpoints::at(unsigned number) {
    const auto found = std::ranges::find(all_, number, &Breakpoint::number);
    if (found == all_.end()) fail("there is no breakpoint {}; type info breakpoints for a list", number);
    return *found;
}

void Breakpoints::remove(unsigned number) {
    withdraw(at(number));
    std::erase_if(all_, [number](const Breakpoint& each) { return each.number == number; });
}

void Breakpoints::removeAll() {
    for (auto& each : all_) withdraw(each);
    all_.clear();
}

void Breakpoints::enable(unsigned number, bool on) {
    auto& breakpoint = at(number);
    breakpoint.enabled = on;
    if (on)
        insert(breakpoint);
    else
        withdraw(breakpoint);
}

std::vector<Breakpoint*> Breakpoints::hitAt(std::uint64_t address) {
    std::vector<Breakpoint*> hit;
    for (auto& each : all_)
        if (each.enabled && std::ranges::find(each.addresses, address) != each.addresses.end()) hit.push_back(&each);
    return hit;
}

void Breakpoints::resolveAgain() {
    for (auto& each : all_)
        if (each.enabled) insert(each);
}

void Breakpoints::forget(const Module& module) {
    for (auto& each : all_)
        std::erase_if(each.addresses, [&](std::uint64_t address) { return module.contains(address); });
}

}  // namespace zetl::debugger
