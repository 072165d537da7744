#include "core/module_list.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>

#include "core/failure.h"

namespace zetl::debugger {
namespace {

/// Far larger than the debug image of any real module.
constexpr std::uint64_t kLargestImage = std::uint64_t{512} << 20;

}  // namespace

std::optional<std::uint64_t> numberFrom(std::string_view text) {
    const bool isHex = text.starts_with("0x") || text.starts_with("0X");
    if (isHex) text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value, isHex ? 16 : 10);
    return !text.empty() && read.ec == std::errc() && read.ptr == text.data() + text.size() ? std::optional(value)
                                                                                            : std::nullopt;
}

std::optional<SymbolPlace> symbolPlaceFrom(std::string_view text) {
    constexpr std::string_view kSpace = " ";
    const auto isPart = [](char each) { return std::isalnum(static_cast<unsigned char>(each)) || each == '_'; };
    const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, isPart) - text.begin());
    if (end == 0 || std::isdigit(static_cast<unsigned char>(text.front()))) return std::nullopt;
    SymbolPlace place{std::string(text.substr(0, end)), 0};
    auto rest = text.substr(std::min(text.find_first_not_of(kSpace, end), text.size()));
    if (rest.empty()) return place;
    if (rest.front() != '+') return std::nullopt;
    rest.remove_prefix(std::min(rest.find_first_not_of(kSpace, 1), rest.size()));
    const auto offset = numberFrom(rest);
    if (!offset) return std::nullopt;
    place.offset = *offset;
    return place;
}

const Module* ModuleList::add(const zet_debug_event_t& loaded, const Memory& memory, std::string& problem) {
    const auto& range = loaded.info.module;
    if (range.moduleEnd <= range.moduleBegin || range.moduleEnd - range.moduleBegin > kLargestImage) return nullptr;
    try {
        auto image = memory.read(range.moduleBegin, range.moduleEnd - range.moduleBegin);
        if (!image) fail("cannot read the debug image of the module at {:#x}", range.load);
        modules_.push_back(std::make_shared<const Module>(next_, loaded, *std::move(image)));
        ++next_;
        return modules_.back().get();
    } catch (const Failure& failure) {
        problem = failure.what();
        return nullptr;
    }
}

void ModuleList::remove(const zet_debug_event_t& unloaded, Memory& memory) {
    const auto found = std::ranges::find_if(modules_, [&](const auto& each) { return each->is(unloaded); });
    if (found == modules_.end()) return;
    for (const auto& code : (*found)->elf().code()) memory.forget(code.begin, code.end);
    modules_.erase(found);
}

std::shared_ptr<const Module> ModuleList::sharedAt(std::uint64_t address) const {
    const auto found = std::ranges::find_if(modules_, [&](const auto& each) { return each->contains(address); });
    return found == modules_.end() ? nullptr : *found;
}

const Module* ModuleList::at(std::uint64_t address) const { return sharedAt(address).get(); }

SourceLine ModuleList::lineAt(std::uint64_t address) const {
    const auto* module = at(address);
    return module ? module->debug().lineAt(address) : SourceLine{};
}

std::string ModuleList::nameOf(std::uint64_t address) const {
    const auto* module = at(address);
    const auto name = module ? module->symbolAt(address) : "";
    return name.empty() ? fmt::format("{:#x}", address) : name;
}

std::uint64_t ModuleList::bodyOf(const Module& module, const std::string& name) {
    for (const auto& function : module.debug().functions())
        if (function.name == name && function.body != function.begin && module.contains(function.body))
            return function.body;
    if (const auto door = module.doorOf(name)) return door;
    const auto* symbol = module.functionSymbol(name);
    return symbol ? symbol->address : 0;
}

std::vector<std::uint64_t> ModuleList::kernelBodies() const {
    std::vector<std::uint64_t> addresses;
    for (const auto& module : modules_)
        for (const auto& kernel : module->kernels())
            if (const auto body = bodyOf(*module, kernel.name)) addresses.push_back(body);
    return addresses;
}

std::vector<std::uint64_t> ModuleList::resolveLine(const std::string& file, const std::string& text) const {
    const auto number = numberFrom(text);
    if (!number || *number == 0 || *number > INT32_MAX)
        fail("{}: not a line number; type FILE:LINE with a number from 1", text);
    std::vector<std::uint64_t> all;
    for (const auto& module : modules_) {
        int line = static_cast<int>(*number);
        const auto found = module->debug().addressesOf(file, line);
        all.insert(all.end(), found.begin(), found.end());
    }
    return all;
}

std::vector<std::uint64_t> ModuleList::resolveSymbol(const std::string& text) const {
    const auto place = symbolPlaceFrom(text);
    if (!place) fail("{}: not an address; type *0x and hexadecimal digits, or *NAME+OFFSET", text);
    std::vector<std::uint64_t> all;
    for (const auto& module : modules_) {
        const auto* symbol = module->functionSymbol(place->name);
        if (symbol && module->contains(symbol->address + place->offset)) all.push_back(symbol->address + place->offset);
    }
    return all;
}

std::vector<std::uint64_t> ModuleList::resolve(const std::string& place, const std::string& file) const {
    if (place.empty()) fail("no place was given: name a kernel, FILE:LINE or *ADDRESS");
    if (place.front() == '*') {
        const auto text = place.substr(1);
        const auto address = numberFrom(text);
        return address ? std::vector{*address} : resolveSymbol(text);
    }
    if (const auto colon = place.rfind(':'); colon != std::string::npos)
        return resolveLine(place.substr(0, colon), place.substr(colon + 1));
    if (numberFrom(place)) {
        if (file.empty()) fail("line {} of which file? Type FILE:{}", place, place);
        return resolveLine(file, place);
    }
    std::vector<std::uint64_t> all;
    for (const auto& module : modules_)
        if (const auto body = bodyOf(*module, place)) all.push_back(body);
    return all;
}

}  // namespace zetl::debugger
