// .note.intelgt.compat: the device for which a zebin was compiled.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "binary/elf_file.h"
#include "binary/native_binary.h"

namespace zetl::binary {

/// Reads the notes into the target. Returns the error that ends the reading: damaged notes, or a binary for another
/// product (wrongDevice). A file without notes is accepted.
std::optional<Error> readNotes(const ElfFile& file, const isa::xe::Product& device, Target& target);

/// The product that the notes name, whatever runs here; null if they name none that is known.
const isa::xe::Product* statedProduct(const ElfFile& file);

/// The section with such notes.
inline constexpr std::string_view kCompatibilityNotes = ".note.intelgt.compat";

/// Such a section, with the families only.
Bytes writeFamilies(const Target& target);

/// Fills in the device's product and core family where the notes have 0, as some compilers leave the core family, so
/// that debuggers know the device of the code. Changes nothing else; stops at a note that is cut off.
void stateFamilies(std::span<std::uint8_t> section, const isa::xe::Product& device);

}  // namespace zetl::binary
