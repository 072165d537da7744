// .note.intelgt.compat: which device a zebin was compiled for.
#pragma once

#include <optional>

#include "emulator/module/elf_file.h"
#include "emulator/module/native_binary.h"

namespace zetl::emulator::module {

/// Reads the notes into the target. Answers with the error that ends the reading: damaged notes, or a binary for
/// another product (wrongDevice). A file without notes is accepted.
std::optional<Error> readNotes(const ElfFile& file, const DeviceIdentity& device, Target& target);

}  // namespace zetl::emulator::module
