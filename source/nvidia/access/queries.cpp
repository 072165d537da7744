#include "nvidia/access/queries.h"

#include <functional>

#include "base/id_table.h"
#include "nvidia/access/chip_name.h"
#include "nvidia/access/device_ref.h"
#include "nvidia/access/query.h"
#include "nvidia/access/sections.h"
#include "nvidia/driver/execution/command_list.h"
#include "nvidia/driver/execution/event.h"

namespace zetl::nvidia::access {
namespace {

using Leases = IdTable<Lease>;
using Queries = IdTable<Query>;

/// Calls `body` with the query, which is shared, if it has that slot.
template <class F>
zetl_status_t onSlot(zetl_query_t id, std::uint32_t slot, F&& body) noexcept {
    return atWork([&] {
        const auto query = Queries::instance().find(id);
        if (!query) return ZETL_GONE;
        return slot < query->slots() ? body(query) : ZETL_MISUSE;
    });
}

/// Makes `work` part of what the list executes.
zetl_status_t record(ze_command_list_handle_t handle, std::function<Status(CUstream)> work, const EventUse& use) {
    const auto list = driver::find<CommandList>(handle);
    if (!list) return ZETL_GONE;
    const Status status = (*list)->appendSubmitterWork(std::move(work), use);
    if (status == ZE_RESULT_ERROR_DEVICE_LOST) return ZETL_LOST;
    return status == ZE_RESULT_SUCCESS ? ZETL_OK : ZETL_MISUSE;
}

/// Whether CUPTI is there and knows the chip by the name that the device was described with.
bool countable(const Device& device) {
    const auto chip = chipByCupti(device);
    if (chip.empty()) return false;
    if (chip == chipOf(device)) return true;
    log::warn(log::Channel::nvidia, "{} is a {} and was described as {}: set ZET_ENABLE_METRICS=1 before zeInit",
              device.attributes().name, chip, chipOf(device));
    return false;
}

zetl_status_t waitFor(std::uint32_t count, const ze_event_handle_t* events) {
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto event = driver::find<Event>(events[i]);
        if (!event) return ZETL_GONE;
        if ((*event)->hostSynchronize(UINT64_MAX) != ZE_RESULT_SUCCESS) return ZETL_LOST;
    }
    return ZETL_OK;
}

}  // namespace

std::shared_ptr<Lease> leaseOf(zetl_lease_t id, zetl_source_t source) {
    auto found = Leases::instance().find(id);
    return found && found->source == source ? found : nullptr;
}

zetl_status_t acquire(zetl_device_t id, std::uint32_t source, zetl_lease_t* lease) noexcept {
    return atWork([&] {
        auto* const device = deviceOf(id);
        if (!device) return ZETL_GONE;
        if (!lease) return ZETL_MISUSE;
        if (source >= ZETL_SOURCES || !countable(*device)) return ZETL_UNSUPPORTED;
        const auto work = device->work();
        if (!work) return ZETL_LOST;
        std::shared_ptr<Lease> made(
            new Lease{device, static_cast<zetl_source_t>(source), *work, RangeProfiler::of((*work)->context)});
        *lease = Leases::instance().add(std::move(made));
        return ZETL_OK;
    });
}

zetl_status_t release(zetl_lease_t lease) noexcept {
    return atWork([&] { return Leases::instance().remove(lease) ? ZETL_OK : ZETL_GONE; });
}

zetl_status_t queryCreate(zetl_lease_t id, const void* bytes, std::uint64_t size, std::uint32_t slots,
                          zetl_query_t* query) noexcept {
    return atWork([&] {
        if (!query || slots == 0) return ZETL_MISUSE;
        CountedPlan counted;
        if (const auto bad = prepare(id, ZETL_SOURCE_QUERY, bytes, size, counted); bad != ZETL_OK) return bad;
        *query = Queries::instance().add(std::make_shared<Query>(std::move(counted), slots));
        return ZETL_OK;
    });
}

zetl_status_t queryDestroy(zetl_query_t id) noexcept {
    return atWork([&] {
        const auto query = Queries::instance().find(id);
        if (!query) return ZETL_GONE;
        if (query->inFlight()) return ZETL_BUSY;
        Queries::instance().remove(id);
        return ZETL_OK;
    });
}

zetl_status_t queryBegin(zetl_query_t id, std::uint32_t slot, ze_command_list_handle_t list) noexcept {
    return onSlot(id, slot, [&](const std::shared_ptr<Query>& query) {
        if (!list) return query->begin(slot);
        return record(list, [query, slot](CUstream) { return query->executeBegin(slot); }, {});
    });
}

zetl_status_t queryEnd(zetl_query_t id, std::uint32_t slot, ze_command_list_handle_t list, ze_event_handle_t signal,
                       std::uint32_t waitCount, const ze_event_handle_t* waits) noexcept {
    return onSlot(id, slot, [&](const std::shared_ptr<Query>& query) {
        if (waitCount > 0 && !waits) return ZETL_MISUSE;
        if (list)
            return record(list, [query, slot](CUstream) { return query->executeEnd(slot); },
                          {signal, waitCount, const_cast<ze_event_handle_t*>(waits)});
        if (const auto bad = waitFor(waitCount, waits); bad != ZETL_OK) return bad;
        const auto status = query->end(slot);
        if (status != ZETL_OK || !signal) return status;
        const auto event = driver::find<Event>(signal);
        if (!event) return ZETL_GONE;
        return (*event)->hostSignal() == ZE_RESULT_SUCCESS ? ZETL_OK : ZETL_LOST;
    });
}

zetl_status_t queryReset(zetl_query_t id, std::uint32_t slot) noexcept {
    return onSlot(id, slot, [&](const auto& query) { return query->reset(slot); });
}

zetl_status_t queryRead(zetl_query_t id, std::uint32_t slot, std::uint64_t capacity, void* report,
                        std::uint64_t* time) noexcept {
    return onSlot(id, slot, [&](const auto& query) {
        if (!report || !time || capacity < query->plan().reportBytes()) return ZETL_MISUSE;
        return query->read(slot, report, *time);
    });
}

zetl_status_t memoryBarrier(ze_command_list_handle_t handle) noexcept {
    return atWork([&] {
        const auto list = driver::find<CommandList>(handle);
        if (!list) return ZETL_GONE;
        return (*list)->appendBarrier(nullptr, 0, nullptr) == ZE_RESULT_SUCCESS ? ZETL_OK : ZETL_MISUSE;
    });
}

}  // namespace zetl::nvidia::access
