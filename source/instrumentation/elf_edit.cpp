#include "instrumentation/elf_edit.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace zetl::instrumentation {
namespace {

constexpr std::size_t kMaxAlignment = 4096;

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
    if (!header || header->e_phnum != 0)
        return binary::Error{binary::Cause::unsupported, "ELF: files with program headers are loaded already"};
    if (header->e_shnum != file->sections.size())
        return binary::Error{binary::Cause::unsupported, "ELF: files with so many sections are not changed"};
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

std::vector<std::uint8_t> ElfEdit::write() const {
    const binary::ByteView view(bytes_);
    auto header = *view.read<Elf64_Ehdr>(0);
    std::vector<std::uint8_t> written(sizeof header);
    std::vector<Elf64_Shdr> table(file_.sections.size());
    std::vector<std::uint32_t> order(table.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return file_.sections[i].fileOffset; });
    for (const std::uint32_t i : order) {
        table[i] = view.read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)).value_or(Elf64_Shdr{});
        const auto content = contentOf(i);
        if (content.empty()) continue;
        align(written, table[i].sh_addralign);
        table[i].sh_offset = written.size();
        table[i].sh_size = content.size();
        written.insert(written.end(), content.begin(), content.end());
    }
    align(written, alignof(Elf64_Shdr));
    header.e_shoff = written.size();
    for (const Elf64_Shdr& entry : table) append(written, entry);
    std::memcpy(written.data(), &header, sizeof header);
    return written;
}

}  // namespace zetl::instrumentation
