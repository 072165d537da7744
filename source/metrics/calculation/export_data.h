// Exported data: raw reports with everything that is needed to calculate them anywhere and at any time.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"
#include "metrics/calculation/calculator.h"

namespace zetl::metrics {

/// The beginning of exported data; the descriptor as JSON and the raw data follow. Little endian.
struct ExportHead {
    static constexpr std::uint32_t kVersion = 1;
    static constexpr std::uint64_t kMostDescriptorBytes = 4 << 20;
    char magic[8] = {'Z', 'E', 'T', 'L', 'M', 'E', 'T', 'R'};
    std::uint32_t version = kVersion;
    std::uint32_t headBytes = sizeof(ExportHead);  ///< a later version may have more; the JSON is behind it
    std::uint64_t descriptorBytes = 0;
    std::uint64_t rawBytes = 0;
};
static_assert(sizeof(ExportHead) == 32);

struct ExportedData {
    std::unique_ptr<const Calculator> calculator;
    std::span<const std::byte> raw;  ///< a part of the bytes that were read
};

/// The size of exported data for so many raw bytes.
std::size_t exportedBytes(const Descriptor& descriptor, std::size_t rawBytes);
/// Writes that many bytes.
void exportData(const Descriptor& descriptor, std::span<const std::byte> raw, std::byte* target);

/// True for bytes that begin like our exported data, of any version.
bool isExportedData(std::span<const std::byte> bytes) noexcept;

/// Accepts any bytes. INVALID_ARGUMENT, with a log line, for bytes that are no exported data, have another version, or
/// contradict themselves; INVALID_SIZE if a part is missing.
Result<ExportedData> readExportedData(std::span<const std::byte> bytes);

}  // namespace zetl::metrics
