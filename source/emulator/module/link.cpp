#include "emulator/module/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "binary/special_symbols.h"
#include "emulator/module/payload.h"

namespace zetl::emulator::module {
namespace {

constexpr std::uint64_t kCodeAlignment = 64;
constexpr std::uint64_t kPrefetchBytes = 256;
constexpr std::uint64_t kWindowBytes = 1ull << 32;

constexpr std::uint64_t alignUp(std::uint64_t value, std::uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

std::string placeName(const binary::ModuleImage& image, const binary::Place& place) {
    constexpr const char* kNames[] = {"constants", "variables", "strings"};
    return place.kind == binary::Place::Kind::code ? image.code[place.index].name : kNames[place.index];
}

/// Value of a symbol that the linker defines, for code in the given section.
std::uint64_t specialValue(const binary::ModuleImage& image, std::string_view name, const binary::Place& place) {
    std::uint64_t value = 0;
    for (const binary::KernelImage& kernel : image.kernels) {
        const bool inside = place.kind == binary::Place::Kind::code && kernel.codeSection == place.index;
        if (name == binary::kImplicitArgumentSymbol && inside && kernel.needsImplicitArguments)
            return kImplicitArgumentBytes;
        if (name == binary::kPrivateSizeSymbol) value = std::max(value, kernel.privateBytesPerThread());
    }
    return value;
}

}  // namespace

CodeLayout::CodeLayout(const binary::ModuleImage& image) {
    for (const binary::CodeSection& section : image.code) {
        offsets_.push_back(size_);
        size_ = alignUp(size_ + section.bytes.size() + kPrefetchBytes, kCodeAlignment);
    }
}

LinkedModule::LinkedModule(binary::ModulePointer image, const Addresses& addresses)
    : image_(std::move(image)), addresses_(addresses), layout_(*image_), code_(layout_.size()) {
    for (std::uint32_t i = 0; i < image_->code.size(); ++i)
        std::ranges::copy(image_->code[i].bytes, code_.begin() + static_cast<std::ptrdiff_t>(layout_.offset(i)));
    for (int kind = 0; kind < binary::kDataKinds; ++kind) {
        data_[kind] = image_->data[kind].bytes;
        data_[kind].resize(image_->data[kind].size());
    }
}

binary::Outcome<LinkedModule> LinkedModule::place(binary::ModulePointer image, const Addresses& addresses) {
    LinkedModule module(std::move(image), addresses);
    const std::uint64_t start = addresses.code - addresses.instructionBase;
    if (addresses.code < addresses.instructionBase || start + module.layout_.size() > kWindowBytes)
        return binary::Error{binary::Cause::badArgument,
                             fmt::format("code at {:#x} lies outside the 4 GiB behind {:#x}", addresses.code,
                                         addresses.instructionBase)};
    for (std::uint32_t i = 0; i < module.image_->relocations.size(); ++i) {
        const binary::Relocation& relocation = module.image_->relocations[i];
        const binary::Symbol& symbol = module.image_->symbols[relocation.symbol];
        // A tool's marker; the value stored is right already.
        if (relocation.kind == binary::RelocationKind::perThreadPayloadOffset32) continue;
        if (symbol.undefined && symbol.name == binary::kPerThreadOffsetSymbol) continue;
        if (binary::isSpecialSymbol(symbol.name)) {
            const std::uint64_t value = specialValue(*module.image_, symbol.name, relocation.place);
            if (auto done = module.apply(relocation, value); !done) return done.error();
        } else if (symbol.undefined) {
            module.pending_.push_back(i);
        } else if (auto done = module.apply(relocation, module.symbolValue(symbol)); !done) {
            return done.error();
        }
    }
    return module;
}

binary::Outcome<std::vector<UnresolvedSymbol>> LinkedModule::resolve(std::span<LinkedModule* const> modules) {
    std::unordered_map<std::string_view, std::uint64_t> exports;
    for (const LinkedModule* module : modules)
        for (const binary::Symbol& symbol : module->image_->symbols)
            if (symbol.global && !symbol.undefined) exports.emplace(symbol.name, module->symbolValue(symbol));
    std::vector<UnresolvedSymbol> missing;
    for (LinkedModule* module : modules) {
        std::vector<std::uint32_t> open;
        for (const std::uint32_t index : module->pending_) {
            const binary::Relocation& relocation = module->image_->relocations[index];
            const auto found = exports.find(module->image_->symbols[relocation.symbol].name);
            if (found == exports.end()) {
                open.push_back(index);
            } else if (auto done = module->apply(relocation, found->second); !done) {
                return done.error();
            }
        }
        module->pending_ = std::move(open);
        std::ranges::move(module->unresolved(), std::back_inserter(missing));
    }
    return missing;
}

std::uint64_t LinkedModule::addressOf(const binary::Place& place) const {
    switch (place.kind) {
        case binary::Place::Kind::code:
            return addresses_.code + layout_.offset(place.index) + place.offset;
        case binary::Place::Kind::data:
            return addresses_.data.at(place.index) + place.offset;
        case binary::Place::Kind::none:
            break;
    }
    return place.offset;
}

// Code refers to code by its distance from the instruction base (targets of calls are 32 bits wide).
std::uint64_t LinkedModule::symbolValue(const binary::Symbol& symbol) const {
    const std::uint64_t address = addressOf(symbol.place);
    return symbol.place.kind == binary::Place::Kind::code ? address - addresses_.instructionBase : address;
}

binary::Outcome<binary::Done> LinkedModule::apply(const binary::Relocation& relocation, std::uint64_t value) {
    binary::Bytes& target =
        relocation.place.kind == binary::Place::Kind::code ? code_ : data_.at(relocation.place.index);
    const std::uint64_t start =
        relocation.place.kind == binary::Place::Kind::code ? layout_.offset(relocation.place.index) : 0;
    const std::uint64_t offset = start + relocation.place.offset;
    const std::uint64_t width = bytesOf(relocation.kind);
    if (offset > target.size() || width > target.size() - offset)
        return binary::Error{binary::Cause::damaged, fmt::format("a relocation in {} lies outside its bytes",
                                                                 placeName(*image_, relocation.place))};
    value += static_cast<std::uint64_t>(relocation.addend);
    if (relocation.addsToStored) {
        std::uint64_t stored = 0;
        std::memcpy(&stored, &target[offset], width);
        value += stored;
    }
    if (relocation.kind == binary::RelocationKind::addressHigh32) value >>= 32;
    std::memcpy(&target[offset], &value, width);
    return binary::Done{};
}

std::uint32_t LinkedModule::kernelOffset(const binary::KernelImage& kernel) const {
    return static_cast<std::uint32_t>(addresses_.code - addresses_.instructionBase +
                                      layout_.offset(kernel.codeSection));
}

const binary::Symbol* LinkedModule::definition(std::string_view name) const noexcept {
    const auto found = std::ranges::find_if(image_->symbols, [&](const binary::Symbol& symbol) {
        return symbol.global && !symbol.undefined && symbol.name == name;
    });
    return found == image_->symbols.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> LinkedModule::functionAddress(std::string_view name) const {
    if (const binary::KernelImage* kernel = image_->kernel(name)) return kernelAddress(*kernel);
    const binary::Symbol* symbol = definition(name);
    if (symbol == nullptr || symbol->place.kind != binary::Place::Kind::code) return std::nullopt;
    return addressOf(symbol->place);
}

std::optional<Variable> LinkedModule::variable(std::string_view name) const {
    const auto host = std::ranges::find(image_->hostNames, name, &std::pair<std::string, std::string>::second);
    const binary::Symbol* symbol = definition(host == image_->hostNames.end() ? name : std::string_view(host->first));
    if (symbol == nullptr || symbol->place.kind != binary::Place::Kind::data) return std::nullopt;
    return Variable{addressOf(symbol->place), symbol->size};
}

std::vector<UnresolvedSymbol> LinkedModule::unresolved() const {
    std::vector<UnresolvedSymbol> missing;
    for (const std::uint32_t index : pending_) {
        const binary::Relocation& relocation = image_->relocations[index];
        const std::string& name = image_->symbols[relocation.symbol].name;
        if (std::ranges::find(missing, name, &UnresolvedSymbol::name) == missing.end())
            missing.push_back({name, placeName(*image_, relocation.place)});
    }
    return missing;
}

}  // namespace zetl::emulator::module
