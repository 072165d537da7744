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

template <class V>
Result<std::size_t> MetricDecoder::forEachRecord(std::span<const std::uint8_t> raw,
                                                 std::span<const zet_metric_handle_t> asked, std::uint64_t tiles,
                                                 std::size_t most, V&& visit) const {
    Places places;
    places.fill(kNotAsked);
    for (std::uint32_t i = 0; i < asked.size(); ++i) {
        const auto found = std::ranges::find(metrics(), asked[i], [](const auto& one) { return one->handle(); });
        if (found == metrics().end()) return refuse("a metric is not among the decoder's");
        if (const auto event = tracedEventFrom((*found)->column().name)) places[static_cast<std::size_t>(*event)] = i;
    }
    std::size_t bytes = 0;
    std::size_t visited = 0;
    TraceRecord record;
    for (; raw.size() - bytes >= sizeof record && visited < most; bytes += sizeof record) {
        std::memcpy(&record, raw.data() + bytes, sizeof record);
        const std::size_t set = content_->sets > 1 ? record.tile : 0;
        if (record.mark != TraceRecord::kMark || record.event >= kEvents || set >= content_->sets)
            return refuse("the data are not what zetMetricTracerReadDataExp gave, or begin within a record");
        if (places[record.event] == kNotAsked || (tiles >> set & 1) == 0) continue;
        visit(record, places[record.event], set);
        ++visited;
    }
    return bytes;
}

/// The first `most` entries, and how far they reach.
Result<MetricDecoder::Decoded> MetricDecoder::entriesIn(std::span<const std::uint8_t> raw,
                                                        std::span<const zet_metric_handle_t> asked, std::uint64_t tiles,
                                                        std::size_t most) const {
    Decoded decoded;
    decoded.sets.resize(content_->sets);
    const auto bytes =
        forEachRecord(raw, asked, tiles, most, [&](const TraceRecord& record, std::uint32_t metric, std::size_t set) {
            decoded.sets[set].push_back(entryOf(record, metric));
            ++decoded.total;
        });
    if (!bytes) return bytes.code();
    decoded.bytes = *bytes;
    return decoded;
}

/// Of scopes that are one tile; every record is of one.
struct MetricDecoder::TilesOfScopes {
    std::uint64_t mask = 0;
    std::vector<std::uint32_t> idOfSet;     ///< the scope's number
    std::vector<std::uint32_t> placeOfSet;  ///< the scope's place among those that were given
};

Result<MetricDecoder::TilesOfScopes> MetricDecoder::tilesOf(std::span<const std::shared_ptr<Scope>> scopes) const {
    TilesOfScopes tiles{.mask = 0,
                        .idOfSet = std::vector<std::uint32_t>(content_->sets),
                        .placeOfSet = std::vector<std::uint32_t>(content_->sets)};
    for (std::uint32_t i = 0; i < scopes.size(); ++i) {
        const auto& scope = *scopes[i];
        if (metrics().empty() || &scope.device() != &metrics().front()->device())
            return refuse("a scope is of another device than the tracer");
        if (scope.aggregated() || scope.set() >= content_->sets) continue;
        tiles.mask |= std::uint64_t{1} << scope.set();
        tiles.idOfSet[scope.set()] = scope.id();
        tiles.placeOfSet[scope.set()] = i;
    }
    return tiles;
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
    const auto tiles = tilesOf(request.scopes);
    if (!tiles) return tiles.code();
    const bool asksNumber = *request.entries == 0 || !request.target;
    const auto decoded = entriesIn(request.raw, request.metrics, tiles->mask, asksNumber ? SIZE_MAX : *request.entries);
    if (!decoded) return decoded.code();
    *request.consumed = decoded->bytes;
    *request.entries = static_cast<std::uint32_t>(decoded->total);
    if (asksNumber) return ZE_RESULT_SUCCESS;
    auto* to = request.target;
    for (std::size_t set = 0; set < decoded->sets.size(); ++set)
        for (const auto& entry : decoded->sets[set])
            *to++ = {entry.value, entry.timeStamp, entry.metricIndex, tiles->idOfSet[set], 0};
    return ZE_RESULT_SUCCESS;
}

ze_result_t MetricDecoder::calculate(const CalculationRequest& request) const {
    constexpr zet_intel_metric_result_exp_t kNone{{}, ZET_INTEL_METRIC_CALCULATION_EXP_RESULT_INVALID};
    const auto tiles = tilesOf(request.scopes);
    if (!tiles) return tiles.code();
    const bool asksNumber = *request.reports == 0 || !request.values;
    const auto columns = request.metrics.size();
    std::uint32_t reports = 0;
    auto* report = request.values;
    const auto bytes =
        forEachRecord(request.raw, request.metrics, tiles->mask, asksNumber ? SIZE_MAX : *request.reports,
                      [&](const TraceRecord& record, std::uint32_t metric, std::size_t set) {
                          ++reports;
                          if (asksNumber) return;
                          auto* const end = std::fill_n(report, columns * request.scopes.size(), kNone);
                          auto& value = report[tiles->placeOfSet[set] * columns + metric];
                          value.value.ui64 = record.value;
                          value.resultStatus = ZET_INTEL_METRIC_CALCULATION_EXP_RESULT_VALID;
                          report = end;
                      });
    if (!bytes) return bytes.code();
    *request.consumed = asksNumber ? 0 : *bytes;
    *request.reports = reports;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::metrics
