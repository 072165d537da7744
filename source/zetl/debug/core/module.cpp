#include "core/module.h"

#include <fmt/format.h>

#include <algorithm>

namespace zetl::debugger {
namespace {

std::string_view charactersOf(std::span<const std::uint8_t> data) {
    return {reinterpret_cast<const char*>(data.data()), data.size()};
}

std::vector<KernelInfo> kernelsOf(const ElfImage& elf) {
    return elf.isCubin() ? kernelsOfCubin(elf.bytes()) : kernelsFrom(charactersOf(elf.section(".ze_info")));
}

/// Every kernel has this symbol, besides its name.
constexpr std::string_view kEntry = "_entry";

}  // namespace

Module::Module(unsigned number, const zet_debug_event_t& loaded, std::vector<std::uint8_t> image)
    : number_(number),
      loaded_(loaded),
      elf_(std::move(image)),
      debug_(elf_),
      frames_(elf_.section(".debug_frame")),
      kernels_(kernelsOf(elf_)),
      sassRegisters_(elf_.section(".nv_debug_info_reg_sass")) {}

bool Module::is(const zet_debug_event_t& event) const noexcept {
    const auto& mine = loaded_.info.module;
    const auto& other = event.info.module;
    return mine.moduleBegin == other.moduleBegin && mine.moduleEnd == other.moduleEnd && mine.load == other.load;
}

bool Module::isOptimised() const {
    const auto text = charactersOf(elf_.section(".misc.buildOptions"));
    // -cl-opt-disable, and Level Zero's -ze-opt-disable
    return !text.empty() && text.find("opt-disable") == std::string_view::npos &&
           text.find("-O0") == std::string_view::npos;
}

const ElfImage::Code* Module::codeAt(std::uint64_t address) const {
    const auto found = std::ranges::find_if(
        elf_.code(), [&](const ElfImage::Code& each) { return address >= each.begin && address < each.end; });
    return found == elf_.code().end() ? nullptr : &*found;
}

const CodeFlow* Module::flowOf(const ElfImage::Code& code, const isa::xe::Architecture& architecture) const {
    const auto [entry, isNew] = flows_.try_emplace(code.begin);
    const auto bytes = isNew ? elf_.section(".text." + code.name) : std::span<const std::uint8_t>();
    if (!bytes.empty()) entry->second = std::make_unique<CodeFlow>(architecture, bytes);
    return entry->second.get();
}

bool Module::contains(std::uint64_t address) const {
    return std::ranges::any_of(elf_.code(),
                               [&](const ElfImage::Code& each) { return address >= each.begin && address < each.end; });
}

const KernelInfo* Module::kernelAt(std::uint64_t address) const {
    for (const auto& code : elf_.code()) {
        if (address < code.begin || address >= code.end) continue;
        const auto found = std::ranges::find(kernels_, code.name, &KernelInfo::name);
        if (found != kernels_.end()) return &*found;
    }
    return nullptr;
}

std::uint64_t Module::entryOf(const std::string& kernel) const {
    const auto found = std::ranges::find(elf_.code(), kernel, &ElfImage::Code::name);
    return found == elf_.code().end() ? 0 : found->begin;
}

std::uint64_t Module::doorOf(const std::string& kernel) const {
    const auto code = std::ranges::find(elf_.code(), kernel, &ElfImage::Code::name);
    if (code == elf_.code().end()) return 0;
    const auto door = std::ranges::find_if(elf_.symbols(), [&](const Symbol& each) {
        return each.name == kEntry && each.address >= code->begin && each.address < code->end;
    });
    return door == elf_.symbols().end() ? code->begin : door->address;
}

const Symbol* Module::functionSymbol(const std::string& name) const {
    const auto found =
        std::ranges::find_if(elf_.symbols(), [&](const Symbol& each) { return each.isFunction && each.name == name; });
    return found == elf_.symbols().end() ? nullptr : &*found;
}

std::string Module::symbolAt(std::uint64_t address) const {
    const Symbol* best = nullptr;
    for (const auto& each : elf_.symbols())
        if (each.isFunction && each.name != kEntry && each.address <= address && contains(address) &&
            (!best || each.address > best->address))
            best = &each;
    if (!best) return "";
    return best->address == address ? best->name : fmt::format("{}+{:#x}", best->name, address - best->address);
}

}  // namespace zetl::debugger
