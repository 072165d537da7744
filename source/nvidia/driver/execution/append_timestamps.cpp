// The append function that reads the times of kernels.
#include <cstddef>
#include <utility>
#include <vector>

#include "nvidia/cuda/api.h"
#include "nvidia/cuda/result.h"
#include "nvidia/driver/execution/command_list.h"

namespace zetl::nvidia {
namespace {

CUdeviceptr deviceAddress(const void* pointer) noexcept { return reinterpret_cast<CUdeviceptr>(pointer); }

}  // namespace

Status CommandList::appendQueryKernelTimestamps(std::uint32_t count, ze_event_handle_t* handles, void* to,
                                                const std::size_t* offsets, ze_event_handle_t signal,
                                                std::uint32_t waitCount, ze_event_handle_t* waits) {
    using Times = ze_kernel_timestamp_result_t;
    const auto queried = eventsOf({nullptr, count, handles});
    if (!queried) return queried.code();
    for (const auto& event : queried->waits)
        if (!event->hasTimestamps())
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                          "an event is of a pool that was created without timestamps");
    std::vector<std::byte*> places;
    for (std::uint32_t i = 0; i < count; ++i)
        places.push_back(static_cast<std::byte*>(to) + (offsets ? offsets[i] : i * sizeof(Times)));
    return appendSubmitterWork(
        [places = std::move(places), events = queried->waits](CUstream stream) -> Status {
            if (const Status bad = ZETL_CUDA(cuStreamSynchronize(stream)); bad != ZE_RESULT_SUCCESS) return bad;
            for (std::size_t i = 0; i < events.size(); ++i) {
                Times times{};
                if (const Status bad = events[i]->queryKernelTimestamp(&times); bad != ZE_RESULT_SUCCESS)
                    return refuse(bad, "the times of an event are asked for that nothing before has signalled");
                const Status bad =
                    ZETL_CUDA(cuMemcpyAsync(deviceAddress(places[i]), deviceAddress(&times), sizeof times, stream));
                if (bad != ZE_RESULT_SUCCESS) return bad;
            }
            return ZETL_CUDA(cuStreamSynchronize(stream));
        },
        {signal, waitCount, waits});
}

}  // namespace zetl::nvidia
