// Archives (`ar`) of binaries for several devices, as `ocloc -device a,b` makes them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "binary/outcome.h"

namespace zetl::binary {

/// One file of an archive. The content points into the archive's bytes.
struct ArchiveMember {
    std::string name;
    std::span<const std::uint8_t> content;
};

/// Whether the bytes start like an archive.
bool isArchive(std::span<const std::uint8_t> bytes) noexcept;

/// The files of an archive, but for those that only keep the others aligned. A member that ends behind the archive, or
/// has no name, gives Cause::damaged.
Outcome<std::vector<ArchiveMember>> readArchive(std::span<const std::uint8_t> bytes);

}  // namespace zetl::binary
