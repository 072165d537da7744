#include "metrics/streamer.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "device/status.h"
#include "metrics/report.h"

namespace zetl::metrics {
namespace {

/// What the hardware's 16 MiB hold of reports of 256 bytes, whatever is asked for. A reader that waits for the largest
/// notification, half of them, has as long again before one is lost.
constexpr std::uint64_t kCapacity = 65536;
constexpr std::uint64_t kMostNotify = kCapacity / 2;
/// A notification is looked for this many times in the time that its reports take, once the last of them may come.
constexpr int kLooks = 40;
constexpr std::chrono::microseconds kShortestLook{50};

}  // namespace

Result<std::shared_ptr<Streamer>> Streamer::open(DeviceState& state, std::shared_ptr<Group> group,
                                                 zet_metric_streamer_desc_t& desc, ze_event_handle_t notification) {
    auto lease = state.acquire(ZETL_SOURCE_STREAM);
    if (!lease) return lease.code();
    std::shared_ptr<Streamer> streamer(new Streamer(state, std::move(group), notification));
    streamer->lease_ = std::move(*lease);
    if (const auto status = streamer->start(desc); status != ZETL_OK) {
        log::warn(log::Module::metrics, "streamer on {} cannot be opened: {}", streamer->group_->name(),
                  device::nameOf(status));
        return device::resultOf(status);
    }
    return streamer;
}

zetl_status_t Streamer::start(zet_metric_streamer_desc_t& desc) {
    notifyAt_ = std::clamp<std::uint64_t>(desc.notifyEveryNReports, 1, kMostNotify);
    zetl_stream_options_t options{};
    options.size = sizeof options;
    options.period_ns = std::max<std::uint64_t>(desc.samplingPeriod, group_->shortestPeriod());
    options.capacity = kCapacity;
    const auto& plan = group_->plan();
    if (const auto status = functions().open(*lease_, plan.data(), plan.size(), &options, &stream_); status != ZETL_OK)
        return status;
    capacity_ = options.capacity;
    period_ = std::chrono::nanoseconds(options.period_ns);
    notifyAt_ = std::min(notifyAt_, capacity_);
    desc.notifyEveryNReports = static_cast<std::uint32_t>(notifyAt_);
    desc.samplingPeriod = static_cast<std::uint32_t>(std::min<std::uint64_t>(options.period_ns, UINT32_MAX));
    return functions().start(stream_);
}

Streamer::~Streamer() {
    if (stream_ != 0) functions().close(stream_);
}

std::chrono::nanoseconds Streamer::untilNotification() const {
    std::uint64_t pending = 0;
    if (functions().pending(stream_, &pending) != ZETL_OK) return std::chrono::nanoseconds::max();
    if (pending >= notifyAt_) return std::chrono::nanoseconds(0);
    const auto missing = static_cast<std::int64_t>(notifyAt_ - pending);
    if (missing > 1) return (missing - 1) * period_;  // the next comes at any time within its period
    const auto look = static_cast<std::int64_t>(notifyAt_) * period_ / kLooks;
    return std::max<std::chrono::nanoseconds>(std::min(look, period_), kShortestLook);
}

ze_result_t Streamer::read(std::uint32_t maxReports, std::size_t* size, std::uint8_t* target) {
    const std::uint64_t most = std::min<std::uint64_t>(maxReports, capacity_);
    if (*size == 0) {
        *size = most * group_->reportBytes();
        return ZE_RESULT_SUCCESS;
    }
    if (!target) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return take(std::min<std::uint64_t>(most, *size / group_->reportBytes()), size, target);
}

/// The most that a drain can give now: what waits, what comes meanwhile, and a report that is repeated.
std::uint64_t Streamer::waiting() const {
    constexpr std::uint64_t kMeanwhile = 64;
    std::uint64_t pending = 0;
    return functions().pending(stream_, &pending) == ZETL_OK ? pending + kMeanwhile : capacity_;
}

ze_result_t Streamer::take(std::uint64_t reports, std::size_t* size, std::uint8_t* target) {
    const std::lock_guard guard(reading_);
    reports = std::min(reports, waiting());
    const auto deviceBytes = group_->deviceReportBytes();
    std::vector<std::byte> bytes(reports * deviceBytes);
    std::vector<zetl_report_info_t> infos(reports);
    zetl_loss_t loss{};
    loss.size = sizeof loss;
    std::uint64_t count = 0;
    const auto status = functions().drain(stream_, reports, bytes.data(), infos.data(), &count, &loss);
    count = std::min(count, reports);
    *size = count * group_->reportBytes();
    if (status != ZETL_OK) return device::resultOf(status);
    for (std::uint64_t i = 0; i < count; ++i) {
        const ReportHead head{infos[i].time, infos[i].reason, infos[i].marker};
        auto* report = target + i * group_->reportBytes();
        std::memcpy(report, &head, sizeof head);
        std::memcpy(report + sizeof head, bytes.data() + i * deviceBytes, deviceBytes);
    }
    if (loss.kind == ZETL_LOSS_NONE) return ZE_RESULT_SUCCESS;
    log::warn(log::Module::metrics, "streamer on {} lost {} reports: read more often or sample less often",
              group_->name(), loss.reports);
    return ZE_RESULT_WARNING_DROPPED_DATA;
}

ze_result_t Streamer::mark(ze_command_list_handle_t list, std::uint32_t value) {
    return device::resultOf(functions().marker(stream_, list, value));
}

}  // namespace zetl::metrics
