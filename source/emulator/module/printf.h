// Turns the records that kernels leave in their printf buffer into text.
//
// Buffer: u32 bytes used (the host starts it at kPrintfHeaderBytes), then records: which format string, and for each
// conversion u32 type and the value, all packed, in whole words. The format string is given as
// - u64 address, in zebin of every compiler;
// - u64 length with the NUL and bit 63 set, then the string itself, in zebin of compilers of 2026 and later, for
//   formats that are only known at run time;
// - u32 number, in patch tokens, whose kernels have their strings listed.
// Where a record did not fit, a word of ones stands, or nothing if that did not fit either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "binary/kernel_image.h"

namespace zetl::emulator::module {

inline constexpr std::uint32_t kPrintfHeaderBytes = 4;
inline constexpr std::uint32_t kPrintfBufferBytes = 4 << 20;  ///< the size compiled into kernels

/// Reads the string at a device address up to its NUL, or as many characters as `longest`; nothing if it is not
/// readable.
using StringReader = std::function<std::optional<std::string>(std::uint64_t address, std::size_t longest)>;

/// All text in the buffer; like Intel's driver, the first 16383 characters of each record. Records that
/// contradict themselves end the text with a line that says so, and so do records that did not fit and text above 256
/// MiB. `mistakes`, if not null, gets a line for each conversion that is given no value, or one of another type.
/// Conversions and flags are those of OpenCL C's printf, vectors included; what the format asks for beyond the
/// record's values is printed literally. `numbered` is null where records have addresses.
std::string printfText(std::span<const std::uint8_t> buffer, const StringReader& readString,
                       const binary::NumberedStrings* numbered = nullptr, std::vector<std::string>* mistakes = nullptr);

}  // namespace zetl::emulator::module
