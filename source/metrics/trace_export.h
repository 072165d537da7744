// What a tracer exports: all that is needed to read its raw data without it, without a device and without a driver.
// docs/reference/metrics.md describes the bytes for readers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "metrics/metric_tracer.h"

namespace zetl::metrics {

struct TraceExportHead {
    static constexpr std::uint32_t kMark = 0x4554'545a;
    static constexpr std::uint32_t kVersion = 1;
    std::uint32_t mark = kMark;
    std::uint32_t version = kVersion;
    std::uint64_t ticksPerSecond = 0;
    std::uint32_t validBits = 0;
    std::uint32_t sets = 0;         ///< tiles; 1 for a device without
    std::uint32_t recordBytes = 0;  ///< of the raw data
    std::uint32_t metrics = 0;      ///< so many TraceExportMetric follow
};
static_assert(sizeof(TraceExportHead) == 32);

struct TraceExportMetric {
    std::uint32_t event = 0;  ///< the number in the records; UINT32_MAX: no record is of it
    std::uint32_t type = 0;   ///< zet_metric_type_t
    std::uint32_t value = 0;  ///< zet_value_type_t
    std::uint32_t reserved = 0;
    char name[ZET_MAX_METRIC_NAME] = {};
};
static_assert(sizeof(TraceExportMetric) == 16 + ZET_MAX_METRIC_NAME);

std::size_t exportedBytes(const TraceContent& content) noexcept;
/// `to` has room for exportedBytes().
void exportTrace(const TraceContent& content, std::byte* to);

}  // namespace zetl::metrics
