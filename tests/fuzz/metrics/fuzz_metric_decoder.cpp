// Any bytes as the raw data of a tracer, in any piece: documented codes, whole records, and entries and reports that
// add up.
//
// The first byte says which metrics are asked for, the second how many entries there is room for; the third, whether
// the records get marks and events that are a tracer's (otherwise hardly any input gets that far), and whether the
// device has tiles.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "metrics/metrics.h"
#include "support/fake_core.h"

namespace {

namespace fake = zetl::test::fake;
using zetl::metrics::Metric;
using zetl::metrics::MetricDecoder;
using zetl::metrics::Metrics;
using zetl::metrics::Scope;
using zetl::metrics::TraceContent;
using zetl::metrics::TracedEvent;
using zetl::metrics::TraceRecord;

constexpr std::size_t kHead = 3;
constexpr std::uint32_t kTiles = 3;
constexpr std::size_t kMostMetrics = 8;

void require(bool holds) {
    if (!holds) std::abort();
}

struct Decoded {
    explicit Decoded(std::size_t most) : entries(most) {}
    std::size_t consumed = 0;
    std::uint32_t sets = kTiles;
    std::array<std::uint32_t, kTiles> ofSet{};
    std::uint32_t count = 0;
    std::vector<zet_metric_entry_exp_t> entries;
};

/// Two decoders of every traced event: of a device without tiles, by its entry point, and of one with three.
class Decoders {
  public:
    Decoders() : metrics_(fake::addTo(devices_, {.commands = true}), true, true) {
        auto group = tracedGroup();
        require(metrics_.contextActivateMetricGroups(fake::contextHandle(), fake::deviceHandle(), 1, &group) ==
                ZE_RESULT_SUCCESS);
        zet_metric_tracer_exp_desc_t desc{};
        zet_metric_tracer_exp_handle_t tracer = nullptr;
        require(metrics_.tracerCreateExp(fake::contextHandle(), fake::deviceHandle(), 1, &group, &desc, nullptr,
                                         &tracer) == ZE_RESULT_SUCCESS);
        require(metrics_.decoderCreateExp(tracer, &decoder_) == ZE_RESULT_SUCCESS);
        TraceContent content{.metrics = {}, .sets = kTiles, .clock = {fake::kTicksPerSecond, 36}};
        const auto device = devices_.find(fake::deviceHandle());
        for (std::uint32_t event = 0; event < static_cast<std::uint32_t>(TracedEvent::count_); ++event) {
            zetl::metrics::Column column;
            column.name = nameOf(static_cast<TracedEvent>(event));
            content.metrics.push_back(std::make_shared<Metric>(**device, column, false));
        }
        tiled_ = std::make_shared<MetricDecoder>(std::make_shared<const TraceContent>(std::move(content)));
        scopes_.push_back(std::make_shared<Scope>(**device));
        for (std::uint32_t tile = 0; tile < kTiles; ++tile)
            scopes_.push_back(std::make_shared<Scope>(**device, tile + 1, tile, tile));
    }

    std::vector<zet_metric_handle_t> chosen(bool tiled, std::uint8_t mask) {
        std::vector<zet_metric_handle_t> all(kMostMetrics);
        auto count = static_cast<std::uint32_t>(all.size());
        require(metrics_.decoderGetDecodableMetricsExp(decoder_, &count, all.data()) == ZE_RESULT_SUCCESS);
        std::vector<zet_metric_handle_t> chosen;
        for (std::uint32_t i = 0; i < count; ++i)
            if (mask >> i & 1) chosen.push_back(tiled ? tiled_->metrics()[i]->handle() : all[i]);
        return chosen;
    }
    ze_result_t decode(bool tiled, std::vector<std::uint8_t>& raw, std::vector<zet_metric_handle_t>& metrics,
                       Decoded& to) {
        to.consumed = raw.size();
        to.count = static_cast<std::uint32_t>(to.entries.size());
        if (tiled)
            return tiled_->decode(
                {raw, metrics, &to.consumed, &to.sets, to.ofSet.data(), &to.count, to.entries.data()});
        return metrics_.tracerDecodeExp(decoder_, &to.consumed, raw.data(), static_cast<std::uint32_t>(metrics.size()),
                                        metrics.data(), &to.sets, to.ofSet.data(), &to.count, to.entries.data());
    }

    /// All scopes of the device with tiles: a report has one valid value. Returns the number of reports.
    std::uint32_t calculate(const std::vector<std::uint8_t>& raw, const std::vector<zet_metric_handle_t>& metrics,
                            std::uint32_t most) {
        std::vector<zet_intel_metric_result_exp_t> values(most * metrics.size() * scopes_.size());
        std::size_t consumed = 0;
        std::uint32_t reports = most;
        const auto code =
            tiled_->calculate({raw, metrics, scopes_, &consumed, &reports, values.empty() ? nullptr : values.data()});
        require(code == ZE_RESULT_SUCCESS || code == ZE_RESULT_ERROR_INVALID_ARGUMENT);
        if (code != ZE_RESULT_SUCCESS) return 0;
        require(consumed <= raw.size());
        if (values.empty()) return reports;
        require(reports <= most);
        const auto valid = std::ranges::count(
            values.begin(), values.begin() + static_cast<std::ptrdiff_t>(reports * metrics.size() * scopes_.size()),
            ZET_INTEL_METRIC_CALCULATION_EXP_RESULT_VALID, &zet_intel_metric_result_exp_t::resultStatus);
        require(valid == static_cast<std::ptrdiff_t>(reports));
        return reports;
    }

  private:
    zet_metric_group_handle_t tracedGroup() {
        std::uint32_t count = 0;
        metrics_.groupGet(fake::deviceHandle(), &count, nullptr);
        std::vector<zet_metric_group_handle_t> groups(count);
        metrics_.groupGet(fake::deviceHandle(), &count, groups.data());
        const auto traced = [this](zet_metric_group_handle_t group) {
            zet_metric_group_properties_t properties{};
            metrics_.groupGetProperties(group, &properties);
            return properties.samplingType == ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED;
        };
        return *std::ranges::find_if(groups, traced);
    }

    zetl::device::Devices devices_{fake::coreCalls()};
    Metrics metrics_;
    zet_metric_decoder_exp_handle_t decoder_ = nullptr;
    std::shared_ptr<MetricDecoder> tiled_;
    std::vector<std::shared_ptr<Scope>> scopes_;
};

/// Makes tracer's records of the bytes, of events and tiles that exist and some that do not.
void mark(std::vector<std::uint8_t>& raw) {
    constexpr auto kEvents = static_cast<std::uint32_t>(TracedEvent::count_);
    TraceRecord record;
    for (std::size_t at = 0; at + sizeof record <= raw.size(); at += sizeof record) {
        std::memcpy(&record, raw.data() + at, sizeof record);
        record.mark = TraceRecord::kMark;
        record.event %= kEvents + (record.time % 64 == 0);
        record.tile %= kTiles + (record.time % 64 == 1);
        std::memcpy(raw.data() + at, &record, sizeof record);
    }
}

/// The number of entries, and then at most so many of them, fit each other.
void decode(Decoders& decoders, bool tiled, std::vector<std::uint8_t>& raw, std::uint8_t mask, std::uint32_t most) {
    auto metrics = decoders.chosen(tiled, mask);
    Decoded number(0);
    Decoded got(most);
    const auto code = decoders.decode(tiled, raw, metrics, number);
    require(code == ZE_RESULT_SUCCESS || code == ZE_RESULT_ERROR_INVALID_ARGUMENT);
    const auto second = decoders.decode(tiled, raw, metrics, got);
    require(second == ZE_RESULT_SUCCESS || second == code);
    if (tiled) {
        require(decoders.calculate(raw, metrics, 0) == (code == ZE_RESULT_SUCCESS ? number.count : 0));
        const auto some = decoders.calculate(raw, metrics, most);
        require(code != ZE_RESULT_SUCCESS || most == 0 || some == std::min(most, number.count));
    }
    if (code != ZE_RESULT_SUCCESS) return;
    require(number.consumed == raw.size() / sizeof(TraceRecord) * sizeof(TraceRecord));
    if (most == 0) return;
    require(got.sets == (tiled ? kTiles : 1) && got.consumed <= number.consumed);
    require(got.count == std::min(most, number.count));
    require(std::accumulate(got.ofSet.begin(), got.ofSet.begin() + got.sets, 0u) == got.count);
    require(std::all_of(got.entries.begin(), got.entries.begin() + got.count,
                        [&](const auto& entry) { return entry.metricIndex < metrics.size(); }));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Decoders decoders;
    if (size < kHead) return 0;
    std::vector<std::uint8_t> raw(data + kHead, data + size);
    if (data[2] & 1) mark(raw);
    decode(decoders, (data[2] & 2) != 0, raw, data[0], data[1]);
    return 0;
}
