#include "instrumentation/xe/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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
            if (section.name == ".debug_loc" || section.name == ".debug_ranges")
                if (auto error = moveLists(i)) return error;
            if (section.name == ".ze_info") moveStarts(i);
        }
        for (std::uint32_t i = 0; i < file().sections.size(); ++i)
            if (auto error = moveRelocations(i)) return error;
        return std::nullopt;
    }

  private:
    ElfEdit& elf_;
    const binary::ModuleImage& module_;
    std::span<const XeSection* const> sections_;      ///< by index in the module's code
    std::vector<std::optional<Movement>> movements_;  ///< by ELF section
    std::map<std::uint32_t, MovedTable> tables_;  ///< rewritten debug tables, by ELF section; their bytes are elf_'s

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

    /// The section that a debug symbol stands for: the one of its name, else the one it is in.
    std::size_t sectionOf(const ElfFile::Symbol& symbol) const {
        const ElfFile::Section* const named = symbol.name.starts_with('.') ? file().find(symbol.name) : nullptr;
        return named ? static_cast<std::size_t>(named - file().sections.data()) : symbol.section;
    }

    /// What a relocation puts at a position: a place in a section.
    struct Target {
        std::size_t section;
        std::uint32_t offset;
    };
    using Targets = std::map<std::uint64_t, Target>;

    /// The places that relocations put into a section, by position.
    binary::Outcome<Targets> targetsIn(std::uint32_t section) const {
        Targets targets;
        for (const ElfFile::Section& table : file().sections) {
            if (table.type != SHT_RELA || table.info != section || table.link >= file().sections.size()) continue;
            const auto entries = file().relocations(table);
            if (!entries) return entries.error();
            const auto symbols = file().symbols(file().sections[table.link]);
            if (!symbols) return symbols.error();
            for (const ElfFile::Relocation& entry : *entries)
                if (entry.symbol < symbols->size() && entry.addend >= 0 && entry.addend <= UINT32_MAX)
                    targets[entry.offset] = {sectionOf((*symbols)[entry.symbol]),
                                             static_cast<std::uint32_t>(entry.addend)};
        }
        return targets;
    }

    /// The movement of a section of code; null if it is none or stays as it is.
    const Movement* movementOf(std::size_t section) const {
        return section < movements_.size() && movements_[section] ? &*movements_[section] : nullptr;
    }

    std::optional<binary::Error> moveTable(std::uint32_t index) {
        const ElfFile::Section& section = file().sections[index];
        const auto targets = targetsIn(index);
        if (!targets) return targets.error();
        if (std::ranges::none_of(*targets, [&](const auto& t) { return movementOf(t.second.section); }))
            return std::nullopt;
        const AddressAt address = [&](std::uint64_t position) -> std::optional<CodeAddress> {
            const auto found = targets->find(position);
            const Movement* const movement = found == targets->end() ? nullptr : movementOf(found->second.section);
            return movement ? std::optional(CodeAddress{movement, found->second.offset}) : std::nullopt;
        };
        const ReferenceAt reference = [&](std::uint64_t position) -> std::optional<std::uint64_t> {
            const auto found = targets->find(position);
            const bool here = found != targets->end() && found->second.section == index;
            return here ? std::optional<std::uint64_t>(found->second.offset) : std::nullopt;
        };
        auto moved = section.name == ".debug_line" ? moveLineTable(section.content, address)
                                                   : moveFrameTable(section.content, address, reference);
        if (!moved) return moved.error();
        elf_.content(index) = std::exchange(moved->bytes, {});
        tables_[index] = *std::move(moved);
        return std::nullopt;
    }

    /// Older compilers write lists only for modules with one kernel, and do not say where they are. Newer ones have
    /// relocations for them in .debug_info, in which each unit describes one section of code.
    std::optional<binary::Error> moveLists(std::uint32_t index) {
        const bool expressions = file().sections[index].name == ".debug_loc";
        Bytes& table = elf_.content(index);
        const auto lists = listsIn(index);
        if (!lists) return lists.error();
        for (const auto& [start, code] : *lists)
            if (const Movement* const movement = movementOf(code))
                moveLocationList(table, start, *movement, expressions);
        const auto isMoved = [](const auto& movement) { return movement.has_value(); };
        if (!lists->empty() || std::ranges::count_if(movements_, isMoved) != 1) return std::nullopt;
        const Movement& only = **std::ranges::find_if(movements_, isMoved);
        for (std::uint64_t at = 0; at < table.size();) at = moveLocationList(table, at, only, expressions);
        return std::nullopt;
    }

    /// Starts of the lists in this table that .debug_info names, with the section of code that each is about.
    binary::Outcome<std::map<std::uint64_t, std::size_t>> listsIn(std::uint32_t index) const {
        std::map<std::uint64_t, std::size_t> lists;
        const ElfFile::Section* const info = file().find(".debug_info");
        if (info == nullptr) return lists;
        const auto targets = targetsIn(static_cast<std::uint32_t>(info - file().sections.data()));
        if (!targets) return targets.error();
        binary::DwarfReader units(info->content);
        while (!units.atEnd()) {
            const std::uint64_t from = units.position();
            units.skip(units.fixed<std::uint32_t>());
            if (!units.good()) break;
            const auto begin = targets->lower_bound(from);
            const auto end = targets->lower_bound(units.position());
            const auto isCode = [&](const auto& target) {
                return std::ranges::any_of(module_.code,
                                           [&](const auto& code) { return code.container == target.second.section; });
            };
            const auto first = std::find_if(begin, end, isCode);
            if (first == end) continue;
            for (auto target = begin; target != end; ++target)
                if (target->second.section == index) lists[target->second.offset] = first->second.section;
        }
        return lists;
    }

    void moveStarts(std::uint32_t index) {
        for (std::uint32_t i = 0; i < sections_.size(); ++i) {
            const auto& movement = movements_[module_.code[i].container];
            if (movement && sections_[i]->isKernel)
                moveStartOffsets(elf_.content(index), sections_[i]->name, *movement);
        }
    }

    /// Of relocations in code the place moves, of those in debug data the place that they speak of.
    std::optional<binary::Error> moveRelocations(std::uint32_t index) {
        const ElfFile::Section& table = file().sections[index];
        if ((table.type != SHT_REL && table.type != SHT_RELA) || table.info >= file().sections.size())
            return std::nullopt;
        const auto entries = file().relocations(table);
        if (!entries) return entries.error();
        const auto targets = targetsIn(table.info);
        if (!targets) return targets.error();
        const bool debug = table.type == SHT_RELA && file().sections[table.info].name.starts_with(".debug_");
        const std::uint64_t bytes = table.type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
        Bytes& content = elf_.content(index);
        for (std::uint64_t i = 0; i < entries->size(); ++i) {
            const ElfFile::Relocation& entry = (*entries)[i];
            storeFixed(content, i * bytes, movedPlace(table.info, entry.offset));
            const auto target = targets->find(entry.offset);
            if (debug && target != targets->end())
                storeFixed<std::int64_t>(content, i * bytes + offsetof(Elf64_Rela, r_addend),
                                         movedTarget(target->second));
        }
        return std::nullopt;
    }

    std::int64_t movedTarget(const Target& target) const {
        if (const Movement* const movement = movementOf(target.section)) return movement->target(target.offset);
        if (const auto table = tables_.find(static_cast<std::uint32_t>(target.section)); table != tables_.end())
            if (const auto start = table->second.starts.find(target.offset); start != table->second.starts.end())
                return static_cast<std::int64_t>(start->second);
        return target.offset;
    }

    std::uint64_t movedPlace(std::uint32_t section, std::uint64_t offset) const {
        if (const auto table = tables_.find(section); table != tables_.end()) {
            const auto moved = table->second.positions.find(offset);
            return moved == table->second.positions.end() ? offset : moved->second;
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
