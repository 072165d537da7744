#include "metrics/metric_decoder.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"

namespace zetl::metrics {
namespace {

ze_result_t refuse(const char* why) {
    log::warn(log::Channel::metrics, "the trace is not decoded: {}", why);
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

constexpr auto kEvents = static_cast<std::size_t>(TracedEvent::count_);
constexpr std::uint32_t kNotAsked = UINT32_MAX;
constexpr std::uint64_t kEveryTile = UINT64_MAX;

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
Result<MetricDecoder::Decoded> MetricDecoder::entriesIn(std::span<const std::uint8_t> raw,
                                                        std::span<const zet_metric_handle_t> asked, std::uint64_t tiles,
                                                        std::size_t most) const {
    Places places;
    places.fill(kNotAsked);
    for (std::uint32_t i = 0; i < asked.size(); ++i) {
        const auto found = std::ranges::find(metrics(), asked[i], [](const auto& one) { return one->handle(); });
        if (found == metrics().end()) return refuse("a metric is not among the decoder's");
        if (const auto event = tracedEventFrom((*found)->column().name)) places[static_cast<std::size_t>(*event)] = i;
    }
    Decoded decoded;
    decoded.sets.resize(content_->sets);
    TraceRecord record;
    for (; raw.size() - decoded.bytes >= sizeof record && decoded.total < most; decoded.bytes += sizeof record) {
        std::memcpy(&record, raw.data() + decoded.bytes, sizeof record);
        const std::size_t set = content_->sets > 1 ? record.tile : 0;
        if (record.mark != TraceRecord::kMark || record.event >= kEvents || set >= content_->sets)
            return refuse("the data are not what zetMetricTracerReadDataExp gave, or begin within a record");
        if (places[record.event] == kNotAsked || (tiles >> set & 1) == 0) continue;
        decoded.sets[set].push_back(entryOf(record, places[record.event]));
        ++decoded.total;
    }
    return decoded;
}

ze_result_t MetricDecoder::decode(const Request& request) const {
    const bool asksNumber = *request.entries == 0 || !request.target;
    const auto decoded = entriesIn(request.raw, request.metrics, kEveryTile, asksNumber ? SIZE_MAX : *request.entries);
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

ze_result_t MetricDecoder::decode(const ScopedRequest& request) const {
    std::uint64_t tiles = 0;
    std::vector<std::uint32_t> idOfSet(content_->sets);
    for (const auto& scope : request.scopes) {
        if (metrics().empty() || &scope->device() != &metrics().front()->device())
            return refuse("a scope is none of the traced device's");
        if (scope->aggregated() || scope->set() >= content_->sets) continue;  // every entry is of one tile
        tiles |= std::uint64_t{1} << scope->set();
        idOfSet[scope->set()] = scope->id();
    }
    const bool asksNumber = *request.entries == 0 || !request.target;
    const auto decoded = entriesIn(request.raw, request.metrics, tiles, asksNumber ? SIZE_MAX : *request.entries);
    if (!decoded) return decoded.code();
    *request.consumed = decoded->bytes;
    *request.entries = static_cast<std::uint32_t>(decoded->total);
    if (asksNumber) return ZE_RESULT_SUCCESS;
    auto* to = request.target;
    for (std::size_t set = 0; set < decoded->sets.size(); ++set)
        for (const auto& entry : decoded->sets[set])
            *to++ = {entry.value, entry.timeStamp, entry.metricIndex, idOfSet[set], 0};
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::metrics
