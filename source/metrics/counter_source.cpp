#include "metrics/counter_source.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "device/status.h"
#include "metrics/calculation/report.h"

namespace zetl::metrics {
namespace {

/// What the hardware's 16 MiB hold of reports of 256 bytes; programs can ask for fewer. A reader that waits for the
/// largest notification, half of them, has as long again before one is lost.
constexpr std::uint64_t kCapacity = 65536;
constexpr std::uint64_t kMostNotify = kCapacity / 2;

}  // namespace

zetl_status_t CounterSource::start(const StreamTerms& asked) {
    zetl_stream_options_t options{};
    options.size = sizeof options;
    options.period_ns =
        std::max<std::uint64_t>(static_cast<std::uint64_t>(asked.period.count()), measured_.shortestPeriod());
    options.capacity = asked.capacity == 0 ? kCapacity : std::min(asked.capacity, kCapacity);
    const auto& plan = measured_.plan();
    if (const auto status = functions().open(*lease_, plan.data(), plan.size(), &options, &stream_); status != ZETL_OK)
        return status;
    terms_ = {std::chrono::nanoseconds(options.period_ns), options.capacity, std::min(kMostNotify, options.capacity)};
    return functions().start(stream_);
}

CounterSource::~CounterSource() {
    if (stream_ != 0) functions().close(stream_);
}

std::uint64_t CounterSource::pending() const {
    std::uint64_t count = 0;
    return functions().pending(stream_, &count) == ZETL_OK ? count : UINT64_MAX;
}

ze_result_t CounterSource::take(std::uint64_t reports, std::size_t* size, std::uint8_t* target) {
    // What waits, what comes meanwhile, and a report that is repeated.
    constexpr std::uint64_t kMeanwhile = 64;
    const auto waiting = pending();
    reports = std::min(reports, waiting == UINT64_MAX ? terms_.capacity : waiting + kMeanwhile);
    const auto deviceBytes = measured_.deviceReportBytes();
    std::vector<std::byte> bytes(reports * deviceBytes);
    std::vector<zetl_report_info_t> infos(reports);
    zetl_loss_t loss{};
    loss.size = sizeof loss;
    std::uint64_t count = 0;
    const auto status = functions().drain(stream_, reports, bytes.data(), infos.data(), &count, &loss);
    count = std::min(count, reports);
    *size = count * measured_.reportBytes();
    if (status != ZETL_OK) return device::resultOf(status);
    for (std::uint64_t i = 0; i < count; ++i) {
        const ReportHead head{infos[i].time, infos[i].reason, infos[i].marker};
        auto* report = target + i * measured_.reportBytes();
        std::memcpy(report, &head, sizeof head);
        std::memcpy(report + sizeof head, bytes.data() + i * deviceBytes, deviceBytes);
    }
    if (loss.kind == ZETL_LOSS_NONE) return ZE_RESULT_SUCCESS;
    log::warn(log::Channel::metrics, "streamer on {} lost {} reports: read more often or sample less often",
              measured_.descriptor().name, loss.reports);
    return ZE_RESULT_WARNING_DROPPED_DATA;
}

ze_result_t CounterSource::mark(ze_command_list_handle_t list, std::uint32_t value) {
    return device::resultOf(functions().marker(stream_, list, value));
}

}  // namespace zetl::metrics
