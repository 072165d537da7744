// Exported data: raw reports with everything that is needed to calculate them, anywhere and later.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"
#include "metrics/calculation/calculator.h"

namespace zetl::metrics {

/// What exported data begin with; behind it the descriptor as JSON, then the raw data. Little endian.
struct ExportHead {
    static constexpr std::uint32_t kVersion = 1;
    static constexpr std::uint64_t kMostDescriptorBytes = 4 << 20;
    char magic[8] = {'Z', 'E', 'T', 'L', 'M', 'E', 'T', 'R'};
    std::uint32_t version = kVersion;
    std::uint32_t headBytes = sizeof(ExportHead);  ///< a later version may have more; the rest is behind it
    std::uint64_t descriptorBytes = 0;
    std::uint64_t rawBytes = 0;
};
static_assert(sizeof(ExportHead) == 32);

struct ExportedData {
    std::unique_ptr<const Calculator> calculator;
    std::span<const std::byte> raw;  ///< in what was read
};

/// As many bytes as exporting so many raw bytes takes.
std::size_t exportedBytes(const Descriptor& descriptor, std::size_t rawBytes);
/// Writes that many.
void exportData(const Descriptor& descriptor, std::span<const std::byte> raw, std::byte* target);

/// True for bytes that begin as exported data of ours do, of whatever version.
bool isExportedData(std::span<const std::byte> bytes) noexcept;

/// Any bytes. INVALID_ARGUMENT, with a log line, for what is no exported data, of another version, or contradicts
/// itself; INVALID_SIZE if a part is missing.
Result<ExportedData> readExportedData(std::span<const std::byte> bytes);

}  // namespace zetl::metrics
