// Files of memory that several processes map.
#pragma once

#include <cstdint>

#include "base/file_descriptor.h"

namespace zetl::emulator::machine::shared_file {

/// What a file of this driver holds. Its name says so, which tells it from every other file.
enum class Content : std::uint8_t { memory, events };

/// Zeroed pages, closed on exec. The size is sealed: nobody who has the descriptor can take pages away. None, with a
/// log line, if the host refuses.
FileDescriptor create(Content content, std::uint64_t bytes) noexcept;
/// The same for callers that can do without: the host's refusal is not logged. The descriptor's number is high, where
/// it is in nobody's way.
FileDescriptor createSpare(Content content, std::uint64_t bytes) noexcept;
/// How many descriptors of createSpare() this process may keep without running short of its own.
std::uint64_t mostSpare() noexcept;

/// That many bytes are behind the descriptor: the first touch of a page beyond the end of a file ends the process.
bool holds(int descriptor, std::uint64_t bytes) noexcept;
/// The file cannot become shorter, so that its pages can be touched. Memory files that may still be sealed are sealed
/// by this call, which their exporter cannot notice unless it shortens them; DMA buffers have a fixed size.
bool keepsSize(int descriptor) noexcept;
/// create() made it, in whatever process.
bool isOwn(int descriptor, Content content) noexcept;

}  // namespace zetl::emulator::machine::shared_file
