#include "metrics/report_source.h"

#include "base/log.h"
#include "device/status.h"
#include "metrics/counter_source.h"
#include "metrics/sample_source.h"

namespace zetl::metrics {

Result<std::unique_ptr<ReportSource>> openReports(DeviceState& tile, const Measurement& measured,
                                                  const StreamTerms& asked) {
    auto lease = tile.acquire(measured.source());
    if (!lease) return lease.code();
    std::unique_ptr<ReportSource> source;
    if (measured.source() == ZETL_SOURCE_SAMPLING)
        source = std::make_unique<SampleSource>(tile.device(), measured, std::move(*lease));
    else
        source = std::make_unique<CounterSource>(tile.device(), measured, std::move(*lease));
    const auto status = source->start(asked);
    if (status == ZETL_OK) return source;
    log::warn(log::Channel::metrics, "streamer on {} cannot be opened: {}", measured.descriptor().name,
              device::nameOf(status));
    return device::resultOf(status);
}

}  // namespace zetl::metrics
