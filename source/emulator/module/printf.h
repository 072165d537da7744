// Turns the records that kernels leave in their printf buffer into text.
//
// Buffer: u32 bytes used (the host starts it at kPrintfHeaderBytes), then records: u64 address of the format string,
// and for each conversion u32 type and the value, all packed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace zetl::emulator::module {

inline constexpr std::uint32_t kPrintfHeaderBytes = 4;
inline constexpr std::uint32_t kPrintfBufferBytes = 4 << 20;  ///< the size compiled into kernels

/// Reads the NUL-terminated string at a device address; nothing if it is not readable.
using StringReader = std::function<std::optional<std::string>(std::uint64_t address)>;

/// All text the buffer holds. Records that contradict themselves end the text with a line that says so; a record that
/// did not fit (pointer all ones) ends it too. Conversions and flags are those of OpenCL C's printf, vectors
/// included; what the format asks for beyond the record's values is printed literally.
std::string printfText(std::span<const std::uint8_t> buffer, const StringReader& readString);

}  // namespace zetl::emulator::module
