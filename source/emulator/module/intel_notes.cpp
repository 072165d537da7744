#include "emulator/module/intel_notes.h"

#include <fmt/format.h>

namespace zetl::emulator::module {
namespace {

constexpr std::string_view kOwner = "IntelGT";
enum NoteType : std::uint32_t { kProductFamily = 1, kCoreFamily = 2, kTargetMetadata = 3 };

constexpr std::uint64_t padded(std::uint64_t bytes) noexcept { return (bytes + 3) / 4 * 4; }

// Bits of the target metadata word.
constexpr std::uint32_t minimumRevision(std::uint32_t word) noexcept { return word >> 8 & 31; }
constexpr std::uint32_t maximumRevision(std::uint32_t word) noexcept { return word >> 16 & 31; }

void readNote(std::uint32_t type, std::uint32_t value, Target& target) {
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
            break;
        default:
            break;
    }
}

bool readSection(ByteView notes, Target& target) {
    for (std::uint64_t offset = 0; offset < notes.size();) {
        const auto nameBytes = notes.read<std::uint32_t>(offset), valueBytes = notes.read<std::uint32_t>(offset + 4),
                   type = notes.read<std::uint32_t>(offset + 8);
        if (!type) return false;
        const std::uint64_t name = offset + 12, value = name + padded(*nameBytes);
        if (!notes.holds(name, *nameBytes) || !notes.holds(value, *valueBytes)) return false;
        if (notes.text(name) == kOwner && *valueBytes == sizeof(std::uint32_t))
            readNote(*type, *notes.read<std::uint32_t>(value), target);
        offset = value + padded(*valueBytes);
    }
    return true;
}

}  // namespace

std::optional<Error> readNotes(const ElfFile& file, const DeviceIdentity& device, Target& target) {
    const ElfFile::Section* section = file.find(".note.intelgt.compat");
    if (section == nullptr) return std::nullopt;
    if (!readSection(section->content, target)) return Error{Cause::damaged, ".note.intelgt.compat: a note is cut off"};
    if (target.productFamily != 0 && target.productFamily != device.productFamily)
        return Error{
            Cause::wrongDevice,
            fmt::format("the binary is for product family {:#x}, the device is of {:#x}; compile with -device pvc",
                        target.productFamily, device.productFamily)};
    if (target.productFamily == 0 && target.coreFamily != 0 && target.coreFamily != device.coreFamily)
        return Error{Cause::wrongDevice, fmt::format("the binary is for core family {:#x}, the device is of {:#x}",
                                                     target.coreFamily, device.coreFamily)};
    return std::nullopt;
}

}  // namespace zetl::emulator::module
