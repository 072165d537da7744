#include "metrics/programmable.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "metrics/catalogue/group_shape.h"
#include "metrics/fixed_text.h"
#include "metrics/measurement.h"

namespace zetl::metrics {
namespace {

constexpr std::uint32_t kSourceId = 1;
constexpr std::uint32_t kTier = 1;
constexpr std::uint64_t kMostBytes = 65536;
constexpr std::size_t kLongestText = ZET_MAX_METRIC_NAME - 1;

constexpr ParameterValue kUtilization[] = {{0, 0, "as counted"},
                                           {1, 1, "percent of the core clock cycles of all vector engines"}};
constexpr ParameterValue kAverage[] = {{0, 0, "as counted"}, {1, 1, "average of all vector engines"}};
constexpr ParameterValue kRate[] = {{0, 0, "as counted"}, {1, 1, "a nanosecond of device time"}};
constexpr ParameterValue kBytes[] = {{0, kMostBytes, "bytes of one event; 0: as counted"}};

constexpr Parameter kParameters[] = {
    {ZET_METRIC_PROGRAMMABLE_PARAM_TYPE_EXP_NORMALIZATION_UTILIZATION, "utilization", ZET_VALUE_INFO_TYPE_EXP_BOOL8,
     kUtilization},
    {ZET_METRIC_PROGRAMMABLE_PARAM_TYPE_EXP_NORMALIZATION_AVERAGE, "average", ZET_VALUE_INFO_TYPE_EXP_BOOL8, kAverage},
    {ZET_METRIC_PROGRAMMABLE_PARAM_TYPE_EXP_NORMALIZATION_RATE, "rate", ZET_VALUE_INFO_TYPE_EXP_BOOL8, kRate},
    {ZET_METRIC_PROGRAMMABLE_PARAM_TYPE_EXP_NORMALIZATION_BYTES, "bytes", ZET_VALUE_INFO_TYPE_EXP_UINT64_RANGE,
     kBytes}};

/// What a way to normalise makes of a counter.
struct Normalization {
    const char* equation;  ///< {0} the counter, {1} the parameter's value
    const char* units;     ///< {} the counter's
    zet_metric_type_t type;
    zet_value_type_t value;
};
constexpr Normalization kAsCounted = {"${0}", "{}", ZET_METRIC_TYPE_EVENT, ZET_VALUE_TYPE_UINT64};
/// In the order of kParameters.
constexpr Normalization kNormalizations[] = {
    {"${0} 100 UMUL $GpuCoreClocks $VectorEngineTotalCount UMUL FDIV", "percent", ZET_METRIC_TYPE_DURATION,
     ZET_VALUE_TYPE_FLOAT32},
    {"${0} $VectorEngineTotalCount FDIV", "{}", ZET_METRIC_TYPE_RATIO, ZET_VALUE_TYPE_FLOAT32},
    {"${0} $ElapsedTime FDIV", "{}/ns", ZET_METRIC_TYPE_THROUGHPUT, ZET_VALUE_TYPE_FLOAT32},
    {"${0} {1} UMUL", "bytes", ZET_METRIC_TYPE_EVENT, ZET_VALUE_TYPE_UINT64}};
static_assert(std::size(kNormalizations) == std::size(kParameters));

struct Chosen {
    const Normalization* way = &kAsCounted;
    std::uint64_t value = 0;
};

Result<Chosen> chosenBy(std::span<const zet_metric_programmable_param_value_exp_t> values) {
    Chosen chosen;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = kParameters[i].read(values[i].value);
        if (!kParameters[i].takes(value)) {
            log::warn(log::Channel::metrics, "a metric cannot be made: {} is no value of {}", value,
                      kParameters[i].name);
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        }
        if (value == 0) continue;
        if (chosen.value != 0) {
            log::warn(log::Channel::metrics, "a metric cannot be made: it is normalised in one way at most");
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        }
        chosen = {&kNormalizations[i], value};
    }
    return chosen;
}

std::string cut(const char* text) { return std::string(text).substr(0, kLongestText); }

}  // namespace

std::span<const Parameter> parameters() noexcept { return kParameters; }

bool Parameter::takes(std::uint64_t value) const noexcept {
    return std::ranges::any_of(values, [value](const auto& each) { return each.least <= value && value <= each.most; });
}

std::uint64_t Parameter::read(const zet_value_t& value) const noexcept {
    return valueType == ZET_VALUE_INFO_TYPE_EXP_BOOL8 ? value.b8 : value.ui64;
}

void Parameter::write(zet_value_t& target, std::uint64_t value) const noexcept { target.ui64 = value; }

void Parameter::write(zet_value_info_exp_t& target, const ParameterValue& value) const noexcept {
    if (valueType == ZET_VALUE_INFO_TYPE_EXP_BOOL8)
        target.b8 = static_cast<ze_bool_t>(value.least);
    else
        target.ui64Range = {value.least, value.most};
}

void Programmable::fill(zet_metric_programmable_exp_properties_t& properties) const {
    copyText(properties.name, counter_.name);
    copyText(properties.description, counter_.description);
    copyText(properties.component, counter_.block);
    properties.tierNumber = kTier;
    properties.domain = kUserDomain;
    properties.parameterCount = static_cast<std::uint32_t>(std::size(kParameters));
    properties.samplingType =
        ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED | ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED;
    properties.sourceId = kSourceId;
}

Result<Column> Programmable::make(std::span<const zet_metric_programmable_param_value_exp_t> values, const char* name,
                                  const char* description) const {
    if (values.size() > std::size(kParameters)) {
        log::warn(log::Channel::metrics, "a metric of {} cannot be made: {} values for {} parameters", counter_.name,
                  values.size(), std::size(kParameters));
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    const auto chosen = chosenBy(values);
    if (!chosen) return chosen.code();
    const auto& way = *chosen->way;
    Column column{.name = cut(name),
                  .description = cut(description),
                  .units = fmt::format(fmt::runtime(way.units), counter_.unit),
                  .component = counter_.block,
                  .tier = kTier,
                  .type = way.type,
                  .value = way.value,
                  .equation = fmt::format(fmt::runtime(way.equation), counter_.name, chosen->value)};
    if (chosen->way == &kAsCounted) column.error = errorOfCounter(counter_.name);
    rateExactness(column, countersOf(device_, ZETL_SOURCE_QUERY));
    return column;
}

}  // namespace zetl::metrics
