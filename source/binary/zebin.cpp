// The zebin container: ELF sections to ModuleImage.
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "binary/elf_file.h"
#include "binary/gtpin_info.h"
#include "binary/intel_notes.h"
#include "binary/native_binary.h"
#include "binary/recorded_options.h"
#include "binary/special_symbols.h"
#include "binary/ze_info.h"

namespace zetl::binary {
namespace {

constexpr std::uint16_t kTypeRelocatable = 0xff11;
constexpr std::uint16_t kTypeExecutable = 0xff12;
constexpr std::uint16_t kTypeDynamic = 0xff13;
constexpr std::uint32_t kSectionSpirv = 0xff000009;
constexpr std::uint32_t kSectionZeInfo = 0xff000011;
constexpr std::uint32_t kSectionGtpin = 0xff000012;
constexpr std::string_view kTextPrefix = ".text.";
constexpr std::string_view kGtpinPrefix = ".gtpin_info.";
constexpr std::uint64_t kZeroAlignment = 64;

struct DataName {
    std::string_view name;
    DataKind kind;
    bool zero;
};
constexpr DataName kDataNames[] = {
    {".data.const", DataKind::constants, false},      {".bss.const", DataKind::constants, true},
    {".data.global", DataKind::variables, false},     {".bss.global", DataKind::variables, true},
    {".data.const.string", DataKind::strings, false},
};

/// Builds one ModuleImage; each step returns the error that ends the reading, if there is one.
class ZebinReader {
  public:
    ZebinReader(const ElfFile& file, ModuleImage& image) : file_(file), image_(image), places_(file.sections.size()) {}

    std::optional<Error> read(const isa::xe::Product& device) {
        for (const auto step : {&ZebinReader::readSections, &ZebinReader::readZeroSections, &ZebinReader::readInfo,
                                &ZebinReader::readSymbols, &ZebinReader::readRelocations, &ZebinReader::readGtpin})
            if (auto error = (this->*step)()) return error;
        findRecordReaders();
        return readNotes(file_, device, image_.target);
    }

  private:
    const ElfFile& file_;
    ModuleImage& image_;
    std::vector<Place> places_;  ///< by ELF section index

    static Bytes copy(ByteView view) { return {view.begin(), view.end()}; }

    std::optional<Error> addCode(std::uint32_t index, std::string_view name, const ElfFile::Section& section) {
        places_[index] = {Place::Kind::code, static_cast<std::uint32_t>(image_.code.size()), 0};
        image_.code.push_back({std::string(name), copy(section.content), index});
        std::uint64_t total = 0;
        for (const CodeSection& code : image_.code) total += code.bytes.size();
        if (total > kMaxCodeBytes)
            return Error{Cause::limit, fmt::format("the module has over {} bytes of code", kMaxCodeBytes)};
        return std::nullopt;
    }

    std::optional<Error> readSections() {
        for (std::uint32_t i = 1; i < file_.sections.size(); ++i) {
            const ElfFile::Section& section = file_.sections[i];
            if (section.type == SHT_PROGBITS && section.name.starts_with(".text")) {
                const bool named = section.name.starts_with(kTextPrefix);
                if (auto error =
                        addCode(i, named ? std::string_view(section.name).substr(kTextPrefix.size()) : "", section))
                    return error;
            } else if (section.type == kSectionSpirv) {
                image_.spirv = copy(section.content);
            } else if (section.name == ".misc.buildOptions") {
                const auto text = section.content.text(0);
                image_.buildOptions = withoutAddedSwitch(
                    text ? std::string(*text) : std::string(section.content.begin(), section.content.end()));
            } else if (section.name == ".debug_info" && section.content.size() != 0) {
                image_.hasDebugData = true;
            } else {
                addData(i, section);
            }
        }
        return std::nullopt;
    }

    void addData(std::uint32_t index, const ElfFile::Section& section) {
        const auto row = std::ranges::find(kDataNames, section.name, &DataName::name);
        if (row == std::end(kDataNames) || row->zero || section.type != SHT_PROGBITS) return;
        const auto kind = static_cast<std::uint32_t>(row->kind);
        places_[index] = {Place::Kind::data, kind, 0};
        image_.data[kind].bytes = copy(section.content);
        image_.data[kind].container = index;
    }

    /// Zeroes follow the initial bytes of the same kind, which are known by now.
    std::optional<Error> readZeroSections() {
        for (std::uint32_t i = 1; i < file_.sections.size(); ++i) {
            const ElfFile::Section& section = file_.sections[i];
            const auto row = std::ranges::find(kDataNames, section.name, &DataName::name);
            if (row == std::end(kDataNames) || !row->zero || section.type != SHT_NOBITS) continue;
            if (section.size > kMaxDataBytes)
                return Error{Cause::limit, fmt::format("{} has {} bytes, the limit is {}", section.name, section.size,
                                                       kMaxDataBytes)};
            DataSegment& segment = image_.data[static_cast<int>(row->kind)];
            segment.bytes.resize((segment.bytes.size() + kZeroAlignment - 1) / kZeroAlignment * kZeroAlignment);
            segment.zeroBytes = section.size;
            segment.zeroContainer = i;
            places_[i] = {Place::Kind::data, static_cast<std::uint32_t>(row->kind), segment.bytes.size()};
        }
        return std::nullopt;
    }

    std::optional<Error> readInfo() {
        const auto section = std::ranges::find(file_.sections, kSectionZeInfo, &ElfFile::Section::type);
        // A module without kernels has nothing to say of them, but notes that tell it from a damaged one.
        const bool noted = std::ranges::count(file_.sections, std::uint32_t{SHT_NOTE}, &ElfFile::Section::type) > 0;
        if (section == file_.sections.end() && noted && image_.code.empty()) return std::nullopt;
        if (section == file_.sections.end())
            return Error{Cause::damaged, "the ELF file has no .ze_info: it is no zebin"};
        auto info = readZeInfo({reinterpret_cast<const char*>(section->content.begin()), section->content.size()});
        if (!info) return info.error();
        image_.version = info->version;
        image_.functions = std::move(info->functions);
        image_.hostNames = std::move(info->hostNames);
        std::unordered_map<std::string_view, std::uint32_t> byName;
        for (std::uint32_t i = 0; i < image_.code.size(); ++i) byName.emplace(image_.code[i].name, i);
        for (KernelImage& kernel : info->kernels) {
            if (kernel.name == kFunctionHolder) continue;
            const auto code = byName.find(kernel.name);
            if (code == byName.end() || image_.code[code->second].bytes.empty())
                return Error{Cause::damaged, fmt::format("kernel {} has no code section", kernel.name)};
            kernel.codeSection = code->second;
            if (kernel.environment.skipPerThreadLoad >= image_.code[code->second].bytes.size())
                return Error{Cause::damaged, fmt::format("kernel {} starts behind its code", kernel.name)};
            image_.kernels.push_back(std::move(kernel));
        }
        return std::nullopt;
    }

    std::uint64_t sizeOf(const Place& place) const {
        return place.kind == Place::Kind::code ? image_.code[place.index].bytes.size()
                                               : image_.data[place.index].size();
    }

    std::optional<Error> addSymbol(const ElfFile::Symbol& entry) {
        Symbol symbol{.name = std::string(entry.name), .place = {}, .size = entry.size};
        symbol.kind = entry.type == STT_FUNC     ? Symbol::Kind::function
                      : entry.type == STT_OBJECT ? Symbol::Kind::object
                                                 : Symbol::Kind::none;
        symbol.global = entry.binding == STB_GLOBAL || entry.binding == STB_WEAK;
        symbol.undefined = entry.section == SHN_UNDEF && !entry.name.empty();
        if (entry.section == SHN_ABS) symbol.place.offset = entry.value;
        if (entry.section != SHN_UNDEF && entry.section < places_.size()) symbol.place = places_[entry.section];
        if (symbol.place.kind != Place::Kind::none) {
            symbol.place.offset += entry.value;
            const std::uint64_t end = sizeOf(symbol.place);
            if (entry.value > end || symbol.place.offset > end)
                return Error{Cause::damaged, fmt::format("symbol {} lies outside its section", symbol.name)};
        }
        image_.symbols.push_back(std::move(symbol));
        return std::nullopt;
    }

    std::optional<Error> readSymbols() {
        const auto table = std::ranges::find(file_.sections, std::uint32_t{SHT_SYMTAB}, &ElfFile::Section::type);
        if (table == file_.sections.end()) return std::nullopt;
        const auto entries = file_.symbols(*table);
        if (!entries) return entries.error();
        for (const ElfFile::Symbol& entry : *entries)
            if (auto error = addSymbol(entry)) return error;
        return std::nullopt;
    }

    std::optional<Error> addRelocation(const Place& target, const ElfFile::Section& table,
                                       const ElfFile::Relocation& entry) {
        Relocation relocation{.place = target, .kind = static_cast<RelocationKind>(entry.type), .symbol = entry.symbol};
        const std::uint64_t room = sizeOf(target) - target.offset;
        const std::uint64_t width = bytesOf(relocation.kind);
        if (relocation.kind == RelocationKind::none) return std::nullopt;
        if (width == 0)
            return Error{Cause::unsupported, fmt::format("{} has a relocation of type {}", table.name, entry.type)};
        if (entry.offset > room || width > room - entry.offset)
            return Error{Cause::damaged,
                         fmt::format("{}: offset {} lies outside the section", table.name, entry.offset)};
        if (relocation.symbol >= image_.symbols.size())
            return Error{Cause::damaged, fmt::format("{}: there is no symbol {}", table.name, entry.symbol)};
        relocation.place.offset += entry.offset;
        relocation.addend = entry.addend;
        relocation.addsToStored = target.kind == Place::Kind::data && table.type == SHT_REL;
        markImplicitArguments(relocation);
        image_.relocations.push_back(relocation);
        return std::nullopt;
    }

    void markImplicitArguments(const Relocation& relocation) {
        if (relocation.place.kind != Place::Kind::code ||
            image_.symbols[relocation.symbol].name != kImplicitArgumentSymbol)
            return;
        for (KernelImage& kernel : image_.kernels)
            if (kernel.codeSection == relocation.place.index && kernel.environment.hasStackCalls)
                kernel.needsImplicitArguments = true;
    }

    std::optional<Error> readRelocations() {
        for (const ElfFile::Section& section : file_.sections) {
            if (section.type != SHT_REL && section.type != SHT_RELA) continue;
            if (section.info >= places_.size())
                return Error{Cause::damaged,
                             fmt::format("{} applies to section {}, which does not exist", section.name, section.info)};
            const Place target = places_[section.info];
            if (target.kind == Place::Kind::none) continue;
            const auto entries = file_.relocations(section);
            if (!entries) return entries.error();
            for (const ElfFile::Relocation& entry : *entries)
                if (auto error = addRelocation(target, section, entry)) return error;
            if (image_.relocations.size() > kMaxRelocations)
                return Error{Cause::limit, fmt::format("the module has over {} relocations", kMaxRelocations)};
        }
        return std::nullopt;
    }

    /// The compiler marks where a kernel has read its arguments by a symbol. Compilers of which kernels say themselves
    /// how far their arguments lie from r0.0 have relocated that by now.
    void findRecordReaders() {
        for (KernelImage& kernel : image_.kernels) {
            if (!kernel.environment.hasStackCalls || kernel.hasImplicitArguments()) continue;
            const auto entry = std::ranges::find_if(image_.symbols, [&](const Symbol& symbol) {
                return symbol.name == kEntrySymbol && symbol.place.kind == Place::Kind::code &&
                       symbol.place.index == kernel.codeSection;
            });
            if (entry != image_.symbols.end()) kernel.recordFrom = static_cast<std::uint32_t>(entry->place.offset);
        }
    }

    std::optional<Error> readGtpin() {
        for (const ElfFile::Section& section : file_.sections) {
            if (section.type != kSectionGtpin || !section.name.starts_with(kGtpinPrefix)) continue;
            const std::string_view name = std::string_view(section.name).substr(kGtpinPrefix.size());
            const auto kernel = std::ranges::find(image_.kernels, name, &KernelImage::name);
            if (kernel == image_.kernels.end()) continue;
            auto info = readGtpinInfo(section.content.bytes());
            if (!info) return info.error();
            kernel->gtpin = *std::move(info);
        }
        return std::nullopt;
    }
};

bool isZebinHeader(const ElfFile& file) {
    if (file.machine == kMachineIntelGt)
        return file.type == ET_REL || (file.type >= kTypeRelocatable && file.type <= kTypeDynamic);
    // The oldest form named the product family as machine.
    return file.type == kTypeExecutable || file.type == kTypeDynamic || file.type == kTypeRelocatable;
}

/// What a kernel asks for and the architecture does not have.
std::optional<Error> lackOf(const isa::xe::Architecture& architecture, const ModuleImage& image) {
    const auto counts = architecture.registerCounts;
    for (const KernelImage& kernel : image.kernels) {
        const ExecutionEnvironment& environment = kernel.environment;
        if (environment.slmBytes > architecture.localBytes)
            return Error{Cause::limit,
                         fmt::format("kernel {} needs {} bytes of local memory; a group of {} has {}", kernel.name,
                                     environment.slmBytes, architecture.title, architecture.localBytes)};
        if (std::ranges::find(counts, environment.grfCount) == counts.end())
            return Error{Cause::damaged, fmt::format("kernel {}: threads of {} have no {} registers", kernel.name,
                                                     architecture.title, environment.grfCount)};
    }
    return std::nullopt;
}

}  // namespace

Outcome<ModulePointer> readZebin(std::span<const std::uint8_t> bytes, const isa::xe::Product& device) {
    auto image = std::make_shared<ModuleImage>();
    const auto file = readElf(bytes);
    if (!file) return file.error();
    if (!isZebinHeader(*file))
        return Error{Cause::damaged,
                     fmt::format("ELF type {:#x} for machine {} is no zebin", file->type, file->machine)};
    image->container = ModuleImage::Container::zebin;
    if (auto error = ZebinReader(*file, *image).read(device)) return *std::move(error);
    if (device.architecture != nullptr)
        if (auto error = lackOf(*device.architecture, *image)) return *std::move(error);
    image->native.assign(bytes.begin(), bytes.end());
    return ModulePointer(std::move(image));
}

}  // namespace zetl::binary
