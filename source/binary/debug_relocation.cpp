#include "binary/debug_relocation.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "binary/special_symbols.h"

namespace zetl::binary {
namespace {

/// One kind is known for cubins, and no other was seen in their debug sections.
constexpr std::uint32_t kCuda64 = 2;

RelocationKind kindOf(std::uint16_t machine, std::uint32_t type) noexcept {
    if (machine != kMachineCuda) return static_cast<RelocationKind>(type);
    return type == kCuda64 ? RelocationKind::address64 : RelocationKind::none;
}

class DebugRelocator {
  public:
    DebugRelocator(std::span<std::uint8_t> bytes, const ElfFile& file, std::span<const std::uint64_t> bases)
        : bytes_(bytes), file_(file), bases_(bases) {}

    Outcome<Done> run() {
        for (const ElfFile::Section& section : file_.sections) {
            if ((section.type != SHT_REL && section.type != SHT_RELA) || section.info >= file_.sections.size())
                continue;
            if (!file_.sections[section.info].name.starts_with(".debug_")) continue;
            if (auto error = relocate(section, file_.sections[section.info])) return *std::move(error);
        }
        return Done{};
    }

  private:
    std::span<std::uint8_t> bytes_;
    const ElfFile& file_;
    std::span<const std::uint64_t> bases_;

    std::optional<Error> relocate(const ElfFile::Section& table, const ElfFile::Section& target) {
        const auto entries = file_.relocations(table);
        if (!entries) return entries.error();
        if (table.link >= file_.sections.size()) return Error{Cause::damaged, table.name + " has no symbol table"};
        const auto symbols = file_.symbols(file_.sections[table.link]);
        if (!symbols) return symbols.error();
        for (const ElfFile::Relocation& entry : *entries) {
            const auto kind = kindOf(file_.machine, entry.type);
            if (kind != RelocationKind::address64 && kind != RelocationKind::addressLow32 &&
                kind != RelocationKind::addressHigh32)
                continue;
            if (entry.symbol >= symbols->size() || !target.content.holds(entry.offset, bytesOf(kind)))
                return Error{Cause::damaged, fmt::format("{}: an entry points outside {}", table.name, target.name)};
            apply(table, target, entry, kind, (*symbols)[entry.symbol]);
        }
        return std::nullopt;
    }

    /// The compiler's debug symbols stand for sections by name; their section index is that of the section that uses
    /// them.
    std::uint64_t baseOf(const ElfFile::Symbol& symbol) const {
        const ElfFile::Section* named = symbol.name.starts_with('.') ? file_.find(symbol.name) : nullptr;
        if (named != nullptr) return bases_[named - file_.sections.data()];
        return symbol.section < bases_.size() ? bases_[symbol.section] : 0;
    }

    void apply(const ElfFile::Section& table, const ElfFile::Section& target, const ElfFile::Relocation& entry,
               RelocationKind kind, const ElfFile::Symbol& symbol) {
        std::uint64_t value = baseOf(symbol) + symbol.value + static_cast<std::uint64_t>(entry.addend);
        const std::uint64_t width = bytesOf(kind);
        const std::uint64_t offset = target.fileOffset + entry.offset;
        if (table.type == SHT_REL) {
            std::uint64_t stored = 0;
            std::memcpy(&stored, &bytes_[offset], width);
            value += stored;
        }
        if (kind == RelocationKind::addressHigh32) value >>= 32;
        std::memcpy(&bytes_[offset], &value, width);
    }
};

}  // namespace

Outcome<Done> relocateDebugData(std::span<std::uint8_t> bytes, const ElfFile& file,
                                std::span<const std::uint64_t> bases) {
    return DebugRelocator(bytes, file, bases).run();
}

}  // namespace zetl::binary
