#include "metrics/query.h"

#include <cstring>
#include <vector>

#include "base/log.h"
#include "device/status.h"
#include "metrics/calculation/report.h"

namespace zetl::metrics {

Result<std::shared_ptr<QueryPool>> QueryPool::create(DeviceState& state, std::shared_ptr<const Measurement> measured,
                                                     std::uint32_t slots, const device::CoreCalls& core) {
    std::shared_ptr<QueryPool> pool(new QueryPool(state, std::move(measured), slots, core));
    if (!pool->measured_) return pool;
    auto lease = state.acquire(ZETL_SOURCE_QUERY);
    if (!lease) return lease.code();
    pool->lease_ = std::move(*lease);
    const auto& plan = pool->measured_->plan();
    const auto status = pool->functions().query_create(*pool->lease_, plan.data(), plan.size(), slots, &pool->query_);
    if (status != ZETL_OK) return device::resultOf(status);
    return pool;
}

QueryPool::~QueryPool() {
    if (query_ != 0) functions().query_destroy(query_);
}

ze_result_t QueryPool::destroy() {
    if (query_ == 0) return ZE_RESULT_SUCCESS;
    const auto status = functions().query_destroy(query_);
    if (status == ZETL_BUSY) return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    query_ = 0;
    return device::resultOf(status);
}

ze_command_list_handle_t QueryPool::recorder(ze_command_list_handle_t list) const {
    if (state_.device().info().query_kind != ZETL_QUERY_HOST_BRACKETED || !core_.commandListIsImmediate) return list;
    ze_bool_t immediate = 0;
    const auto known = core_.commandListIsImmediate(list, &immediate);
    return known == ZE_RESULT_SUCCESS && immediate ? nullptr : list;
}

ze_result_t QueryPool::appended(zetl_status_t status) const {
    if (status == ZETL_UNSUPPORTED)
        log::warn(
            log::Channel::metrics,
            "query on {} refused: {} is drained at both ends of a query, and takes them in immediate command lists "
            "alone",
            measured_->descriptor().name, state_.device().info().name);
    return device::resultOf(status);
}

ze_result_t QueryPool::begin(std::uint32_t slot, ze_command_list_handle_t list) {
    if (!measured_) return ZE_RESULT_SUCCESS;
    if (!state_.active(*measured_))
        log::warn(log::Channel::metrics, "query on {} begins while the group is not active: activate it first",
                  measured_->descriptor().name);
    return appended(functions().query_begin(query_, slot, recorder(list)));
}

ze_result_t QueryPool::end(std::uint32_t slot, ze_command_list_handle_t list, ze_event_handle_t signal,
                           std::uint32_t waitCount, ze_event_handle_t* waits) {
    if (measured_) return appended(functions().query_end(query_, slot, recorder(list), signal, waitCount, waits));
    if (!core_.commandListAppendBarrier) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    return core_.commandListAppendBarrier(list, signal, waitCount, waits);
}

ze_result_t QueryPool::reset(std::uint32_t slot) {
    if (!measured_) return ZE_RESULT_SUCCESS;
    const auto status = functions().query_reset(query_, slot);
    return status == ZETL_BUSY ? ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE : device::resultOf(status);
}

ze_result_t QueryPool::read(std::uint32_t slot, std::size_t* size, std::uint8_t* target) {
    if (!measured_) {
        *size = 0;
        return ZE_RESULT_SUCCESS;
    }
    const auto needed = measured_->reportBytes();
    if (*size == 0) {
        *size = needed;
        return ZE_RESULT_SUCCESS;
    }
    if (!target) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (*size < needed) return ZE_RESULT_ERROR_INVALID_SIZE;
    ReportHead head{};
    const auto status =
        functions().query_read(query_, slot, measured_->deviceReportBytes(), target + sizeof head, &head.time);
    if (status != ZETL_OK) return device::resultOf(status);
    std::memcpy(target, &head, sizeof head);
    *size = needed;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::metrics
