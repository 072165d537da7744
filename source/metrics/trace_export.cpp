#include "metrics/trace_export.h"

#include <cstring>

#include "metrics/fixed_text.h"

namespace zetl::metrics {

std::size_t exportedBytes(const TraceContent& content) noexcept {
    return sizeof(TraceExportHead) + content.metrics.size() * sizeof(TraceExportMetric);
}

void exportTrace(const TraceContent& content, std::byte* to) {
    const TraceExportHead head{.ticksPerSecond = content.clock.ticksPerSecond,
                               .validBits = content.clock.validBits,
                               .sets = content.sets,
                               .recordBytes = sizeof(TraceRecord),
                               .metrics = static_cast<std::uint32_t>(content.metrics.size())};
    std::memcpy(to, &head, sizeof head);
    to += sizeof head;
    for (const auto& metric : content.metrics) {
        const auto& column = metric->column();
        const auto event = tracedEventFrom(column.name);
        TraceExportMetric one{.event = event ? static_cast<std::uint32_t>(*event) : UINT32_MAX,
                              .type = static_cast<std::uint32_t>(column.type),
                              .value = static_cast<std::uint32_t>(column.value)};
        copyText(one.name, column.name);
        std::memcpy(to, &one, sizeof one);
        to += sizeof one;
    }
}

}  // namespace zetl::metrics
