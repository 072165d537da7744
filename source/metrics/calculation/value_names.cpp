#include "metrics/calculation/value_names.h"

#include <algorithm>
#include <iterator>

namespace zetl::metrics {
namespace {

template <class T>
struct Named {
    std::string_view name;
    T value;
};

constexpr auto kInstructionPointer = static_cast<zet_metric_type_t>(0x7ffffffe);

constexpr Named<zet_metric_type_t> kTypes[] = {{"DURATION", ZET_METRIC_TYPE_DURATION},
                                               {"EVENT", ZET_METRIC_TYPE_EVENT},
                                               {"EVENT_WITH_RANGE", ZET_METRIC_TYPE_EVENT_WITH_RANGE},
                                               {"THROUGHPUT", ZET_METRIC_TYPE_THROUGHPUT},
                                               {"TIMESTAMP", ZET_METRIC_TYPE_TIMESTAMP},
                                               {"FLAG", ZET_METRIC_TYPE_FLAG},
                                               {"RATIO", ZET_METRIC_TYPE_RATIO},
                                               {"RAW", ZET_METRIC_TYPE_RAW},
                                               {"EVENT_TIMESTAMP", ZET_METRIC_TYPE_EVENT_EXP_TIMESTAMP},
                                               {"EVENT_START", ZET_METRIC_TYPE_EVENT_EXP_START},
                                               {"EVENT_END", ZET_METRIC_TYPE_EVENT_EXP_END},
                                               {"IP", kInstructionPointer}};
constexpr Named<zet_value_type_t> kValues[] = {{"UINT32", ZET_VALUE_TYPE_UINT32},
                                               {"UINT64", ZET_VALUE_TYPE_UINT64},
                                               {"FLOAT32", ZET_VALUE_TYPE_FLOAT32},
                                               {"FLOAT64", ZET_VALUE_TYPE_FLOAT64},
                                               {"BOOL8", ZET_VALUE_TYPE_BOOL8}};
constexpr Named<zet_metric_group_sampling_type_flag_t> kSamplings[] = {
    {"event", ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED},
    {"time", ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED},
    {"tracer", ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED}};

template <class T, std::size_t N>
std::optional<T> valueOf(const Named<T> (&all)[N], std::string_view name) {
    const auto* const found = std::ranges::find(all, name, &Named<T>::name);
    return found == std::end(all) ? std::nullopt : std::optional(found->value);
}
template <class T, std::size_t N>
std::string_view nameIn(const Named<T> (&all)[N], T value) {
    const auto* const found = std::ranges::find(all, value, &Named<T>::value);
    return found == std::end(all) ? std::string_view() : found->name;
}

}  // namespace

std::optional<zet_metric_type_t> metricTypeFrom(std::string_view name) noexcept { return valueOf(kTypes, name); }
std::string_view nameOf(zet_metric_type_t type) noexcept { return nameIn(kTypes, type); }

std::optional<zet_value_type_t> valueTypeFrom(std::string_view name) noexcept { return valueOf(kValues, name); }
std::string_view nameOf(zet_value_type_t type) noexcept { return nameIn(kValues, type); }

std::optional<zet_metric_group_sampling_type_flag_t> samplingFrom(std::string_view name) noexcept {
    return valueOf(kSamplings, name);
}
std::string_view nameOf(zet_metric_group_sampling_type_flag_t sampling) noexcept {
    return nameIn(kSamplings, sampling);
}

}  // namespace zetl::metrics
