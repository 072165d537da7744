#include "metrics/metric_decoder.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"

namespace zetl::metrics {
namespace {

ze_result_t refuse(const char* why) {
    log::warn(log::Channel::metrics, "zetMetricTracerDecodeExp refused: {}", why);
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

constexpr auto kEvents = static_cast<std::size_t>(TracedEvent::count_);
constexpr std::uint32_t kNotAsked = UINT32_MAX;

/// Where the caller's array has the metric of each event.
using Places = std::array<std::uint32_t, kEvents>;

}  // namespace

struct MetricDecoder::Decoded {
    std::vector<std::vector<zet_metric_entry_exp_t>> sets;
    std::size_t total = 0;
    std::size_t bytes = 0;
};

zet_metric_entry_exp_t MetricDecoder::entryOf(const TraceRecord& record, std::uint32_t metric) const {
    zet_metric_entry_exp_t entry{};
    entry.value.ui64 = record.value;
    entry.timeStamp = Nanoseconds(content_->clock)(record.time);
    entry.metricIndex = metric;
    entry.onSubdevice = record.tiled != 0;
    entry.subdeviceId = record.tiled != 0 ? record.tile : 0;
    return entry;
}

/// The first `most` entries, and how far they reach.
Result<MetricDecoder::Decoded> MetricDecoder::entriesIn(const Request& request, std::size_t most) const {
    Places places;
    places.fill(kNotAsked);
    for (std::uint32_t i = 0; i < request.metrics.size(); ++i) {
        const auto found =
            std::ranges::find(metrics(), request.metrics[i], [](const auto& one) { return one->handle(); });
        if (found == metrics().end()) return refuse("a metric is not among the decoder's");
        if (const auto event = tracedEventFrom((*found)->column().name)) places[static_cast<std::size_t>(*event)] = i;
    }
    Decoded decoded;
    decoded.sets.resize(content_->sets);
    TraceRecord record;
    for (; request.raw.size() - decoded.bytes >= sizeof record && decoded.total < most;
         decoded.bytes += sizeof record) {
        std::memcpy(&record, request.raw.data() + decoded.bytes, sizeof record);
        const std::size_t set = content_->sets > 1 ? record.tile : 0;
        if (record.mark != TraceRecord::kMark || record.event >= kEvents || set >= content_->sets)
            return refuse("the data are not what zetMetricTracerReadDataExp gave, or begin within a record");
        if (places[record.event] == kNotAsked) continue;
        decoded.sets[set].push_back(entryOf(record, places[record.event]));
        ++decoded.total;
    }
    return decoded;
}

ze_result_t MetricDecoder::decode(const Request& request) const {
    const bool asksNumber = *request.entries == 0 || !request.target;
    const auto decoded = entriesIn(request, asksNumber ? SIZE_MAX : *request.entries);
    if (!decoded) return decoded.code();
    if (!asksNumber && *request.sets != 0 && *request.sets < decoded->sets.size() && request.entriesOfSet)
        return refuse("there are more sets than the array of their lengths has room for");
    *request.consumed = decoded->bytes;
    *request.sets = static_cast<std::uint32_t>(decoded->sets.size());
    *request.entries = static_cast<std::uint32_t>(decoded->total);
    auto* to = request.target;
    for (std::size_t set = 0; set < decoded->sets.size(); ++set) {
        if (request.entriesOfSet) request.entriesOfSet[set] = static_cast<std::uint32_t>(decoded->sets[set].size());
        if (!asksNumber) to = std::ranges::copy(decoded->sets[set], to).out;
    }
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::metrics
