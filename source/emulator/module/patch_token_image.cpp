#include "emulator/module/patch_token_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "binary/elf_builder.h"
#include "binary/elf_file.h"
#include "binary/intel_notes.h"
#include "binary/patch_token_debug.h"
#include "binary/patch_token_format.h"
#include "binary/ze_info.h"
#include "emulator/module/merged_debug_data.h"

namespace zetl::emulator::module {
namespace {

using binary::Bytes;
using binary::Place;

constexpr std::uint32_t kSectionZeInfo = 0xff000011;
constexpr std::uint32_t kSectionGtpin = 0xff000012;
constexpr std::uint32_t kSectionMisc = 0xff000014;
constexpr std::uint64_t kLoadedAlignment = 64;
constexpr std::uint64_t kNoteAlignment = 4;

Bytes bytesOf(std::string_view text) { return {text.begin(), text.end()}; }

void leftOut(std::string_view what, const binary::Error& error) {
    log::warn(log::Channel::emulator, "the debug image is without the debug data of {}: {}; build the module again",
              what, error.message);
}

class Writer {
  public:
    explicit Writer(const LinkedModule& module) : module_(module), image_(module.image()) {}

    UnplacedElf run() {
        addCode();
        addData();
        addSymbols();
        addDebugData();
        addDescriptions();
        return {elf_.write(binary::kMachineIntelGt), std::move(loaded_)};
    }

  private:
    const LinkedModule& module_;
    const binary::ModuleImage& image_;
    binary::ElfBuilder elf_;
    std::vector<LoadedSection> loaded_;

    void load(binary::ElfBuilder::Section section, const Place& place, std::uint32_t permissions) {
        loaded_.push_back({elf_.add(std::move(section)), place, permissions});
    }

    void addCode() {
        for (std::uint32_t i = 0; i < image_.code.size(); ++i)
            load({.name = ".text." + image_.code[i].name,
                  .flags = SHF_ALLOC | SHF_EXECINSTR,
                  .alignment = kLoadedAlignment,
                  .content = image_.code[i].bytes},
                 {Place::Kind::code, i, 0}, PF_R | PF_X);
    }

    /// Strings are among the constants in this container.
    void addData() {
        constexpr std::pair<binary::DataKind, const char*> kKinds[] = {{binary::DataKind::constants, ".data.const"},
                                                                       {binary::DataKind::variables, ".data.global"}};
        for (const auto& [kind, name] : kKinds) {
            const binary::DataSegment& segment = image_.segment(kind);
            const std::uint64_t writable = kind == binary::DataKind::variables ? SHF_WRITE : 0;
            if (segment.size() != 0)
                load({.name = name,
                      .flags = SHF_ALLOC | writable,
                      .alignment = kLoadedAlignment,
                      .content = segment.bytes},
                     {Place::Kind::data, static_cast<std::uint32_t>(kind), 0}, permissionsOf(kind));
        }
    }

    /// The file's section with the place's bytes; none for imports. Code comes first among the loaded sections.
    std::uint16_t sectionOf(const Place& place) const {
        if (place.kind == Place::Kind::code) return static_cast<std::uint16_t>(loaded_[place.index].section);
        const auto found = std::ranges::find_if(
            loaded_.begin() + static_cast<std::ptrdiff_t>(image_.code.size()), loaded_.end(),
            [&](const auto& each) { return place.kind == Place::Kind::data && each.place.index == place.index; });
        return found == loaded_.end() ? SHN_UNDEF : static_cast<std::uint16_t>(found->section);
    }

    /// The container has names only for symbols to which others may refer.
    void addSymbols() {
        for (std::uint32_t i = 0; i < image_.code.size(); ++i)
            elf_.add({.name = image_.code[i].name,
                      .type = STT_FUNC,
                      .section = sectionOf({Place::Kind::code, i, 0}),
                      .size = image_.code[i].bytes.size()});
        for (const binary::Symbol& symbol : image_.symbols) {
            const std::uint16_t section = sectionOf(symbol.place);
            if (symbol.name.empty() || section == SHN_UNDEF) continue;
            elf_.add({.name = symbol.name,
                      .type = symbol.kind == binary::Symbol::Kind::function ? std::uint8_t{STT_FUNC}
                                                                            : std::uint8_t{STT_OBJECT},
                      .binding = STB_GLOBAL,
                      .section = section,
                      .value = symbol.place.offset,
                      .size = symbol.size});
        }
    }

    /// The section beside the device binary in its outer ELF; empty if there is none.
    binary::ByteView debugContainer(const binary::Outcome<binary::ElfFile>& outer) const {
        const auto* const section = outer ? outer->find(binary::patch::kDebugSectionName) : nullptr;
        return section ? section->content : binary::ByteView();
    }

    void addDebugData() {
        const auto outer = binary::readElf(image_.native);
        const binary::ByteView container = debugContainer(outer);
        if (container.size() == 0) return;
        const auto kernels = binary::readPatchTokenDebug(container.bytes());
        if (!kernels) return leftOut("the module", kernels.error());
        MergedDebugData merged;
        for (const binary::KernelDebugData& kernel : *kernels) merge(kernel, merged);
        for (std::size_t i = 0; i < binary::kDebugSectionNames.size(); ++i) {
            const Bytes& content = merged.content(static_cast<binary::DebugSection>(i));
            if (!content.empty()) elf_.add({.name = std::string(binary::kDebugSectionNames[i]), .content = content});
        }
    }

    void merge(const binary::KernelDebugData& kernel, MergedDebugData& merged) const {
        if (kernel.elf.size() == 0) return;
        const auto code = std::ranges::find(image_.code, kernel.name, &binary::CodeSection::name);
        const std::string what = "kernel " + kernel.name;
        if (code == image_.code.end())
            return leftOut(what, binary::damaged(binary::patch::kDebugSectionName, "the module has no such kernel"));
        const auto index = static_cast<std::uint32_t>(code - image_.code.begin());
        if (const auto error = merged.add(kernel.elf, module_.addressOf({Place::Kind::code, index, 0})))
            leftOut(what, *error);
    }

    void addDescriptions() {
        for (const binary::KernelImage& kernel : image_.kernels)
            if (kernel.gtpin)
                elf_.add({.name = ".gtpin_info." + kernel.name, .type = kSectionGtpin, .content = kernel.gtpin->raw});
        if (!image_.buildOptions.empty())
            elf_.add({.name = ".misc.buildOptions", .type = kSectionMisc, .content = bytesOf(image_.buildOptions)});
        elf_.add({.name = ".ze_info", .type = kSectionZeInfo, .content = bytesOf(writeZeInfo(image_.kernels))});
        elf_.add({.name = std::string(binary::kCompatibilityNotes),
                  .type = SHT_NOTE,
                  .alignment = kNoteAlignment,
                  .content = writeFamilies(image_.target)});
    }
};

}  // namespace

UnplacedElf patchTokenImage(const LinkedModule& module) { return Writer(module).run(); }

}  // namespace zetl::emulator::module
