#include "metrics/streamer.h"

#include <algorithm>
#include <cstring>

#include "metrics/buffer_size.h"
#include "metrics/calculation/raw_sets.h"

namespace zetl::metrics {
namespace {

/// A notification is looked for this many times in the time that its reports take, once the last of them may come.
constexpr int kLooks = 40;
constexpr std::chrono::microseconds kShortestLook{50};
/// Samples come as many a period as threads are loaded, or none at all.
constexpr std::chrono::milliseconds kSampleLook{1};

}  // namespace

Result<std::shared_ptr<Streamer>> Streamer::open(const std::vector<DeviceState*>& tiles,
                                                 std::shared_ptr<const Measurement> measured,
                                                 zet_metric_streamer_desc_t& desc, ze_event_handle_t notification) {
    auto* const buffer = bufferSizeIn(desc.pNext, "zetMetricStreamerOpen");
    const std::size_t bytes = tiles.size() * measured->reportBytes();
    std::uint64_t capacity = 0;
    if (buffer && buffer->sizeInBytes > 0 && !notification)
        capacity = std::max<std::uint64_t>(buffer->sizeInBytes / bytes, 1);
    std::shared_ptr<Streamer> streamer(new Streamer(std::move(measured), notification));
    for (auto* tile : tiles)
        if (const auto result = streamer->add(*tile, desc, capacity); result != ZE_RESULT_SUCCESS) return result;
    if (buffer) buffer->sizeInBytes = streamer->capacity_ * bytes;
    return streamer;
}

ze_result_t Streamer::add(DeviceState& state, zet_metric_streamer_desc_t& desc, std::uint64_t capacity) {
    auto opened =
        openReports(state, *measured_,
                    {.period = std::chrono::nanoseconds(desc.samplingPeriod), .capacity = capacity, .mostNotify = 0});
    if (!opened) return opened.code();
    const auto& terms = tiles_.emplace_back(std::move(*opened))->terms();
    capacity_ = terms.capacity;
    period_ = terms.period;
    notifyAt_ = std::clamp<std::uint64_t>(desc.notifyEveryNReports, 1, terms.mostNotify);
    desc.notifyEveryNReports = static_cast<std::uint32_t>(notifyAt_);
    desc.samplingPeriod =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(static_cast<std::uint64_t>(period_.count()), UINT32_MAX));
    return ZE_RESULT_SUCCESS;
}

bool Streamer::samples(const device::Device& device) const noexcept {
    return std::ranges::any_of(tiles_, [&](const auto& tile) {
        const auto& sampled = tile->device();
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
    if (source() == ZETL_SOURCE_SAMPLING) return kSampleLook;
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
    return tiles_.size() == 1 ? tiles_[0]->take(reports, size, target) : takeAll(reports, size, target);
}

/// Takes equally many from every tile, whatever one of them returns. A tile without reports is left out.
ze_result_t Streamer::takeAll(std::uint64_t reports, std::size_t* size, std::uint8_t* target) {
    auto worst = ZE_RESULT_SUCCESS;
    auto* at = target;
    TileHead head{.sets = static_cast<std::uint32_t>(tiles_.size())};
    for (const auto& tile : tiles_) {
        std::size_t bytes = 0;
        const auto result = tile->take(reports, &bytes, at + sizeof head);
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

ze_result_t Streamer::mark(ze_command_list_handle_t list, std::uint32_t value) {
    for (const auto& tile : tiles_)
        if (const auto result = tile->mark(list, value); result != ZE_RESULT_SUCCESS) return result;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::metrics
