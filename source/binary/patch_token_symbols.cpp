#include "binary/patch_token_symbols.h"

#include <fmt/format.h>

#include "binary/native_binary.h"
#include "binary/patch_token_format.h"
#include "binary/special_symbols.h"

namespace zetl::binary {
namespace {

using namespace patch;

/// Calls f(entry, name) for each entry of a table: a count, then records that end with a name. `where` names the table.
template <class Entry, class F>
std::optional<Error> eachEntry(ByteView table, const std::string& where, F&& f) {
    constexpr std::uint64_t kBytes = sizeof(Entry) + kNameBytes;
    const auto count = table.read<std::uint32_t>(0);
    if (!count || !table.holds(sizeof *count, *count * kBytes)) return damaged(where, "it is cut off");
    for (std::uint64_t i = 0, at = sizeof *count; i < *count; ++i, at += kBytes) {
        const auto name = table.part(at + sizeof(Entry), kNameBytes)->text(0);
        if (!name || name->empty()) return damaged(where, fmt::format("symbol {} has no name", i));
        if (auto error = f(*table.read<Entry>(at), *name)) return error;
    }
    return std::nullopt;
}

}  // namespace

std::string PatchTokenSymbols::where(std::string_view part, std::uint32_t codeSection) const {
    return fmt::format("patch tokens of kernel {}: {}", image_.code[codeSection].name, part);
}

std::optional<Error> PatchTokenSymbols::read(ByteView tokens, std::uint32_t codeSection) {
    for (std::uint64_t at = 0; at < tokens.size();) {
        const auto item = tokens.read<ItemHeader>(at);
        if (!item || item->size < sizeof(ItemHeader) || !tokens.holds(at, item->size))
            return damaged(fmt::format("patch tokens of kernel {}", image_.code[codeSection].name),
                           item ? fmt::format("{} has a wrong size", nameOf(item->token))
                                : std::string("the token list is cut off"));
        const ByteView body = *tokens.part(at + sizeof(ItemHeader), item->size - sizeof(ItemHeader));
        at += item->size;
        if (item->token == kSymbolTable) {
            if (auto error = readSymbols(body, codeSection)) return error;
        } else if (item->token == kRelocationTable) {
            if (auto error = readRelocations(body, codeSection)) return error;
        }
    }
    return std::nullopt;
}

std::uint32_t PatchTokenSymbols::indexOf(std::string_view name) {
    const auto known = indices_.find(name);
    if (known != indices_.end()) return known->second;
    const auto index = static_cast<std::uint32_t>(image_.symbols.size());
    image_.symbols.push_back({.name = std::string(name), .global = true, .undefined = true, .place = {}});
    indices_.emplace(name, index);
    return index;
}

std::optional<Error> PatchTokenSymbols::define(std::uint32_t type, Symbol& symbol, const Place& place) {
    switch (type) {
        case kUndefinedSymbol:
            return std::nullopt;
        case kFunctionSymbol:
            symbol.kind = Symbol::Kind::function;
            symbol.place = place;
            break;
        case kVariableSymbol:
        case kConstantSymbol: {
            const auto segment = type == kVariableSymbol ? DataKind::variables : DataKind::constants;
            symbol.kind = Symbol::Kind::object;
            symbol.place = {Place::Kind::data, static_cast<std::uint32_t>(segment), place.offset};
            break;
        }
        default:
            return Error{Cause::unsupported, fmt::format("symbol {} is of kind {}", symbol.name, type)};
    }
    symbol.undefined = false;
    return std::nullopt;
}

std::optional<Error> PatchTokenSymbols::readSymbols(ByteView body, std::uint32_t codeSection) {
    const auto table = where(nameOf(kSymbolTable), codeSection);
    return eachEntry<SymbolEntry>(body, table,
                                  [&](const SymbolEntry& entry, std::string_view name) -> std::optional<Error> {
                                      if (image_.symbols.size() >= kMaxSymbols)
                                          return Error{Cause::limit, "too many symbols"};
                                      Symbol& symbol = image_.symbols[indexOf(name)];
                                      symbol.size = entry.size;
                                      return define(entry.type, symbol, {Place::Kind::code, codeSection, entry.offset});
                                  });
}

std::optional<Error> PatchTokenSymbols::readRelocations(ByteView body, std::uint32_t codeSection) {
    const auto table = where(nameOf(kRelocationTable), codeSection);
    return eachEntry<RelocationEntry>(
        body, table, [&](const RelocationEntry& entry, std::string_view name) -> std::optional<Error> {
            const auto kind = static_cast<RelocationKind>(entry.type);
            if (bytesOf(kind) == 0)
                return Error{Cause::unsupported, fmt::format("a relocation of {} is of kind {}", name, entry.type)};
            if (image_.relocations.size() >= kMaxRelocations || image_.symbols.size() >= kMaxSymbols)
                return Error{Cause::limit, "too many relocations"};
            image_.relocations.push_back({.place = {Place::Kind::code, codeSection, entry.offset},
                                          .kind = kind,
                                          .symbol = indexOf(name),
                                          .addend = 0,
                                          .addsToStored = false});
            return std::nullopt;
        });
}

}  // namespace zetl::binary
