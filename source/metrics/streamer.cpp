#include "metrics/streamer.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "device/status.h"
#include "metrics/calculation/raw_sets.h"
#include "metrics/calculation/report.h"

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

Result<std::shared_ptr<Streamer>> Streamer::open(const std::vector<DeviceState*>& tiles,
                                                 std::shared_ptr<const Measurement> measured,
                                                 zet_metric_streamer_desc_t& desc, ze_event_handle_t notification) {
    std::shared_ptr<Streamer> streamer(new Streamer(std::move(measured), notification));
    for (auto* tile : tiles)
        if (const auto result = streamer->add(*tile, desc); result != ZE_RESULT_SUCCESS) return result;
    return streamer;
}

ze_result_t Streamer::add(DeviceState& state, zet_metric_streamer_desc_t& desc) {
    auto lease = state.acquire(ZETL_SOURCE_STREAM);
    if (!lease) return lease.code();
    auto& tile = *tiles_.emplace_back(std::make_unique<Tile>(state));
    tile.lease = std::move(*lease);
    const auto status = start(tile, desc);
    if (status == ZETL_OK) return ZE_RESULT_SUCCESS;
    log::warn(log::Module::metrics, "streamer on {} cannot be opened: {}", measured_->descriptor().name,
              device::nameOf(status));
    return device::resultOf(status);
}

zetl_status_t Streamer::start(Tile& tile, zet_metric_streamer_desc_t& desc) {
    notifyAt_ = std::clamp<std::uint64_t>(desc.notifyEveryNReports, 1, kMostNotify);
    zetl_stream_options_t options{};
    options.size = sizeof options;
    options.period_ns = std::max<std::uint64_t>(desc.samplingPeriod, measured_->shortestPeriod());
    options.capacity = kCapacity;
    const auto& plan = measured_->plan();
    if (const auto status = tile.functions().open(*tile.lease, plan.data(), plan.size(), &options, &tile.stream);
        status != ZETL_OK)
        return status;
    capacity_ = options.capacity;
    period_ = std::chrono::nanoseconds(options.period_ns);
    notifyAt_ = std::min(notifyAt_, capacity_);
    desc.notifyEveryNReports = static_cast<std::uint32_t>(notifyAt_);
    desc.samplingPeriod = static_cast<std::uint32_t>(std::min<std::uint64_t>(options.period_ns, UINT32_MAX));
    return tile.functions().start(tile.stream);
}

Streamer::Tile::~Tile() {
    if (stream != 0) functions().close(stream);
}

/// UINT64_MAX if it is not known.
std::uint64_t Streamer::Tile::pending() const {
    std::uint64_t count = 0;
    return functions().pending(stream, &count) == ZETL_OK ? count : UINT64_MAX;
}

bool Streamer::samples(const device::Device& device) const noexcept {
    return std::ranges::any_of(tiles_, [&](const auto& tile) {
        const auto& sampled = tile->state.device();
        return &sampled == &device || (sampled.parent() != 0 && sampled.parent() == device.id());
    });
}

std::chrono::nanoseconds Streamer::untilNotification() const {
    std::uint64_t pending = 0;  // any tile may have them
    for (const auto& tile : tiles_) {
        const auto waiting = tile->pending();
        if (waiting == UINT64_MAX) return std::chrono::nanoseconds::max();
        pending = std::max(pending, waiting);
    }
    if (pending >= notifyAt_) return std::chrono::nanoseconds(0);
    const auto missing = static_cast<std::int64_t>(notifyAt_ - pending);
    if (missing > 1) return (missing - 1) * period_;  // the next comes at any time within its period
    const auto look = static_cast<std::int64_t>(notifyAt_) * period_ / kLooks;
    return std::max<std::chrono::nanoseconds>(std::min(look, period_), kShortestLook);
}

std::size_t Streamer::headBytes() const noexcept { return tiles_.size() > 1 ? sizeof(TileHead) : 0; }

ze_result_t Streamer::read(std::uint32_t maxReports, std::size_t* size, std::uint8_t* target) {
    const std::uint64_t most = std::min<std::uint64_t>(maxReports, capacity_);
    if (*size == 0) {
        *size = tiles_.size() * (headBytes() + most * measured_->reportBytes());
        return ZE_RESULT_SUCCESS;
    }
    if (!target) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const auto room = *size / tiles_.size();
    const auto fitting = room > headBytes() ? (room - headBytes()) / measured_->reportBytes() : 0;
    const Lock guard(reading_);
    const auto reports = std::min<std::uint64_t>(most, fitting);
    return tiles_.size() == 1 ? take(*tiles_[0], reports, size, target) : takeAll(reports, size, target);
}

/// As much of every tile, whatever one of them answers. A tile that has none is left out.
ze_result_t Streamer::takeAll(std::uint64_t reports, std::size_t* size, std::uint8_t* target) {
    auto worst = ZE_RESULT_SUCCESS;
    auto* at = target;
    TileHead head{.sets = static_cast<std::uint32_t>(tiles_.size())};
    for (const auto& tile : tiles_) {
        std::size_t bytes = 0;
        const auto result = take(*tile, reports, &bytes, at + sizeof head);
        if (result != ZE_RESULT_SUCCESS) worst = result;
        head.bytes = bytes;
        if (bytes > 0) {
            std::memcpy(at, &head, sizeof head);
            at += sizeof head + bytes;
        }
        ++head.set;
    }
    *size = static_cast<std::size_t>(at - target);
    return worst;
}

ze_result_t Streamer::take(const Tile& tile, std::uint64_t reports, std::size_t* size, std::uint8_t* target) {
    // What waits, what comes meanwhile, and a report that is repeated.
    constexpr std::uint64_t kMeanwhile = 64;
    const auto pending = tile.pending();
    reports = std::min(reports, pending == UINT64_MAX ? capacity_ : pending + kMeanwhile);
    const auto deviceBytes = measured_->deviceReportBytes();
    std::vector<std::byte> bytes(reports * deviceBytes);
    std::vector<zetl_report_info_t> infos(reports);
    zetl_loss_t loss{};
    loss.size = sizeof loss;
    std::uint64_t count = 0;
    const auto status = tile.functions().drain(tile.stream, reports, bytes.data(), infos.data(), &count, &loss);
    count = std::min(count, reports);
    *size = count * measured_->reportBytes();
    if (status != ZETL_OK) return device::resultOf(status);
    for (std::uint64_t i = 0; i < count; ++i) {
        const ReportHead head{infos[i].time, infos[i].reason, infos[i].marker};
        auto* report = target + i * measured_->reportBytes();
        std::memcpy(report, &head, sizeof head);
        std::memcpy(report + sizeof head, bytes.data() + i * deviceBytes, deviceBytes);
    }
    if (loss.kind == ZETL_LOSS_NONE) return ZE_RESULT_SUCCESS;
    log::warn(log::Module::metrics, "streamer on {} lost {} reports: read more often or sample less often",
              measured_->descriptor().name, loss.reports);
    return ZE_RESULT_WARNING_DROPPED_DATA;
}

ze_result_t Streamer::mark(ze_command_list_handle_t list, std::uint32_t value) {
    for (const auto& tile : tiles_)
        if (const auto status = tile->functions().marker(tile->stream, list, value); status != ZETL_OK)
            return device::resultOf(status);
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::metrics
