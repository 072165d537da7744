// The part of section "counters" that uses the device: leases and queries.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>

namespace zetl::nvidia::access {

zetl_status_t acquire(zetl_device_t device, std::uint32_t source, zetl_lease_t* lease) noexcept;
zetl_status_t release(zetl_lease_t lease) noexcept;
zetl_status_t queryCreate(zetl_lease_t lease, const void* plan, std::uint64_t planBytes, std::uint32_t slots,
                          zetl_query_t* query) noexcept;
zetl_status_t queryDestroy(zetl_query_t query) noexcept;
zetl_status_t queryBegin(zetl_query_t query, std::uint32_t slot, ze_command_list_handle_t list) noexcept;
zetl_status_t queryEnd(zetl_query_t query, std::uint32_t slot, ze_command_list_handle_t list, ze_event_handle_t signal,
                       std::uint32_t waitCount, const ze_event_handle_t* waits) noexcept;
zetl_status_t queryReset(zetl_query_t query, std::uint32_t slot) noexcept;
zetl_status_t queryRead(zetl_query_t query, std::uint32_t slot, std::uint64_t capacity, void* report,
                        std::uint64_t* time) noexcept;
zetl_status_t memoryBarrier(ze_command_list_handle_t list) noexcept;

}  // namespace zetl::nvidia::access
