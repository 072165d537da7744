#include "binary/device_binary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "binary/archive.h"
#include "binary/elf_file.h"
#include "binary/patch_token_format.h"
#include "binary/recorded_options.h"

namespace zetl::binary {
namespace {

constexpr std::string_view kForAllDevices = "generic_ir";
constexpr std::string_view kZebinOptions = ".misc.buildOptions";
constexpr std::size_t kNamed = 16;  ///< members in a message

using Members = std::vector<ArchiveMember>;

/// Names are parts with dots between: 64.12.60.7, 64.pvc.7.
bool isWithin(std::string_view name, std::string_view whole) {
    return name.starts_with(whole) && (name.size() == whole.size() || name[whole.size()] == '.');
}

/// The names of binaries for the device, the best first.
std::array<std::string, 4> namesOf(const isa::xe::Product& device) {
    const isa::xe::IpVersion& ip = device.ip;
    return {fmt::format("64.{}.{}.{}", ip.major, ip.minor, ip.revision),
            fmt::format("64.{}.{}", device.name, ip.revision), fmt::format("64.{}.{}", ip.major, ip.minor),
            fmt::format("64.{}", device.name)};
}

/// At most one a name.
std::vector<const ArchiveMember*> candidates(const Members& members, const isa::xe::Product& device) {
    std::vector<const ArchiveMember*> found;
    for (const std::string& name : namesOf(device)) {
        const auto member =
            std::ranges::find_if(members, [&](const ArchiveMember& each) { return isWithin(each.name, name); });
        if (member != members.end() && std::ranges::count(found, &*member) == 0) found.push_back(&*member);
    }
    return found;
}

std::string listOf(const Members& members) {
    std::string list;
    for (std::size_t i = 0; i < std::min(members.size(), kNamed); ++i) list += (i ? ", " : "") + members[i].name;
    if (members.size() > kNamed) list += fmt::format(" and {} more", members.size() - kNamed);
    return list.empty() ? "nothing" : list;
}

/// Of an ELF file, whatever it is besides.
std::optional<CarriedSpirv> spirvOf(std::span<const std::uint8_t> bytes) {
    const auto file = readElf(bytes);
    if (!file) return std::nullopt;
    const auto code = std::ranges::find(file->sections, patch::kSectionSpirv, &ElfFile::Section::type);
    if (code == file->sections.end() || code->content.size() == 0) return std::nullopt;
    CarriedSpirv carried{code->content.bytes(), {}};
    for (const ElfFile::Section& section : file->sections) {
        if (section.name != kZebinOptions && section.type != patch::kSectionOptions) continue;
        const std::string_view text(reinterpret_cast<const char*>(section.content.begin()), section.content.size());
        carried.buildOptions = withoutAddedSwitch(text.substr(0, text.find('\0')));
    }
    return carried;
}

}  // namespace

Outcome<std::span<const std::uint8_t>> binaryFor(std::span<const std::uint8_t> bytes, const isa::xe::Product& device) {
    if (!isArchive(bytes)) return bytes;
    const auto members = readArchive(bytes);
    if (!members) return members.error();
    std::string reasons;
    for (const ArchiveMember* member : candidates(*members, device)) {
        const auto image = readBinary(member->content, device);
        if (image) return member->content;
        reasons += fmt::format("; {}: {}", member->name, image.error().message);
    }
    return Error{
        Cause::wrongDevice,
        fmt::format("the archive has no binary that this device takes (64.{}.{}.{}, 64.{}); it "
                    "has {}{}",
                    device.ip.major, device.ip.minor, device.ip.revision, device.name, listOf(*members), reasons)};
}

std::optional<CarriedSpirv> carriedSpirv(std::span<const std::uint8_t> bytes, const isa::xe::Product& device) {
    if (!isArchive(bytes)) return spirvOf(bytes);
    const auto members = readArchive(bytes);
    if (!members) return std::nullopt;
    for (const ArchiveMember* member : candidates(*members, device))
        if (auto carried = spirvOf(member->content)) return carried;
    for (const ArchiveMember& member : *members)
        if (isWithin(member.name, kForAllDevices)) return spirvOf(member.content);
    return std::nullopt;
}

}  // namespace zetl::binary
