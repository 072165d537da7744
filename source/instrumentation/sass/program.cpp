#include "instrumentation/sass/program.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "binary/cubin_info.h"
#include "instrumentation/parts/elf_edit.h"
#include "instrumentation/sass/section.h"

namespace zetl::instrumentation::sass {
namespace {

using binary::ByteView;
using binary::CubinAttributeName;
using binary::ElfFile;
using Bytes = std::vector<std::uint8_t>;

constexpr std::string_view kTextPrefix = ".text.";
constexpr std::string_view kInfo = ".nv.info";
constexpr std::uint32_t kMostRegisters = 255;
/// Of the registers that a kernel is given, its instructions can name all but two: the rest is an illegal instruction.
constexpr std::uint32_t kUnnamedRegisters = 2;

/// A part of the file, put in place of another of its size.
template <class T>
void store(Bytes& bytes, std::uint64_t at, const T& value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::uint32_t chipOf(const ElfFile& file) { return file.flags >> 8 & 0xff; }

/// Only the layout of CUDA 13's cubins is known, and not the code of every chip.
std::string obstacleOf(std::span<const std::uint8_t> bytes, const ElfFile& file) {
    constexpr std::uint8_t kLayout = 8;
    const auto header = ByteView(bytes).read<Elf64_Ehdr>(0);
    if (header && header->e_ident[EI_ABIVERSION] != kLayout)
        return fmt::format("a cubin of ABI version {}: version {} is known", header->e_ident[EI_ABIVERSION], kLayout);
    if (!generationOf(chipOf(file)))
        return fmt::format("machine code of sm_{}: that of sm_80, sm_86, sm_89 and sm_90 is known", chipOf(file));
    return {};
}

/// Offsets in a section of code that function symbols name.
std::vector<std::uint32_t> entriesOf(std::span<const ElfFile::Symbol> symbols, std::size_t section) {
    std::vector<std::uint32_t> entries;
    for (const ElfFile::Symbol& symbol : symbols)
        if (symbol.type == STT_FUNC && symbol.section == section && symbol.value <= UINT32_MAX)
            entries.push_back(static_cast<std::uint32_t>(symbol.value));
    return entries;
}

/// NVIDIA's compiler counts its uniform registers up: the last pair that no instruction writes. 0: there is none.
std::uint32_t freeUniformPair(const ElfFile& file) {
    constexpr std::uint32_t kLast = 60;  // 63 is a zero, 62 its neighbour
    std::set<std::uint32_t> pairs;
    for (const ElfFile::Section& section : file.sections) {
        if (section.type != SHT_PROGBITS || !section.name.starts_with(kTextPrefix)) continue;
        for (const Instruction& in : instructionsIn(section.content.bytes()))
            if (const auto target = in.uniformTarget()) pairs.insert(*target / 2 * 2);
    }
    for (std::uint32_t pair = kLast; pair > 0; pair -= 2)
        if (!pairs.contains(pair)) return pair;
    return 0;
}

class CubinProgram final : public Program::Content {
  public:
    /// The file's views point into the bytes, which stay where they are when they are moved.
    CubinProgram(Bytes bytes, ElfFile file, std::vector<ElfFile::Symbol> symbols)
        : bytes_(std::move(bytes)), file_(std::move(file)), symbols_(std::move(symbols)) {
        const auto functions = binary::readCubinInfo(file_);
        std::uint32_t registers = kUnnamedRegisters;
        for (const auto& [name, function] : functions) registers = std::max(registers, function.registers);
        // Functions run with the registers of the kernel that calls them: all kernels get as many.
        const Scratch scratch{(registers - kUnnamedRegisters + 1) / 2 * 2, freeUniformPair(file_)};
        registers_ = scratch.registers + kScratchRegisters + kUnnamedRegisters;
        std::string obstacle = obstacleOf(bytes_, file_);
        const auto* const known = generationOf(chipOf(file_));
        const Generation& generation = known ? *known : kHopper;
        if (obstacle.empty() && registers_ > kMostRegisters)
            obstacle = fmt::format("a kernel has {} registers: no five are left", registers);
        if (obstacle.empty() && scratch.uniformRegisters == 0) obstacle = "no two uniform registers are free";
        sections_.resize(file_.sections.size());
        for (std::uint32_t i = 0; i < file_.sections.size(); ++i) {
            const ElfFile::Section& section = file_.sections[i];
            if (section.type != SHT_PROGBITS || !section.name.starts_with(kTextPrefix)) continue;
            const std::string name = section.name.substr(kTextPrefix.size());
            const auto function = functions.find(name);
            auto read = std::make_unique<SassSection>(
                SassSection::Function{.name = name,
                                      .code = section.content.bytes(),
                                      .launchable = file_.find(".nv.constant0." + name) != nullptr,
                                      .registers = function == functions.end() ? 0 : function->second.registers,
                                      .entries = entriesOf(symbols_, i)},
                generation, scratch, obstacle);
            sections_[i] = read.get();
            sections.emplace_back(std::move(read));
        }
    }

    binary::Outcome<Bytes> write() const override {
        if (std::ranges::none_of(sections_, [](const SassSection* section) { return section && section->changed(); }))
            return bytes_;
        auto elf = ElfEdit::open(bytes_);
        if (!elf) return elf.error();
        for (std::uint32_t i = 0; i < sections_.size(); ++i)
            if (const SassSection* const changed = changedAt(i)) elf->content(i) = changed->apply();
        for (std::uint32_t i = 0; i < file_.sections.size(); ++i) {
            const ElfFile::Section& section = file_.sections[i];
            if (section.type == SHT_SYMTAB) growSymbols(elf->content(i));
            if (section.type == SHT_RELA || section.type == SHT_REL) moveRelocations(section, elf->content(i));
            if (section.name == kInfo) raiseRegisters(section, elf->content(i));
            if (section.name.starts_with(kInfo)) moveOffsets(section, elf->content(i));
        }
        return elf->write();
    }

  private:
    Bytes bytes_;
    ElfFile file_;
    std::vector<ElfFile::Symbol> symbols_;
    std::uint32_t registers_ = 0;               ///< that a kernel needs with what is inserted
    std::vector<const SassSection*> sections_;  ///< those of `sections`, by index in the file

    const SassSection* changedAt(std::uint64_t index) const {
        const SassSection* const section = index < sections_.size() ? sections_[index] : nullptr;
        return section && section->changed() ? section : nullptr;
    }

    /// The function that ends with its section now ends with what was put behind it.
    void growSymbols(Bytes& table) const {
        for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
            auto symbol = *ByteView(table).read<Elf64_Sym>(at);
            const SassSection* const changed = changedAt(symbol.st_shndx);
            if (!changed || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
            if (symbol.st_value + symbol.st_size != changed->code.size()) continue;
            symbol.st_size = changed->writtenBytes() - symbol.st_value;
            store(table, at, symbol);
        }
    }

    static std::uint64_t moved(const SassSection& section, std::uint64_t offset) {
        const std::uint64_t within = offset % kInstructionBytes;
        return offset > UINT32_MAX ? offset : section.movedTo(static_cast<std::uint32_t>(offset - within)) + within;
    }

    void moveRelocations(const ElfFile::Section& section, Bytes& table) const {
        const SassSection* const changed = changedAt(section.info);
        if (!changed) return;
        const std::uint64_t size = section.type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
        for (std::uint64_t at = 0; at + size <= table.size(); at += size)
            store(table, at, moved(*changed, *ByteView(table).read<std::uint64_t>(at)));
    }

    void raiseRegisters(const ElfFile::Section& info, Bytes& content) const {
        for (const binary::CubinAttribute& attribute : binary::cubinAttributes(info.content))
            if (attribute.name == CubinAttributeName::registerCount && attribute.bytes == 2 * sizeof registers_)
                store(content, attribute.offset + sizeof registers_, registers_);
    }

    /// The facts about single instructions that the driver reads.
    void moveOffsets(const ElfFile::Section& info, Bytes& content) const {
        const SassSection* const changed = changedAt(info.info);
        if (!changed) return;
        for (const binary::CubinAttribute& attribute : binary::cubinAttributes(info.content)) {
            const bool offsets = attribute.name == CubinAttributeName::exitOffsets ||
                                 attribute.name == CubinAttributeName::specialRegisterOffsets ||
                                 attribute.name == CubinAttributeName::cooperativeGroupOffsets ||
                                 attribute.name == CubinAttributeName::warpWideInstructionOffsets;
            if (!offsets) continue;
            for (std::uint32_t i = 0; i + sizeof(std::uint32_t) <= attribute.bytes; i += sizeof(std::uint32_t)) {
                const auto offset = *info.content.read<std::uint32_t>(attribute.offset + i);
                store(content, attribute.offset + i, static_cast<std::uint32_t>(moved(*changed, offset)));
            }
        }
    }
};

}  // namespace
}  // namespace zetl::instrumentation::sass

namespace zetl::instrumentation {

bool looksLikeCubin(std::span<const std::uint8_t> bytes) noexcept {
    if (!binary::looksLikeElf(bytes)) return false;
    const auto header = binary::ByteView(bytes).read<Elf64_Ehdr>(0);
    return header && header->e_machine == binary::kMachineCuda;
}

binary::Outcome<std::unique_ptr<Program::Content>> readCubin(std::span<const std::uint8_t> bytes) {
    std::vector<std::uint8_t> copy(bytes.begin(), bytes.end());
    auto file = binary::readElf(copy);
    if (!file) return file.error();
    std::vector<binary::ElfFile::Symbol> symbols;
    if (const auto* const table = file->find(".symtab")) {
        auto read = file->symbols(*table);
        if (!read) return read.error();
        symbols = *std::move(read);
    }
    return std::unique_ptr<Program::Content>(
        std::make_unique<sass::CubinProgram>(std::move(copy), *std::move(file), std::move(symbols)));
}

}  // namespace zetl::instrumentation
