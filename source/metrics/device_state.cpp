#include "metrics/device_state.h"

#include <algorithm>
#include <iterator>

#include "base/log.h"
#include "device/catalogue.h"
#include "device/status.h"
#include "metrics/block_groups.h"

namespace zetl::metrics {

const std::vector<std::shared_ptr<Group>>& DeviceState::groups() {
    groupsMade_.call([this] {
        for (const auto source : {ZETL_SOURCE_STREAM, ZETL_SOURCE_QUERY})
            if (!device_.offers(source) && !device::catalogueOf(device_).empty())
                log::warn(log::Channel::metrics, "{}: no {} metric groups, because the device {}", device_.info().name,
                          source == ZETL_SOURCE_STREAM ? "time-based" : "event-based",
                          source == ZETL_SOURCE_STREAM ? "streams the counters of one thread or context only"
                                                       : "has no queries");
        // Kept when all are there: a host that runs out of memory meanwhile asks again.
        auto groups = made(groupShapes(), GroupSource::counters);
        if (groups.empty()) groups = made(blockGroups(device_), GroupSource::counters);
        std::ranges::move(made(groupShapes(), GroupSource::instructionSampling), std::back_inserter(groups));
        if (traced_)
            for (const auto source : {GroupSource::events, GroupSource::eventMemory})
                std::ranges::move(made(groupShapes(), source), std::back_inserter(groups));
        groups_ = std::move(groups);
    });
    return groups_;
}

std::vector<std::shared_ptr<Group>> DeviceState::made(std::span<const GroupShape> shapes, GroupSource source) const {
    std::vector<std::shared_ptr<Group>> groups;
    for (const auto& shape : shapes)
        if (shape.source == source)
            if (auto group = Group::predefined(device_, shape)) groups.push_back(std::move(*group));
    return groups;
}

const std::vector<std::shared_ptr<Programmable>>& DeviceState::programmables() {
    programmablesMade_.call([this] {
        const auto streamed = countersOf(device_, ZETL_SOURCE_STREAM);
        std::vector<std::shared_ptr<Programmable>> all;
        for (const auto* counter : countersOf(device_, ZETL_SOURCE_QUERY))
            if (std::ranges::find(streamed, counter) != streamed.end())
                all.push_back(std::make_shared<Programmable>(device_, *counter));
        programmables_ = std::move(all);
    });
    return programmables_;
}

ze_result_t DeviceState::activate(std::vector<std::shared_ptr<Group>> groups) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (&groups[i]->device() != &device_) {
            log::warn(log::Channel::metrics, "activation refused: group {} belongs to another device",
                      groups[i]->name());
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        }
        if (groups[i]->isOpen()) {
            log::warn(log::Channel::metrics, "activation refused: group {} is open; zetMetricGroupCloseExp closes it",
                      groups[i]->name());
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        }
        for (std::size_t j = 0; j < i; ++j)
            if (groups[j] != groups[i] && groups[j]->domain() == groups[i]->domain()) {
                log::warn(log::Channel::metrics, "activation refused: {} and {} share domain {}; activate one of them",
                          groups[j]->name(), groups[i]->name(), groups[i]->domain());
                return ZE_RESULT_ERROR_INVALID_ARGUMENT;
            } else if (!groups[j]->traced() && !groups[i]->traced() && groups[j]->source() != groups[i]->source() &&
                       !device_.together(groups[j]->source(), groups[i]->source())) {
                log::warn(log::Channel::metrics,
                          "activation refused: {} cannot be streamed and queried at the same time; activate "
                          "time-based or event-based groups",
                          device_.info().name);
                return ZE_RESULT_ERROR_INVALID_ARGUMENT;
            }
    }
    const Lock guard(mutex_);
    active_ = std::move(groups);
    return ZE_RESULT_SUCCESS;
}

bool DeviceState::active(const Measurement& measured) const {
    const Lock guard(mutex_);
    return std::any_of(active_.begin(), active_.end(),
                       [&](const auto& each) { return each->measurement().get() == &measured; });
}

bool DeviceState::active(const Group& group) const {
    const Lock guard(mutex_);
    return std::any_of(active_.begin(), active_.end(), [&](const auto& each) { return each.get() == &group; });
}

bool DeviceState::anyActive() const {
    const Lock guard(mutex_);
    return !active_.empty();
}

Result<std::shared_ptr<const zetl_lease_t>> DeviceState::acquire(zetl_source_t source) {
    const Lock guard(mutex_);
    if (auto held = leases_[source].lock()) return held;
    for (const auto other : {ZETL_SOURCE_QUERY, ZETL_SOURCE_STREAM, ZETL_SOURCE_SAMPLING})
        if (other != source && !device_.together(source, other) && leases_[other].lock()) {
            log::warn(log::Channel::metrics, "{} cannot be streamed and queried at the same time: {} first",
                      device_.info().name,
                      other == ZETL_SOURCE_QUERY ? "destroy the query pools" : "close the streamer");
            return ZE_RESULT_ERROR_NOT_AVAILABLE;
        }
    const auto& counters = device_.access().counters();
    zetl_lease_t lease = 0;
    if (const auto status = counters.acquire(device_.id(), source, &lease); status != ZETL_OK) {
        log::warn(log::Channel::metrics, "{}: the device's counters are not to be had: {}", device_.info().name,
                  device::nameOf(status));
        return device::resultOf(status);
    }
    std::shared_ptr<const zetl_lease_t> held(new zetl_lease_t(lease), [&counters](const zetl_lease_t* each) {
        counters.release(*each);
        delete each;
    });
    leases_[source] = held;
    return held;
}

}  // namespace zetl::metrics
