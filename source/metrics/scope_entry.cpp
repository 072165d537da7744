// zetIntelMetricScope*.
#include "base/enumerate.h"
#include "metrics/log_channel.h"
#include "metrics/metrics.h"

namespace zetl::metrics {

/// A device without tiles is one tile itself.
std::vector<std::shared_ptr<Scope>> Metrics::scopesOf(DeviceState& state) {
    const auto& device = state.device();
    const auto tiles = tilesOf(state);
    const Lock guard(mutex_);
    auto& scopes = scopesOfDevices_[&device];
    if (!scopes.empty()) return scopes;
    std::vector<std::shared_ptr<Scope>> made;
    if (tiles.size() > 1) made.push_back(std::make_shared<Scope>(device));
    for (std::uint32_t set = 0; set < tiles.size(); ++set)
        made.push_back(std::make_shared<Scope>(device, static_cast<std::uint32_t>(made.size()), set,
                                               tiles[set]->device().info().parent_index));
    for (const auto& scope : made) scopes_.add(scope);
    return scopes = std::move(made);
}

std::shared_ptr<Group> Metrics::groupWith(const Metric& metric) const {
    return groups_.findIf([&](const Group& group) { return group.lists(metric); });
}

bool Metrics::supports(const Group& group, const Scope& scope, std::size_t tiles) {
    if (tiles == 1 || group.source() == ZETL_SOURCE_SAMPLING) return true;
    return scope.aggregated() == (group.eventBased() && !group.traced());
}

ze_result_t Metrics::scopesGetExp(zet_context_handle_t, zet_device_handle_t device, std::uint32_t* count,
                                  zet_intel_metric_scope_exp_handle_t* handles) {
    const auto state = stateOf(device);
    if (!state) return state.code();
    if (checkEnabled("zetIntelMetricScopesGetExp", **state) == ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE) {
        *count = 0;
        return ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE;
    }
    const auto scopes = scopesOf(**state);
    return enumerate(scopes.size(), count, handles, [&](std::uint32_t i) { return scopes[i]->handle(); });
}

ze_result_t Metrics::scopeGetPropertiesExp(zet_intel_metric_scope_exp_handle_t handle,
                                           zet_intel_metric_scope_properties_exp_t* properties) {
    const auto scope = scopes_.find(handle);
    if (!scope) {
        log::warn(kLog, "{} is no metric scope: use handles from zetIntelMetricScopesGetExp",
                  static_cast<void*>(handle));
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    scope->fill(*properties);
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::supportedScopesGetExp(zet_metric_handle_t handle, std::uint32_t* count,
                                           zet_intel_metric_scope_exp_handle_t* handles) {
    const auto metric = metrics_.find(handle);
    if (!metric) {
        log::warn(kLog, "{} is no metric: use handles from zetMetricGet", static_cast<void*>(handle));
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    auto* const state = stateOf(metric->device());
    auto scopes = scopesOf(*state);
    const auto tiles = tilesOf(*state).size();
    if (const auto group = groupWith(*metric))
        std::erase_if(scopes, [&](const auto& scope) { return !supports(*group, *scope, tiles); });
    return enumerate(scopes.size(), count, handles, [&](std::uint32_t i) { return scopes[i]->handle(); });
}

}  // namespace zetl::metrics
