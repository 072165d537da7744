#include "binary/intel_notes.h"

#include <fmt/format.h>

#include <cstring>

#include "binary/dwarf_bytes.h"

namespace zetl::binary {
namespace {

constexpr std::string_view kOwner = "IntelGT";
enum NoteType : std::uint32_t { kProductFamily = 1, kCoreFamily = 2, kTargetMetadata = 3 };

constexpr std::uint64_t padded(std::uint64_t bytes) noexcept { return (bytes + 3) / 4 * 4; }

// Bits of the target metadata word.
constexpr std::uint32_t minimumRevision(std::uint32_t word) noexcept { return word >> 8 & 31; }
constexpr bool revisionsBind(std::uint32_t word) noexcept { return word >> 13 & 1; }
constexpr std::uint32_t maximumRevision(std::uint32_t word) noexcept { return word >> 16 & 31; }

struct Notes {
    Target& target;
    bool revisionsBind = false;  ///< the code must not run outside of the target's revisions
};
void readNote(std::uint32_t type, std::uint32_t value, Notes& notes) {
    Target& target = notes.target;
    switch (type) {
        case kProductFamily:
            target.productFamily = value;
            break;
        case kCoreFamily:
            target.coreFamily = value;
            break;
        case kTargetMetadata:
            target.minimumRevision = minimumRevision(value);
            target.maximumRevision = maximumRevision(value);
            notes.revisionsBind = revisionsBind(value);
            break;
        default:
            break;
    }
}

/// Calls visit(type, offset of the value) for each of our notes with a value of one word. False: a note is cut off.
template <class Visit>
bool eachNote(ByteView section, Visit&& visit) {
    for (std::uint64_t offset = 0; offset < section.size();) {
        const auto nameBytes = section.read<std::uint32_t>(offset);
        const auto valueBytes = section.read<std::uint32_t>(offset + 4);
        const auto type = section.read<std::uint32_t>(offset + 8);
        if (!type) return false;
        const std::uint64_t name = offset + 12;
        const std::uint64_t value = name + padded(*nameBytes);
        if (!section.holds(name, *nameBytes) || !section.holds(value, *valueBytes)) return false;
        if (section.text(name) == kOwner && *valueBytes == sizeof(std::uint32_t)) visit(*type, value);
        offset = value + padded(*valueBytes);
    }
    return true;
}

/// "bmg (product family 0x4fa)": the device that the notes name, by the number that they have for it.
std::string namedFamily(const Target& target) {
    const std::string number = target.productFamily != 0 ? fmt::format("product family {:#x}", target.productFamily)
                                                         : fmt::format("core family {:#x}", target.coreFamily);
    const isa::xe::Product* const product = isa::xe::findProduct(target.productFamily, target.coreFamily);
    return product != nullptr ? fmt::format("{} ({})", product->name, number) : number;
}

}  // namespace

std::optional<Error> readNotes(const ElfFile& file, const isa::xe::Product& device, Target& target) {
    target.product = device;
    const ElfFile::Section* section = file.find(kCompatibilityNotes);
    if (section == nullptr) return std::nullopt;
    Notes notes{target};
    const ByteView content = section->content;
    if (!eachNote(content, [&](std::uint32_t type, std::uint64_t value) {
            readNote(type, *content.read<std::uint32_t>(value), notes);
        }))
        return Error{Cause::damaged, ".note.intelgt.compat: a note is cut off"};
    if (target.productFamily != 0 && target.productFamily != device.productFamily)
        return Error{
            Cause::wrongDevice,
            fmt::format("the binary is for {}, the device is {} (product family {:#x}); compile with -device {}",
                        namedFamily(target), device.name, device.productFamily, device.name)};
    if (target.productFamily == 0 && target.coreFamily != 0 && target.coreFamily != device.coreFamily)
        return Error{Cause::wrongDevice,
                     fmt::format("the binary is for {}, the device is {} (core family {:#x}); compile with -device {}",
                                 namedFamily(target), device.name, device.coreFamily, device.name)};
    if (notes.revisionsBind &&
        (device.ip.revision < *target.minimumRevision || device.ip.revision > *target.maximumRevision))
        return Error{
            Cause::wrongDevice,
            fmt::format("the binary is for revisions {} to {}, the device is of revision {}; compile with -device {}",
                        *target.minimumRevision, *target.maximumRevision, device.ip.revision, device.name)};
    return std::nullopt;
}

const isa::xe::Product* statedProduct(const ElfFile& file) {
    const ElfFile::Section* section = file.find(kCompatibilityNotes);
    if (section == nullptr) return nullptr;
    Target stated;
    Notes notes{stated};
    const ByteView content = section->content;
    eachNote(content, [&](std::uint32_t type, std::uint64_t value) {
        readNote(type, *content.read<std::uint32_t>(value), notes);
    });
    return isa::xe::findProduct(stated.productFamily, stated.coreFamily);
}

Bytes writeFamilies(const Target& target) {
    Bytes section;
    const auto note = [&](NoteType type, std::uint32_t value) {
        appendFixed(section, static_cast<std::uint32_t>(kOwner.size() + 1));
        appendFixed(section, static_cast<std::uint32_t>(sizeof value));
        appendFixed<std::uint32_t>(section, type);
        section.insert(section.end(), kOwner.begin(), kOwner.end());
        section.resize(padded(section.size() + 1));
        appendFixed(section, value);
    };
    note(kProductFamily, target.productFamily);
    note(kCoreFamily, target.coreFamily);
    return section;
}

void stateFamilies(std::span<std::uint8_t> section, const isa::xe::Product& device) {
    const ByteView content(section);
    eachNote(content, [&](std::uint32_t type, std::uint64_t value) {
        const std::uint32_t family = type == kProductFamily ? device.productFamily
                                     : type == kCoreFamily  ? device.coreFamily
                                                            : 0;
        if (*content.read<std::uint32_t>(value) == 0) std::memcpy(&section[value], &family, sizeof family);
    });
}

}  // namespace zetl::binary
