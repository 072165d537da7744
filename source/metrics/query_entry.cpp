// zetMetricQuery*, and the functions that append to command lists for them.
#include "base/log.h"
#include "device/status.h"
#include "metrics/metrics.h"

namespace zetl::metrics {

ze_result_t Metrics::queryPoolCreate(zet_context_handle_t, zet_device_handle_t device,
                                     zet_metric_group_handle_t groupHandle, const zet_metric_query_pool_desc_t* desc,
                                     zet_metric_query_pool_handle_t* handle) {
    *handle = nullptr;
    if (desc->type > ZET_METRIC_QUERY_POOL_TYPE_EXECUTION) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const bool measures = desc->type == ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE;
    if (measures && !groupHandle) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (desc->count == 0) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    const auto state = stateOf(device);
    if (!state) return state.code();
    std::shared_ptr<const Measurement> measured;
    if (measures) {
        const auto group = findGroup(groupHandle);
        if (!group || !group->eventBased() || &group->device() != &(*state)->device())
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        measured = group->measurement();
        if (!measured) return openGroupRefused("zetMetricQueryPoolCreate", *group);
    }
    auto pool = QueryPool::create(**state, std::move(measured), desc->count, devices_.core());
    if (!pool) return pool.code();
    *handle = pools_.add(std::move(*pool));
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::queryPoolDestroy(zet_metric_query_pool_handle_t handle) {
    const auto pool = pools_.find(handle);
    if (!pool) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (const auto result = pool->destroy(); result != ZE_RESULT_SUCCESS) {
        log::warn(log::Channel::metrics,
                  "zetMetricQueryPoolDestroy refused: a query of the pool has begun and not ended");
        return result;
    }
    pools_.remove(handle);
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::queryCreate(zet_metric_query_pool_handle_t poolHandle, std::uint32_t index,
                                 zet_metric_query_handle_t* handle) {
    auto pool = pools_.find(poolHandle);
    if (!pool || index >= pool->slots()) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    *handle = queries_.add(std::make_shared<Query>(std::move(pool), index));
    return ZE_RESULT_SUCCESS;
}

ze_result_t Metrics::queryDestroy(zet_metric_query_handle_t handle) {
    return queries_.remove(handle) ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t Metrics::queryReset(zet_metric_query_handle_t handle) {
    const auto query = queries_.find(handle);
    return query ? query->pool().reset(query->slot()) : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t Metrics::queryGetData(zet_metric_query_handle_t handle, std::size_t* size, std::uint8_t* raw) {
    const auto query = queries_.find(handle);
    return query ? query->pool().read(query->slot(), size, raw) : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t Metrics::commandListAppendMetricQueryBegin(zet_command_list_handle_t list,
                                                       zet_metric_query_handle_t handle) {
    const auto query = queries_.find(handle);
    return query ? query->pool().begin(query->slot(), list) : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t Metrics::commandListAppendMetricQueryEnd(zet_command_list_handle_t list, zet_metric_query_handle_t handle,
                                                     ze_event_handle_t signal, std::uint32_t waitCount,
                                                     ze_event_handle_t* waits) {
    if (!waits && waitCount > 0) return ZE_RESULT_ERROR_INVALID_SIZE;
    const auto query = queries_.find(handle);
    return query ? query->pool().end(query->slot(), list, signal, waitCount, waits) : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t Metrics::commandListAppendMetricMemoryBarrier(zet_command_list_handle_t list) {
    const Lock guard(mutex_);
    for (const auto& [device, state] : states_)
        if (device->access().counters().memory_barrier(list) == ZETL_OK) return ZE_RESULT_SUCCESS;
    if (!devices_.core().commandListAppendBarrier) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    return devices_.core().commandListAppendBarrier(list, nullptr, 0, nullptr);
}

}  // namespace zetl::metrics
