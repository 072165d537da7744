#include "binary/debug_relocation.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "binary/special_symbols.h"

namespace zetl::binary {
namespace {

/// One kind is known for cubins, and no other was seen in their debug sections.
constexpr std::uint32_t kCuda64 = 2;

constexpr std::string_view kDebug = ".debug_";
constexpr std::string_view kFrames = ".debug_frame";
constexpr std::string_view kCodeOfKernel = ".text.";

RelocationKind kindOf(std::uint16_t machine, std::uint32_t type) noexcept {
    if (machine != kMachineCuda) return static_cast<RelocationKind>(type);
    return type == kCuda64 ? RelocationKind::address64 : RelocationKind::none;
}

/// The length of DWARF in front of a unit, or of an entry of .debug_frame.
struct UnitLength {
    std::uint64_t bytes = 0;   ///< of what follows it
    std::uint64_t header = 0;  ///< bytes of itself
};
UnitLength unitLengthAt(const ByteView& content, std::uint64_t position) {
    constexpr std::uint32_t kIs64 = UINT32_MAX;
    const auto length = content.read<std::uint32_t>(position);
    if (!length) return {};
    if (*length != kIs64) return {*length, sizeof *length};
    const auto wide = content.read<std::uint64_t>(position + sizeof *length);
    return wide ? UnitLength{*wide, sizeof *length + sizeof *wide} : UnitLength{};
}

/// Which function's code an address in a debug section is of, by the order of the units: compilers write a unit of each
/// section for each section of code. Nothing for a position that does not hold an address of code.
std::optional<std::size_t> unitOf(const ElfFile::Section& section, std::uint64_t position) {
    const bool isFrame = section.name == kFrames;
    std::size_t units = 0;
    for (std::uint64_t at = 0; section.content.holds(at, sizeof(std::uint32_t));) {
        const auto length = unitLengthAt(section.content, at);
        const auto body = at + length.header;
        const auto end = body + length.bytes;
        if (length.bytes == 0 || end < body) return std::nullopt;
        // An entry of .debug_frame begins with the place of what it has in common with others, or with ones.
        const bool isCommon = isFrame && section.content.read<std::uint32_t>(body) == UINT32_MAX;
        if (position < end) return isCommon || (isFrame && position == body) ? std::nullopt : std::optional(units);
        units += isCommon ? 0 : 1;
        at = end;
    }
    return std::nullopt;
}

class DebugRelocator {
  public:
    DebugRelocator(std::span<std::uint8_t> bytes, const ElfFile& file, std::span<const std::uint64_t> bases)
        : bytes_(bytes), file_(file), bases_(bases) {
        for (std::size_t i = 0; i < file_.sections.size(); ++i)
            if (file_.sections[i].name.starts_with(kCodeOfKernel)) code_.push_back(bases_[i]);
    }

    Outcome<Done> run() {
        for (const ElfFile::Section& section : file_.sections) {
            if ((section.type != SHT_REL && section.type != SHT_RELA) || section.info >= file_.sections.size())
                continue;
            if (!file_.sections[section.info].name.starts_with(kDebug)) continue;
            if (auto error = relocate(section, file_.sections[section.info])) return *std::move(error);
        }
        return Done{};
    }

  private:
    std::span<std::uint8_t> bytes_;
    const ElfFile& file_;
    std::span<const std::uint64_t> bases_;
    std::vector<std::uint64_t> code_;  ///< bases of sections of code, in their order

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
            const auto& symbol = (*symbols)[entry.symbol];
            const bool isCode = kind == RelocationKind::address64 && lostItsName(symbol) && holdsCode(target);
            const auto base = isCode ? baseOfCode(target, entry.offset) : baseOf(symbol);
            apply(table, target, entry, kind, base + symbol.value);
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

    /// Compiler 26.27 loses those names in some modules, for instance of a kernel with printf().
    bool lostItsName(const ElfFile::Symbol& symbol) const {
        return file_.machine == kMachineIntelGt && symbol.name.empty() && symbol.section < file_.sections.size() &&
               file_.sections[symbol.section].name.starts_with(kDebug);
    }

    /// Whether the section's 64-bit addresses are those of code, but for what unitOf() says.
    static bool holdsCode(const ElfFile::Section& section) {
        return section.name == ".debug_addr" || section.name == ".debug_line" || section.name == kFrames;
    }

    std::uint64_t baseOfCode(const ElfFile::Section& section, std::uint64_t position) const {
        const auto unit = unitOf(section, position);
        return unit && *unit < code_.size() ? code_[*unit] : 0;
    }

    void apply(const ElfFile::Section& table, const ElfFile::Section& target, const ElfFile::Relocation& entry,
               RelocationKind kind, std::uint64_t address) {
        std::uint64_t value = address + static_cast<std::uint64_t>(entry.addend);
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
