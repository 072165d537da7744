#include "instrumentation/xe/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "binary/dwarf_bytes.h"
#include "binary/native_binary.h"
#include "instrumentation/parts/elf_edit.h"
#include "instrumentation/xe/debug_tables.h"
#include "instrumentation/xe/section.h"
#include "instrumentation/xe/start_offsets.h"
#include "isa/xe/architecture.h"

namespace zetl::instrumentation {
namespace {

using binary::ElfFile;
using binary::storeFixed;
using Bytes = std::vector<std::uint8_t>;

class ProgramWriter {
  public:
    ProgramWriter(ElfEdit& elf, const binary::ModuleImage& module, std::span<const XeSection* const> sections)
        : elf_(elf), module_(module), sections_(sections), movements_(elf.file().sections.size()) {}

    std::optional<binary::Error> run() {
        for (std::uint32_t i = 0; i < sections_.size(); ++i) {
            if (!sections_[i]->changed()) continue;
            auto applied = sections_[i]->apply();
            const std::uint32_t section = module_.code[i].container;
            elf_.content(section) = std::move(applied.bytes);
            movements_[section] = std::move(applied.movement);
        }
        for (std::uint32_t i = 0; i < file().sections.size(); ++i) {
            const ElfFile::Section& section = file().sections[i];
            if (section.type == SHT_SYMTAB) moveSymbols(i);
            if (section.name == ".debug_line" || section.name == ".debug_frame")
                if (auto error = moveTable(i)) return error;
            if (section.name == ".debug_loc" || section.name == ".debug_ranges") moveLists(i);
            if (section.name == ".ze_info") moveStarts(i);
        }
        for (std::uint32_t i = 0; i < file().sections.size(); ++i)
            if (auto error = moveRelocations(i)) return error;
        return std::nullopt;
    }

  private:
    ElfEdit& elf_;
    const binary::ModuleImage& module_;
    std::span<const XeSection* const> sections_;                              ///< by index in the module's code
    std::vector<std::optional<Movement>> movements_;                          ///< by ELF section
    std::map<std::uint32_t, std::map<std::uint64_t, std::uint64_t>> tables_;  ///< positions in rewritten debug tables

    const ElfFile& file() const { return elf_.file(); }

    void moveSymbols(std::uint32_t table) {
        Bytes& bytes = elf_.content(table);
        for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= bytes.size(); at += sizeof(Elf64_Sym)) {
            auto symbol = *binary::ByteView(bytes).read<Elf64_Sym>(at);
            if (symbol.st_shndx >= movements_.size() || !movements_[symbol.st_shndx]) continue;
            const Movement& movement = *movements_[symbol.st_shndx];
            const std::uint64_t end = symbol.st_value + symbol.st_size;
            if (end > UINT32_MAX || end < symbol.st_value) continue;
            // The compiler's debug symbols stand for whole sections, by name; their value is no offset in this one.
            symbol.st_value = movement.target(static_cast<std::uint32_t>(symbol.st_value));
            if (symbol.st_size != 0)
                symbol.st_size = movement.target(static_cast<std::uint32_t>(end)) - symbol.st_value;
            storeFixed(bytes, at, symbol);
        }
    }

    /// The code that a debug symbol stands for: the section of its name, else the one it is in.
    const Movement* movementOf(const ElfFile::Symbol& symbol) const {
        const ElfFile::Section* const named = symbol.name.starts_with('.') ? file().find(symbol.name) : nullptr;
        const std::size_t index = named ? static_cast<std::size_t>(named - file().sections.data()) : symbol.section;
        return index < movements_.size() && movements_[index] ? &*movements_[index] : nullptr;
    }

    /// The addresses that relocations put into a section.
    binary::Outcome<std::map<std::uint64_t, CodeAddress>> addressesIn(std::uint32_t target) const {
        std::map<std::uint64_t, CodeAddress> addresses;
        for (const ElfFile::Section& table : file().sections) {
            if (table.type != SHT_RELA || table.info != target || table.link >= file().sections.size()) continue;
            const auto entries = file().relocations(table);
            if (!entries) return entries.error();
            const auto symbols = file().symbols(file().sections[table.link]);
            if (!symbols) return symbols.error();
            for (const ElfFile::Relocation& entry : *entries) {
                if (entry.symbol >= symbols->size() || entry.addend < 0 || entry.addend > UINT32_MAX) continue;
                if (const Movement* movement = movementOf((*symbols)[entry.symbol]))
                    addresses[entry.offset] = {movement, static_cast<std::uint32_t>(entry.addend)};
            }
        }
        return addresses;
    }

    std::optional<binary::Error> moveTable(std::uint32_t index) {
        const ElfFile::Section& section = file().sections[index];
        const auto addresses = addressesIn(index);
        if (!addresses) return addresses.error();
        const auto at = [&](std::uint64_t position) {
            const auto found = addresses->find(position);
            return found == addresses->end() ? std::nullopt : std::optional(found->second);
        };
        if (addresses->empty()) return std::nullopt;
        auto moved =
            section.name == ".debug_line" ? moveLineTable(section.content, at) : moveFrameTable(section.content, at);
        if (!moved) return moved.error();
        elf_.content(index) = std::move(moved->bytes);
        tables_[index] = std::move(moved->positions);
        return std::nullopt;
    }

    /// The lists do not name their code, but the compiler writes them only for modules with one kernel.
    void moveLists(std::uint32_t index) {
        const auto moved = std::ranges::count_if(movements_, [](const auto& movement) { return movement.has_value(); });
        if (moved != 1) return;
        const auto only = std::ranges::find_if(movements_, [](const auto& movement) { return movement.has_value(); });
        moveLocationLists(elf_.content(index), **only, file().sections[index].name == ".debug_loc");
    }

    void moveStarts(std::uint32_t index) {
        for (std::uint32_t i = 0; i < sections_.size(); ++i) {
            const auto& movement = movements_[module_.code[i].container];
            if (movement && sections_[i]->isKernel)
                moveStartOffsets(elf_.content(index), sections_[i]->name, *movement);
        }
    }

    /// Of relocations in code the place moves, of those in debug data the place in the code that they speak of.
    std::optional<binary::Error> moveRelocations(std::uint32_t index) {
        const ElfFile::Section& table = file().sections[index];
        if ((table.type != SHT_REL && table.type != SHT_RELA) || table.info >= file().sections.size())
            return std::nullopt;
        const auto entries = file().relocations(table);
        if (!entries) return entries.error();
        const auto addresses = addressesIn(table.info);
        if (!addresses) return addresses.error();
        const bool debug = file().sections[table.info].name.starts_with(".debug_");
        const std::uint64_t bytes = table.type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
        Bytes& content = elf_.content(index);
        for (std::uint64_t i = 0; i < entries->size(); ++i) {
            const ElfFile::Relocation& entry = (*entries)[i];
            storeFixed(content, i * bytes, movedPlace(table.info, entry.offset));
            const auto address = addresses->find(entry.offset);
            if (debug && address != addresses->end())
                storeFixed<std::int64_t>(content, i * bytes + offsetof(Elf64_Rela, r_addend),
                                         address->second.movement->target(address->second.offset));
        }
        return std::nullopt;
    }

    std::uint64_t movedPlace(std::uint32_t section, std::uint64_t offset) const {
        if (const auto table = tables_.find(section); table != tables_.end()) {
            const auto moved = table->second.find(offset);
            return moved == table->second.end() ? offset : moved->second;
        }
        if (!movements_[section] || offset > UINT32_MAX) return offset;
        return movements_[section]->place(static_cast<std::uint32_t>(offset));
    }
};

class XeProgram final : public Program::Content {
  public:
    explicit XeProgram(binary::ModulePointer module) : module_(std::move(module)) {
        for (std::uint32_t i = 0; i < module_->code.size(); ++i) {
            auto section = std::make_unique<XeSection>(*module_, i);
            xeSections_.push_back(section.get());
            sections.emplace_back(std::move(section));
        }
    }

    binary::Outcome<Bytes> write() const override {
        // Their messages take payloads from registers that s0 names, and Xe3P encodes inserted code in another way.
        const isa::xe::Architecture& architecture = *module_->target.product.architecture;
        if (architecture.scalarBytes != 0)
            return binary::Error{binary::Cause::unsupported,
                                 fmt::format("code for {} is read, but not changed", architecture.title)};
        if (std::string obstacle = obstacleOf(*module_); !obstacle.empty())
            return binary::Error{binary::Cause::unsupported, std::move(obstacle)};
        auto elf = ElfEdit::open(module_->native);
        if (!elf) return elf.error();
        if (elf->file().type == ET_EXEC)
            return binary::Error{binary::Cause::unsupported, "ELF: a debug image has its place, and is not changed"};
        if (auto error = ProgramWriter(*elf, *module_, xeSections_).run()) return *std::move(error);
        return elf->write();
    }

  private:
    binary::ModulePointer module_;
    std::vector<const XeSection*> xeSections_;  ///< those of `sections`
};

}  // namespace

binary::Outcome<std::unique_ptr<Program::Content>> readXe(std::span<const std::uint8_t> bytes) {
    auto module = binary::readNative(bytes, binary::productOf(bytes));
    if (!module) return module.error();
    return std::unique_ptr<Program::Content>(std::make_unique<XeProgram>(*std::move(module)));
}

}  // namespace zetl::instrumentation
