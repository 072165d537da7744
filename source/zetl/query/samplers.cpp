#include "query/samplers.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "query/loader_functions.h"
#include "typed_value.h"

namespace zetl::queries {

#define SAMPLING_FUNCTIONS(use)                                                                              \
    use(zeDriverGet) use(zeDeviceGet) use(zeContextCreate) use(zetModuleGetDebugInfo) use(zetMetricGroupGet) \
        use(zetMetricGroupGetProperties) use(zetMetricGet) use(zetMetricGetProperties)                       \
            use(zetContextActivateMetricGroups) use(zetMetricStreamerOpen) use(zetMetricStreamerReadData)    \
                use(zetMetricGroupCalculateMultipleMetricValuesExp)

ZETL_LOADER_FUNCTIONS(SamplingFunctions, SAMPLING_FUNCTIONS)

namespace {

constexpr std::uint32_t kNotify = 32768;  // no one waits for the notification
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
    ze_context_handle_t context = nullptr;
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, kNotify, wanted_};
    if (functions_->zeContextCreate(driver, &contextDescription, &context) != ZE_RESULT_SUCCESS ||
        functions_->zetContextActivateMetricGroups(context, device, 1, &stream.group) != ZE_RESULT_SUCCESS ||
        functions_->zetMetricStreamerOpen(context, device, stream.group, &description, nullptr, &stream.streamer) !=
            ZE_RESULT_SUCCESS)
        return;
    if (streams_.empty()) file_.head(description.samplingPeriod, reasons_);
    streams_.push_back(stream);
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
    for (const auto& stream : streams_) read(stream);
}

void Samplers::read(const Stream& stream) {
    std::size_t size = 0;
    if (functions_->zetMetricStreamerReadData(stream.streamer, UINT32_MAX, &size, nullptr) != ZE_RESULT_SUCCESS ||
        size == 0)
        return;
    std::vector<std::uint8_t> raw(size);
    const auto got = functions_->zetMetricStreamerReadData(stream.streamer, UINT32_MAX, &size, raw.data());
    if ((got != ZE_RESULT_SUCCESS && got != ZE_RESULT_WARNING_DROPPED_DATA) || size == 0) return;
    raw.resize(size);
    constexpr auto kType = ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;
    const auto calculate = functions_->zetMetricGroupCalculateMultipleMetricValuesExp;
    std::uint32_t sets = 0;
    std::uint32_t count = 0;
    calculate(stream.group, kType, raw.size(), raw.data(), &sets, &count, nullptr, nullptr);
    if (count == 0) return;
    std::vector<std::uint32_t> counts(sets);
    std::vector<zet_typed_value_t> values(count);
    const auto result =
        calculate(stream.group, kType, raw.size(), raw.data(), &sets, &count, counts.data(), values.data());
    if (result != ZE_RESULT_SUCCESS && result != ZE_RESULT_WARNING_DROPPED_DATA) return;
    std::uint64_t sum = 0;
    for (std::size_t row = 0; row + stream.columns <= count; row += stream.columns)
        for (std::size_t i = 1; i < stream.columns; ++i)
            if (const auto samples = static_cast<std::uint64_t>(command::numberOf(values[row + i]))) {
                file_.add(values[row].value.ui64 * kAddressUnit, i - 1, samples);
                sum += samples;
            }
    if (result == ZE_RESULT_WARNING_DROPPED_DATA || got == ZE_RESULT_WARNING_DROPPED_DATA)
        file_.lost(lostIn(raw, stream.columns - 1, sum));
}

}  // namespace zetl::queries
