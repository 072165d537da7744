#include "binary/zebin_parts.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "binary/elf_builder.h"
#include "binary/elf_file.h"
#include "binary/special_symbols.h"

namespace zetl::binary {
namespace zebin_parts {
namespace {

constexpr std::string_view kCode = ".text.";
constexpr std::string_view kDescription = ".ze_info";
constexpr std::string_view kSpirv = ".spv";
constexpr std::uint64_t kDataAlignment = 64;
constexpr std::size_t kMostSections = 0xf000;

/// How sections of a name become one file's.
enum class Join : std::uint8_t { each, behind, once, made, never };
struct Rule {
    std::string_view prefix;
    Join join;
};
constexpr Rule kRules[] = {
    {kCode, Join::each},          {".note.intelgt.", Join::once}, {".misc.", Join::once}, {".data.const", Join::behind},
    {".bss.const", Join::behind}, {kDescription, Join::made},     {kSpirv, Join::made},
};
Join joinOf(const ElfFile::Section& section) {
    switch (section.type) {
        case SHT_NULL:
        case SHT_SYMTAB:
        case SHT_STRTAB:
        case SHT_REL:
            return Join::made;
        case SHT_RELA:
            return Join::never;
        default:
            break;
    }
    const auto rule = std::ranges::find_if(kRules, [&](const Rule& r) { return section.name.starts_with(r.prefix); });
    return rule == std::end(kRules) ? Join::never : rule->join;
}

/// The description's lists, by their keys in the order of their first lines.
class Description {
  public:
    void add(std::string_view text, bool first) {
        List* list = nullptr;
        bool leftOut = false;
        while (!text.empty()) {
            const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
            text.remove_prefix(line.size());
            if (line.starts_with("...") || line.starts_with("---")) continue;
            const bool isKey = line.front() != ' ';
            if (isKey) list = &listOf(line);
            if (list == nullptr) continue;
            if (isKey || line.starts_with(kItem)) leftOut = !first && isHolder(line);
            if (!isKey && !leftOut) list->lines.append(line);
        }
    }
    Bytes bytes() const {
        std::string text;
        for (const List& list : lists_) text.append(list.key).append(list.lines);
        text.append("...\n");
        return {text.begin(), text.end()};
    }

  private:
    static constexpr std::string_view kItem = "  - ";
    struct List {
        std::string key;  ///< its line
        std::string lines;
    };
    std::vector<List> lists_;

    static bool isHolder(std::string_view line) { return line.find(kFunctionHolder) != std::string_view::npos; }
    List& listOf(std::string_view line) {
        const auto known = std::ranges::find(lists_, line, &List::key);
        return known != lists_.end() ? *known : lists_.emplace_back(List{std::string(line), {}});
    }
};

struct Part {
    ElfFile file;
    std::vector<ElfFile::Symbol> symbols;
    struct Place {
        std::uint32_t section = 0;
        std::uint64_t offset = 0;
    };
    std::vector<Place> places = {};           ///< by section of the part; none: section 0
    std::vector<std::uint32_t> numbers = {};  ///< of its symbols in the joined file
};

class Joined {
  public:
    bool add(const Bytes& bytes) {
        auto file = readElf(bytes);
        if (!file) return false;
        const auto table = std::ranges::find(file->sections, std::uint32_t{SHT_SYMTAB}, &ElfFile::Section::type);
        if (table == file->sections.end()) return false;
        auto symbols = file->symbols(*table);
        if (!symbols || std::ranges::any_of(*symbols, isForOthers)) return false;
        parts_.push_back({.file = *std::move(file), .symbols = *std::move(symbols)});
        return addSections(parts_.back());
    }

    std::optional<Bytes> write(const Bytes& spirv) {
        if (sections_.size() > kMostSections) return std::nullopt;
        for (std::uint8_t binding : {STB_LOCAL, STB_GLOBAL})
            for (Part& part : parts_) addSymbols(part, binding);
        for (const Part& part : parts_)
            if (!addRelocations(part)) return std::nullopt;
        sections_.push_back(
            {.name = std::string(kDescription), .type = descriptionType_, .content = description_.bytes()});
        if (spirvType_) sections_.push_back({.name = std::string(kSpirv), .type = *spirvType_, .content = spirv});
        ElfBuilder builder;
        for (ElfBuilder::Section& section : sections_) builder.add(std::move(section));
        for (const ElfBuilder::Symbol& symbol : symbols_) builder.add(symbol);
        return builder.write(kMachineIntelGt);
    }

  private:
    std::vector<Part> parts_;
    std::vector<ElfBuilder::Section> sections_;    ///< the first one has number 1
    std::map<std::string, std::uint32_t> shared_;  ///< numbers of sections that have one name
    std::vector<ElfBuilder::Symbol> symbols_;
    std::map<std::string_view, std::uint32_t> imports_;
    std::map<std::uint32_t, std::size_t> tables_;  ///< of relocations, by the number of the section that they change
    Description description_;
    std::uint32_t descriptionType_ = SHT_PROGBITS;
    std::optional<std::uint32_t> spirvType_;

    static bool isForOthers(const ElfFile::Symbol& symbol) {
        return symbol.section != SHN_UNDEF && symbol.binding != STB_LOCAL && symbol.type == STT_FUNC;
    }

    bool addSections(Part& part) {
        const bool first = parts_.size() == 1;
        for (const ElfFile::Section& section : part.file.sections) {
            part.places.emplace_back();
            const Join join = joinOf(section);
            if (join == Join::never) return false;
            if (join == Join::made)
                note(section, first);
            else if (first || !section.name.ends_with(kFunctionHolder))
                part.places.back() = place(section, join);
        }
        return true;
    }

    void note(const ElfFile::Section& section, bool first) {
        if (section.name == kSpirv) spirvType_ = section.type;
        if (section.name != kDescription) return;
        descriptionType_ = section.type;
        description_.add({reinterpret_cast<const char*>(section.content.begin()), section.content.size()}, first);
    }

    Part::Place place(const ElfFile::Section& section, Join join) {
        const auto known = join == Join::each ? shared_.end() : shared_.find(section.name);
        if (known == shared_.end()) {
            const std::uint32_t number = append(section);
            if (join != Join::each) shared_.emplace(section.name, number);
            return {number, 0};
        }
        if (join == Join::once) return {known->second, 0};
        ElfBuilder::Section& joined = sections_[known->second - 1];
        const bool zeroes = section.type == SHT_NOBITS;
        std::uint64_t offset = zeroes ? joined.zeroes : joined.content.size();
        offset = (offset + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
        if (zeroes) {
            joined.zeroes = offset + section.size;
        } else {
            joined.content.resize(offset);
            joined.content.insert(joined.content.end(), section.content.begin(), section.content.end());
        }
        return {known->second, offset};
    }

    std::uint32_t append(const ElfFile::Section& section) {
        sections_.push_back({.name = section.name,
                             .type = section.type,
                             .flags = section.flags,
                             .alignment = std::max<std::uint64_t>(section.alignment, 1),
                             .content = {section.content.begin(), section.content.end()},
                             .zeroes = section.type == SHT_NOBITS ? section.size : 0});
        return static_cast<std::uint32_t>(sections_.size());
    }

    /// Data are known by name only where the module says so, and then it has no parts.
    static std::uint8_t bindingOf(const ElfFile::Symbol& symbol) {
        return symbol.section == SHN_UNDEF ? symbol.binding : std::uint8_t{STB_LOCAL};
    }

    void addSymbols(Part& part, std::uint8_t binding) {
        part.numbers.resize(part.symbols.size());
        for (std::size_t i = 1; i < part.symbols.size(); ++i) {
            const ElfFile::Symbol& symbol = part.symbols[i];
            if (bindingOf(symbol) == binding) part.numbers[i] = addSymbol(part, symbol, binding);
        }
    }

    /// The symbol's number, the same for each import of a name; 0 for one of a section that was left out.
    std::uint32_t addSymbol(const Part& part, const ElfFile::Symbol& symbol, std::uint8_t binding) {
        const bool import = symbol.section == SHN_UNDEF;
        const Part::Place place = symbol.section < part.places.size() ? part.places[symbol.section] : Part::Place{};
        if (!import && place.section == 0 && symbol.section < part.places.size()) return 0;
        const auto number = static_cast<std::uint32_t>(symbols_.size() + 1);
        if (import)
            if (const auto [known, isNew] = imports_.emplace(symbol.name, number); !isNew) return known->second;
        const bool special = symbol.section >= SHN_LORESERVE;
        symbols_.push_back({.name = symbol.name,
                            .type = symbol.type,
                            .binding = binding,
                            .section = special ? symbol.section : static_cast<std::uint16_t>(place.section),
                            .value = symbol.value + place.offset,
                            .size = symbol.size});
        return number;
    }

    bool addRelocations(const Part& part) {
        for (const ElfFile::Section& section : part.file.sections) {
            if (section.type != SHT_REL) continue;
            const Part::Place place = section.info < part.places.size() ? part.places[section.info] : Part::Place{};
            if (place.section == 0) continue;
            const auto entries = part.file.relocations(section);
            if (!entries) return false;
            ElfBuilder::Section& table = relocationsOf(section.name, place.section);
            for (const ElfFile::Relocation& entry : *entries) {
                if (entry.symbol >= part.numbers.size()) return false;
                if (entry.symbol != 0 && part.numbers[entry.symbol] == 0) return false;
                const Elf64_Rel moved{entry.offset + place.offset,
                                      ELF64_R_INFO(part.numbers[entry.symbol], entry.type)};
                const auto* bytes = reinterpret_cast<const std::uint8_t*>(&moved);
                table.content.insert(table.content.end(), bytes, bytes + sizeof moved);
            }
        }
        return true;
    }

    ElfBuilder::Section& relocationsOf(const std::string& name, std::uint32_t target) {
        const auto known = tables_.find(target);
        if (known != tables_.end()) return sections_[known->second];
        tables_.emplace(target, sections_.size());
        return sections_.emplace_back(ElfBuilder::Section{
            .name = name, .type = SHT_REL, .alignment = alignof(Elf64_Rel), .content = {}, .info = target});
    }
};

std::optional<Bytes> joined(std::span<const Bytes> parts, const Bytes& spirv) {
    Joined all;
    for (const Bytes& part : parts)
        if (!all.add(part)) return std::nullopt;
    return all.write(spirv);
}

}  // namespace
}  // namespace zebin_parts

std::optional<Bytes> joinZebins(std::span<const Bytes> parts, const Bytes& spirv) {
    return zebin_parts::joined(parts, spirv);
}

}  // namespace zetl::binary
