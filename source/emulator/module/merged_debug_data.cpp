#include "emulator/module/merged_debug_data.h"

#include <cstring>

#include "binary/debug_relocation.h"
#include "binary/elf_file.h"

namespace zetl::emulator::module {
namespace {

constexpr const char* kCodeSection = ".text";

/// Adds to the number of one of the references.
void move(binary::Bytes& content, std::uint64_t position, std::uint8_t bytes, std::uint64_t distance) {
    std::uint64_t value = 0;
    std::memcpy(&value, &content[position], bytes);
    value += distance;
    std::memcpy(&content[position], &value, bytes);
}

}  // namespace

std::optional<binary::Error> MergedDebugData::add(binary::ByteView elf, std::uint64_t address) {
    binary::Bytes bytes(elf.begin(), elf.end());
    const auto file = binary::readElf(bytes);
    if (!file) return file.error();
    std::vector<std::uint64_t> bases(file->sections.size());
    for (std::size_t i = 0; i < bases.size(); ++i)
        if (file->sections[i].name == kCodeSection) bases[i] = address;
    if (auto relocated = binary::relocateDebugData(bytes, *file, bases); !relocated) return relocated.error();
    binary::DebugSections sections;
    for (std::size_t i = 0; i < sections.size(); ++i)
        if (const auto* const found = file->find(binary::kDebugSectionNames[i])) sections[i] = found->content;
    const auto references = binary::debugReferences(sections);
    if (!references) return references.error();
    append(sections, *references, address);
    return std::nullopt;
}

void MergedDebugData::append(const binary::DebugSections& sections,
                             const std::vector<binary::DebugReference>& references, std::uint64_t address) {
    std::array<std::uint64_t, binary::kDebugSectionNames.size()> before;
    for (std::size_t i = 0; i < sections.size(); ++i) {
        before[i] = contents_[i].size();
        contents_[i].insert(contents_[i].end(), sections[i].begin(), sections[i].end());
    }
    const auto start = [&](binary::DebugSection section) { return before[static_cast<std::size_t>(section)]; };
    for (const binary::DebugReference& each : references)
        move(contents_[static_cast<std::size_t>(each.where)], start(each.where) + each.position, each.bytes,
             each.target ? start(*each.target) : address);
}

}  // namespace zetl::emulator::module
