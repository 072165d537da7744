#include "metrics/group.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/chain.h"
#include "base/log.h"
#include "device/catalogue.h"
#include "device/status.h"
#include "metrics/counter_clock.h"
#include "metrics/report.h"

namespace zetl::metrics {
namespace {

constexpr std::uint32_t kSourceId = 1;

template <std::size_t N>
void copyText(char (&target)[N], const char* text) {
    std::snprintf(target, N, "%s", text);
}

/// What the device can deliver to that source.
Catalogue catalogueOf(const device::Device& device, zetl_source_t source) {
    if (!device.offers(source)) return {};
    auto counters = device::catalogueOf(device);
    std::erase_if(counters, [source](const auto* counter) { return ((counter->sources >> source) & 1) == 0; });
    return counters;
}

const zetl_counter_info_t* find(const Catalogue& catalogue, const char* name) {
    const auto found = std::find_if(catalogue.begin(), catalogue.end(),
                                    [name](const auto* counter) { return std::strcmp(counter->name, name) == 0; });
    return found == catalogue.end() ? nullptr : *found;
}

}  // namespace

Metric::Metric(const Group& group, const Column& column, const zetl_counter_info_t* counter)
    : group_(group),
      column_(column),
      value_(column.formula == Formula::counter && counter && counter->value_type == ZETL_VALUE_FLOAT64
                 ? ZET_VALUE_TYPE_FLOAT64
                 : column.value) {}

void Metric::fill(zet_metric_properties_t& properties) const {
    copyText(properties.name, column_.name);
    copyText(properties.description, column_.description);
    copyText(properties.component, column_.component);
    copyText(properties.resultUnits, column_.units);
    properties.tierNumber = column_.tier;
    properties.metricType = column_.type;
    properties.resultType = value_;
}

Result<std::shared_ptr<Group>> Group::make(const device::Device& device, const GroupTemplate& shape,
                                           zet_metric_group_sampling_type_flag_t sampling) {
    std::shared_ptr<Group> group(new Group(device, shape, sampling));
    if (!group->choose(catalogueOf(device, group->source()))) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    if (const auto status = group->plan(device.info().chip); status != ZETL_OK) {
        log::warn(log::Module::metrics, "metric group {} is left out: {} refuses the plan: {}", shape.name,
                  device.info().chip, device::nameOf(status));
        return device::resultOf(status);
    }
    return group;
}

bool Group::choose(const Catalogue& catalogue) {
    Catalogue needed;
    const auto need = [&](const zetl_counter_info_t* counter) {
        if (!counter || find(needed, counter->name)) return;
        needed.push_back(counter);
        counters_.push_back(counter->name);
        valueTypes_.push_back(static_cast<zetl_value_type_t>(counter->value_type));
    };
    const Access wanted = timeBased() ? Access::time : Access::event;
    for (const auto& column : shape_.columns) {
        if (column.access != Access::both && column.access != wanted) continue;
        const auto* counter = column.counter ? find(catalogue, column.counter) : nullptr;
        const auto* lesser = column.lesser ? find(catalogue, column.lesser) : nullptr;
        if ((column.counter && !counter) || (column.lesser && !lesser)) continue;
        metrics_.push_back(std::make_shared<Metric>(*this, column, counter));
        need(counter);
        need(lesser);
    }
    const bool countsSomething = !needed.empty();
    need(find(catalogue, kClocks));
    return countsSomething;
}

zetl_status_t Group::plan(const char* chip) {
    const auto& counters = device_.access().counters();
    const auto count = static_cast<std::uint32_t>(counters_.size());
    zetl_plan_info_t info{};
    info.size = sizeof info;
    if (const auto status = counters.plan(chip, source(), count, counters_.data(), &info, 0, nullptr);
        status != ZETL_OK)
        return status;
    if (info.passes != 1) return ZETL_UNSUPPORTED;
    plan_.resize(info.plan_bytes);
    deviceReportBytes_ = info.report_bytes;
    shortestPeriod_ = info.shortest_period_ns;
    return counters.plan(chip, source(), count, counters_.data(), &info, plan_.size(), plan_.data());
}

std::uint64_t Group::reportBytes() const noexcept { return sizeof(ReportHead) + deviceReportBytes_; }

void Group::fill(zet_metric_group_properties_t& properties) const {
    copyText(properties.name, shape_.name);
    copyText(properties.description, shape_.description);
    properties.samplingType = sampling_;
    properties.domain = shape_.domain;
    properties.metricCount = static_cast<std::uint32_t>(metrics_.size());
    const ChainReader reader{"zetMetricGroupGetProperties", log::Module::metrics};
    forEachLink(properties.pNext, reader, [this](ChainLink& link) {
        const auto type = static_cast<std::uint32_t>(link.stype);
        if (type == ZET_STRUCTURE_TYPE_METRIC_GLOBAL_TIMESTAMPS_RESOLUTION_EXP) {
            auto& resolution = reinterpret_cast<zet_metric_global_timestamps_resolution_exp_t&>(link);
            const auto clock = CounterClock::of(device_);
            resolution.timerResolution = clock.ticksPerSecond;
            resolution.timestampValidBits = clock.validBits;
        } else if (type == ZET_STRUCTURE_TYPE_METRIC_SOURCE_ID_EXP) {
            reinterpret_cast<zet_metric_source_id_exp_t&>(link).sourceId = kSourceId;
        } else if (type == ZET_STRUCTURE_TYPE_METRIC_GROUP_TYPE_EXP) {
            reinterpret_cast<zet_metric_group_type_exp_t&>(link).type =
                ZET_METRIC_GROUP_TYPE_EXP_FLAG_OTHER | (timeBased() ? ZET_METRIC_GROUP_TYPE_EXP_FLAG_MARKER : 0);
        } else {
            return false;
        }
        return true;
    });
}

}  // namespace zetl::metrics
