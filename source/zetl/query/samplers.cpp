#include "query/samplers.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "query/kept_groups.h"
#include "query/loader_functions.h"
#include "text/typed_value.h"

namespace zetl::queries {

#define SAMPLING_FUNCTIONS(use)                                                                              \
    use(zeDriverGet) use(zeDeviceGet) use(zeContextCreate) use(zetModuleGetDebugInfo) use(zetMetricGroupGet) \
        use(zetMetricGroupGetProperties) use(zetMetricGet) use(zetMetricGetProperties)                       \
            use(zetContextActivateMetricGroups) use(zetMetricStreamerOpen) use(zetMetricStreamerReadData)    \
                use(zetMetricStreamerClose) use(zetMetricGroupCalculateMultipleMetricValuesExp)

ZETL_LOADER_FUNCTIONS(SamplingFunctions, SAMPLING_FUNCTIONS)

namespace {

constexpr std::uint32_t kNotify = 32768;  // no one waits for the notification
/// With a longer period, short kernels would be missed altogether.
constexpr std::uint64_t kLongestPeriod = 1'000'000;
constexpr std::uint64_t kBearable = 10;  // one sample in ten may be lost
/// The metric of type IP counts in these.
constexpr std::uint64_t kAddressUnit = 8;

/// A raw report of ours (docs/reference/metrics.md, "Samples"): the instruction, the time, how many were lost, then the
/// reasons.
constexpr std::size_t kLossWord = 2;
constexpr std::size_t kHeadWords = 3;
/// The header before the reports of each tile, if there are several tiles.
constexpr std::uint64_t kTileMark = 0xffff'5a45'544c'5453;
constexpr std::size_t kTileWords = 3;

template <class Handle, class F, class P>
std::vector<Handle> listOf(F list, P parent) {
    std::uint32_t count = 0;
    if (list(parent, &count, nullptr) != ZE_RESULT_SUCCESS) return {};
    std::vector<Handle> all(count);
    if (list(parent, &count, all.data()) != ZE_RESULT_SUCCESS) return {};
    all.resize(count);
    return all;
}

/// How many samples were lost. Reports of our own drivers have the number; they are ours if their counts equal the
/// calculated values. For others the number is unknown: 0.
std::uint64_t lostIn(const std::vector<std::uint8_t>& raw, std::size_t reasons, std::uint64_t samples) {
    const std::size_t width = kHeadWords + reasons;
    std::vector<std::uint64_t> words(raw.size() / sizeof(std::uint64_t));
    std::memcpy(words.data(), raw.data(), words.size() * sizeof(std::uint64_t));
    std::uint64_t lost = 0;
    std::uint64_t counted = 0;
    for (std::size_t at = 0; at < words.size();) {
        const bool ofTile = words[at] == kTileMark;
        const auto end = std::min(at + (ofTile ? kTileWords : width), words.size());
        if (!ofTile && at + kLossWord < end) lost += words[at + kLossWord];
        for (auto i = at + kHeadWords; i < end; ++i) counted += words[i];
        at = end;
    }
    return counted == samples ? lost : 0;
}

/// Counts of one reading as counts of all that happened meanwhile: with those that were lost, and for the period that
/// samples are written for. The sum is exact to one.
class Scale {
  public:
    Scale(std::uint64_t kept, std::uint64_t all, std::uint32_t period, std::uint32_t written)
        : above_(Wide{all} * period), below_(Wide{std::max<std::uint64_t>(kept, 1)} * std::max(written, 1u)) {}
    std::uint64_t of(std::uint64_t samples) {
        const auto before = scaled(seen_);
        seen_ += samples;
        return scaled(seen_) - before;
    }

  private:
    __extension__ using Wide = unsigned __int128;
    std::uint64_t scaled(std::uint64_t seen) const { return static_cast<std::uint64_t>(Wide{seen} * above_ / below_); }
    const Wide above_;
    const Wide below_;
    std::uint64_t seen_ = 0;
};

}  // namespace

void Samplers::say(const char* what) { std::fprintf(stderr, "zetl: not sampled: %s\n", what); }

void Samplers::start() {
    started_ = true;
    functions_ = SamplingFunctions::find();
    if (!functions_) return say("the loader lacks the metrics functions");
    std::uint32_t count = 0;
    functions_->zeDriverGet(&count, nullptr);
    std::vector<ze_driver_handle_t> drivers(count);
    functions_->zeDriverGet(&count, drivers.data());
    for (auto* const driver : drivers)
        for (auto* const device : listOf<ze_device_handle_t>(functions_->zeDeviceGet, driver)) open(driver, device);
    if (streams_.empty())
        say("no device can sample instructions now: it has no metric group for that, or the group is in use");
}

/// Whether the group samples instructions, with the same reasons as the other devices' groups.
bool Samplers::describe(Stream& stream) {
    const auto metrics = listOf<zet_metric_handle_t>(functions_->zetMetricGet, stream.group);
    std::vector<std::string> names;
    for (auto* const metric : metrics) {
        zet_metric_properties_t properties{};
        properties.stype = ZET_STRUCTURE_TYPE_METRIC_PROPERTIES;
        functions_->zetMetricGetProperties(metric, &properties);
        if (names.empty() && properties.metricType != ZET_METRIC_TYPE_IP) return false;
        names.emplace_back(properties.name);
    }
    if (names.size() < 2) return false;
    names.erase(names.begin());
    if (reasons_.empty()) reasons_ = names;
    stream.columns = metrics.size();
    return reasons_ == names;
}

bool Samplers::isTimeBased(zet_metric_group_handle_t group) const {
    zet_metric_group_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES;
    return functions_->zetMetricGroupGetProperties(group, &properties) == ZE_RESULT_SUCCESS &&
           properties.samplingType == ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED;
}

void Samplers::open(ze_driver_handle_t driver, ze_device_handle_t device) {
    const auto groups = listOf<zet_metric_group_handle_t>(functions_->zetMetricGroupGet, device);
    Stream stream;
    const auto samples = [&](auto* group) {
        stream.group = group;
        return isTimeBased(group) && describe(stream);
    };
    if (std::ranges::none_of(groups, samples)) return;
    const ze_context_desc_t contextDescription{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    stream.device = device;
    if (functions_->zeContextCreate(driver, &contextDescription, &stream.context) != ZE_RESULT_SUCCESS ||
        functions_->zetContextActivateMetricGroups(stream.context, device, 1, &stream.group) != ZE_RESULT_SUCCESS ||
        !openStreamer(stream, wanted_))
        return;
    if (streams_.empty()) {
        period_ = stream.period;
        file_.head(period_, reasons_);
    }
    KeptGroups::instance().keep(device, stream.group);
    streams_.push_back(stream);
}

bool Samplers::openStreamer(Stream& stream, std::uint32_t period) {
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, kNotify, period};
    const auto opened = functions_->zetMetricStreamerOpen(stream.context, stream.device, stream.group, &description,
                                                          nullptr, &stream.streamer);
    if (opened != ZE_RESULT_SUCCESS) stream.streamer = nullptr;
    stream.period = std::max(description.samplingPeriod, std::uint32_t{1});
    return opened == ZE_RESULT_SUCCESS;
}

void Samplers::moduleMade(ze_module_handle_t module) {
    const std::lock_guard guard(mutex_);
    if (finished_) return;
    if (!started_) start();
    if (streams_.empty()) return;
    std::size_t size = 0;
    constexpr auto kFormat = ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF;
    if (functions_->zetModuleGetDebugInfo(module, kFormat, &size, nullptr) != ZE_RESULT_SUCCESS || size == 0) return;
    std::vector<std::uint8_t> image(size);
    if (functions_->zetModuleGetDebugInfo(module, kFormat, &size, image.data()) != ZE_RESULT_SUCCESS) return;
    readAll();
    modules_[module] = ++lastModule_;
    file_.moduleMade(lastModule_, image);
}

void Samplers::moduleEnds(ze_module_handle_t module) {
    const std::lock_guard guard(mutex_);
    const auto known = modules_.find(module);
    if (finished_ || known == modules_.end()) return;
    readAll();
    file_.moduleGone(known->second);
    modules_.erase(known);
}

bool Samplers::read() {
    const std::lock_guard guard(mutex_);
    if (finished_) return false;
    readAll();
    file_.flushIfDue();
    return true;
}

void Samplers::finish() {
    const std::lock_guard guard(mutex_);
    if (finished_) return;
    readAll();
    file_.flush();
    finished_ = true;
}

void Samplers::readAll() {
    for (auto& stream : streams_)
        if (stream.streamer) read(stream);
}

std::optional<Samplers::Reading> Samplers::readingOf(const Stream& stream) {
    std::size_t size = 0;
    const auto readData = functions_->zetMetricStreamerReadData;
    if (readData(stream.streamer, UINT32_MAX, &size, nullptr) != ZE_RESULT_SUCCESS || size == 0) return std::nullopt;
    Reading reading;
    reading.raw.resize(size);
    const auto got = readData(stream.streamer, UINT32_MAX, &size, reading.raw.data());
    if ((got != ZE_RESULT_SUCCESS && got != ZE_RESULT_WARNING_DROPPED_DATA) || size == 0) return std::nullopt;
    reading.raw.resize(size);
    const auto calculate = [&](std::uint32_t& sets, std::uint32_t& count, std::uint32_t* counts,
                               zet_typed_value_t* values) {
        constexpr auto kType = ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;
        return functions_->zetMetricGroupCalculateMultipleMetricValuesExp(
            stream.group, kType, reading.raw.size(), reading.raw.data(), &sets, &count, counts, values);
    };
    std::uint32_t sets = 0;
    std::uint32_t count = 0;
    calculate(sets, count, nullptr, nullptr);
    if (count == 0) return std::nullopt;
    std::vector<std::uint32_t> counts(sets);
    reading.values.resize(count);
    const auto result = calculate(sets, count, counts.data(), reading.values.data());
    if (result != ZE_RESULT_SUCCESS && result != ZE_RESULT_WARNING_DROPPED_DATA) return std::nullopt;
    reading.values.resize(count - count % stream.columns);
    reading.dropped = result == ZE_RESULT_WARNING_DROPPED_DATA || got == ZE_RESULT_WARNING_DROPPED_DATA;
    return reading;
}

void Samplers::read(Stream& stream) {
    const auto reading = readingOf(stream);
    if (!reading) return;
    const auto& values = reading->values;
    const auto samplesAt = [&](std::size_t i) { return static_cast<std::uint64_t>(command::numberOf(values[i])); };
    std::uint64_t kept = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (i % stream.columns != 0) kept += samplesAt(i);
    const std::uint64_t lost = reading->dropped ? lostIn(reading->raw, stream.columns - 1, kept) : 0;
    Scale scale(kept, kept + lost, stream.period, period_);
    for (std::size_t row = 0; row < values.size(); row += stream.columns)
        for (std::size_t i = 1; i < stream.columns; ++i)
            if (const auto samples = scale.of(samplesAt(row + i)))
                file_.add(values[row].value.ui64 * kAddressUnit, i - 1, samples);
    if (!reading->dropped) return;
    file_.lost(lost);
    if (adapts_) lengthen(stream, kept, lost);
}

void Samplers::lengthen(Stream& stream, std::uint64_t kept, std::uint64_t lost) {
    const bool counted = lost != 0;
    const std::uint64_t factor = counted ? std::bit_ceil((lost + kept) / std::max<std::uint64_t>(kept, 1) + 1) : 2;
    const auto former = stream.period;
    const auto longer = static_cast<std::uint32_t>(std::min<std::uint64_t>(kLongestPeriod, former * factor));
    if (longer <= former || (counted && lost * kBearable < kept)) return;
    functions_->zetMetricStreamerClose(stream.streamer);
    if (!openStreamer(stream, longer) && !openStreamer(stream, former))
        return say("a streamer could not be opened again");
    if (stream.period != former) file_.periodChanged(stream.period);
}

}  // namespace zetl::queries
