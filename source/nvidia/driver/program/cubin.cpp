#include "nvidia/driver/program/cubin.h"

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace zetl::nvidia {
namespace {

constexpr std::string_view kCode = ".text.";

template <class T>
std::optional<T> readAt(std::span<const std::uint8_t> bytes, std::uint64_t offset) noexcept {
    T value{};
    if (offset > bytes.size() || bytes.size() - offset < sizeof value) return std::nullopt;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

std::string_view textAt(std::span<const std::uint8_t> bytes, std::uint64_t offset) noexcept {
    if (offset >= bytes.size()) return {};
    const auto* const text = reinterpret_cast<const char*>(bytes.data() + offset);
    return {text, strnlen(text, bytes.size() - offset)};
}

bool liesWithin(std::span<const std::uint8_t> bytes, const Elf64_Shdr& section) noexcept {
    return section.sh_offset <= bytes.size() && section.sh_size <= bytes.size() - section.sh_offset;
}

}  // namespace

std::vector<CodeSection> codeSectionsOf(std::span<const std::uint8_t> cubin) {
    const auto head = readAt<Elf64_Ehdr>(cubin, 0);
    if (kindOf(cubin) != NativeKind::cubin || !head || head->e_shentsize < sizeof(Elf64_Shdr)) return {};
    const auto placeOf = [&](std::uint64_t index) { return head->e_shoff + index * head->e_shentsize; };
    const auto names = readAt<Elf64_Shdr>(cubin, placeOf(head->e_shstrndx));
    if (!names || !liesWithin(cubin, *names)) return {};
    std::vector<CodeSection> all;
    for (std::uint64_t i = 0; i < head->e_shnum; ++i) {
        const auto section = readAt<Elf64_Shdr>(cubin, placeOf(i));
        if (!section || section->sh_type != SHT_PROGBITS || !liesWithin(cubin, *section)) continue;
        const auto name = textAt(cubin.subspan(names->sh_offset, names->sh_size), section->sh_name);
        if (!name.starts_with(kCode)) continue;
        all.push_back({std::string(name.substr(kCode.size())), section->sh_offset, section->sh_size,
                       placeOf(i) + offsetof(Elf64_Shdr, sh_addr)});
    }
    return all;
}

Bytes placedAt(Bytes cubin, std::uint64_t address) {
    for (const auto& each : codeSectionsOf(cubin)) {
        const std::uint64_t place = address + each.offset;
        std::memcpy(cubin.data() + each.addressField, &place, sizeof place);
    }
    return cubin;
}

}  // namespace zetl::nvidia
