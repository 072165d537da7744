#include "instrumentation/parts/elf_edit.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace zetl::instrumentation {
namespace {

constexpr std::size_t kMaxAlignment = 4096;
constexpr std::uint16_t kMostSegments = 64;

void align(std::vector<std::uint8_t>& bytes, std::uint64_t wanted) {
    const std::uint64_t alignment = std::clamp<std::uint64_t>(wanted, 1, kMaxAlignment);
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
}

template <class T>
void append(std::vector<std::uint8_t>& bytes, const T& value) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(&value);
    bytes.insert(bytes.end(), data, data + sizeof value);
}

}  // namespace

binary::Outcome<ElfEdit> ElfEdit::open(std::span<const std::uint8_t> bytes) {
    auto file = binary::readElf(bytes);
    if (!file) return file.error();
    const auto header = binary::ByteView(bytes).read<Elf64_Ehdr>(0);
    if (!header || header->e_shnum != file->sections.size())
        return binary::Error{binary::Cause::unsupported, "ELF: files with so many sections are not changed"};
    if (header->e_phnum > kMostSegments)
        return binary::Error{binary::Cause::unsupported, "ELF: files with so many segments are not changed"};
    if (header->e_phnum != 0 && (header->e_phentsize != sizeof(Elf64_Phdr) ||
                                 !binary::ByteView(bytes).holds(header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr))))
        return binary::damaged("ELF", "the program headers lie beyond the file's end");
    return ElfEdit(bytes, *std::move(file));
}

std::vector<std::uint8_t>& ElfEdit::content(std::uint32_t section) {
    const auto original = file_.sections[section].content.bytes();
    return changed_.try_emplace(section, original.begin(), original.end()).first->second;
}

std::span<const std::uint8_t> ElfEdit::contentOf(std::uint32_t section) const {
    const auto changed = changed_.find(section);
    return changed == changed_.end() ? file_.sections[section].content.bytes() : changed->second;
}

/// A segment goes from its first section to its last one; one without sections holds the program headers, or nothing.
std::vector<Elf64_Phdr> ElfEdit::movedSegments(const Elf64_Ehdr& header, std::span<const Elf64_Shdr> table) const {
    const binary::ByteView view(bytes_);
    std::vector<Elf64_Phdr> segments;
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment = *view.read<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
        std::optional<std::uint64_t> begin;
        std::uint64_t end = 0;
        std::uint64_t oldEnd = segment.p_offset;
        for (std::uint32_t s = 0; s < table.size(); ++s) {
            const binary::ElfFile::Section& old = file_.sections[s];
            const std::uint64_t bytes = old.content.size();
            if (bytes == 0 || old.fileOffset < segment.p_offset) continue;
            if (old.fileOffset - segment.p_offset + bytes > segment.p_filesz) continue;
            begin = std::min(begin.value_or(table[s].sh_offset), table[s].sh_offset);
            end = std::max<std::uint64_t>(end, table[s].sh_offset + table[s].sh_size);
            oldEnd = std::max(oldEnd, old.fileOffset + bytes);
        }
        if (begin) {
            const std::uint64_t grown = (end - *begin) - (oldEnd - segment.p_offset);
            segment.p_offset = *begin;
            segment.p_filesz += grown;
            segment.p_memsz += grown;
        }
        segments.push_back(segment);
    }
    return segments;
}

std::vector<std::uint8_t> ElfEdit::write() const {
    const binary::ByteView view(bytes_);
    const auto header = *view.read<Elf64_Ehdr>(0);
    auto moved = header;
    std::vector<std::uint8_t> written(sizeof header);
    std::vector<Elf64_Shdr> table(file_.sections.size());
    std::vector<std::uint32_t> order(table.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return file_.sections[i].fileOffset; });
    for (const std::uint32_t i : order) {
        table[i] = view.read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)).value_or(Elf64_Shdr{});
        const auto content = contentOf(i);
        if (table[i].sh_type == SHT_NOBITS) table[i].sh_offset = written.size();
        if (content.empty()) continue;
        align(written, table[i].sh_addralign);
        table[i].sh_offset = written.size();
        table[i].sh_size = content.size();
        written.insert(written.end(), content.begin(), content.end());
    }
    align(written, alignof(Elf64_Shdr));
    moved.e_shoff = written.size();
    for (const Elf64_Shdr& entry : table) append(written, entry);
    if (header.e_phnum != 0) moved.e_phoff = written.size();
    for (Elf64_Phdr segment : movedSegments(header, table)) {
        if (segment.p_offset == header.e_phoff) segment.p_offset = moved.e_phoff;
        append(written, segment);
    }
    std::memcpy(written.data(), &moved, sizeof moved);
    return written;
}

}  // namespace zetl::instrumentation
