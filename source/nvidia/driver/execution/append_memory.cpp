// The append functions for memory, barriers and events.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "driver/append_parameters.h"
#include "nvidia/cuda/api.h"
#include "nvidia/cuda/result.h"
#include "nvidia/driver/execution/command_list.h"
#include "nvidia/driver/memory/fill.h"
#include "nvidia/driver/memory/region.h"

namespace zetl::nvidia {
namespace {

CUdeviceptr address(const void* pointer) noexcept { return reinterpret_cast<CUdeviceptr>(pointer); }

// What commands are in a graph.

Command::Node ordering() { return {.captured = true}; }

Command::Node separate() { return {}; }

Command::Node copying(const void* to, const void* from) {
    return {.isWork = true,
            .captured = true,
            .to = to,
            .from = from,
            .details = {{"to", fmt::format("{}", to)}, {"from", fmt::format("{}", from)}}};
}

Command::Node filling(const void* to, std::size_t patternSize, std::size_t size) {
    return {.isWork = true,
            .captured = Fill::isOneOperation(to, patternSize, size),
            .details = {{"to", fmt::format("{}", to)}, {"bytes", fmt::format("{}", size)}}};
}

}  // namespace

Status CommandList::appendMemoryCopy(void* to, const void* from, std::size_t size, ze_event_handle_t signal,
                                     std::uint32_t waitCount, ze_event_handle_t* waits) {
    return append(
        {signal, waitCount, waits},
        [=](CUstream stream) -> Status {
            return size == 0 ? ZE_RESULT_SUCCESS : ZETL_CUDA(cuMemcpyAsync(address(to), address(from), size, stream));
        },
        [=] { return copying(to, from); });
}

Status CommandList::appendMemoryCopyRegion(void* to, const ze_copy_region_t* toRegion, std::uint32_t toPitch,
                                           std::uint32_t toSlicePitch, const void* from,
                                           const ze_copy_region_t* fromRegion, std::uint32_t fromPitch,
                                           std::uint32_t fromSlicePitch, ze_event_handle_t signal,
                                           std::uint32_t waitCount, ze_event_handle_t* waits) {
    const RegionCopy copy({to, *toRegion, toPitch, toSlicePitch}, {from, *fromRegion, fromPitch, fromSlicePitch});
    if (const Status bad = copy.check(); bad != ZE_RESULT_SUCCESS) return bad;
    return append(
        {signal, waitCount, waits}, [copy](CUstream stream) { return copy.submit(stream); },
        [=] { return copying(to, from); });
}

Status CommandList::appendMemoryFill(void* to, const void* pattern, std::size_t patternSize, std::size_t size,
                                     ze_event_handle_t signal, std::uint32_t waitCount, ze_event_handle_t* waits) {
    if (patternSize == 0) return refuse(ZE_RESULT_ERROR_INVALID_SIZE, "the pattern is empty");
    return append(
        {signal, waitCount, waits},
        [fill = Fill(to, pattern, patternSize, size)](CUstream stream) { return fill.submit(stream); },
        [&] { return filling(to, patternSize, size); });
}

Status CommandList::appendMemoryCopyWithParameters(void* to, const void* from, std::size_t size, const void* parameters,
                                                   ze_event_handle_t signal, std::uint32_t waitCount,
                                                   ze_event_handle_t* waits) {
    if (const Status bad = noParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
    return appendMemoryCopy(to, from, size, signal, waitCount, waits);
}

Status CommandList::appendMemoryFillWithParameters(void* to, const void* pattern, std::size_t patternSize,
                                                   std::size_t size, const void* parameters, ze_event_handle_t signal,
                                                   std::uint32_t waitCount, ze_event_handle_t* waits) {
    if (const Status bad = noParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
    return appendMemoryFill(to, pattern, patternSize, size, signal, waitCount, waits);
}

Status CommandList::appendHostFunction(ze_host_function_callback_t function, void* data, const void* parameters,
                                       ze_event_handle_t signal, std::uint32_t waitCount, ze_event_handle_t* waits) {
    if (const Status bad = noParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
    return append(
        {signal, waitCount, waits},
        [=](CUstream stream) { return ZETL_CUDA(cuLaunchHostFunc(stream, function, data)); },
        [] { return Command::Node{.isWork = true, .captured = true}; });
}

/// Nothing migrates: memory is the device's or the host's for good.
Status CommandList::appendMemoryPrefetch(const void*, std::size_t) { return append({}, noWork, ordering); }

Status CommandList::appendMemAdvise(const void*, std::size_t, ze_memory_advice_t advice) {
    if (advice > ZE_MEMORY_ADVICE_CLEAR_SYSTEM_MEMORY_PREFERRED_LOCATION) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    return append({}, noWork, ordering);
}

Status CommandList::appendBarrier(ze_event_handle_t signal, std::uint32_t waitCount, ze_event_handle_t* waits) {
    return append({signal, waitCount, waits}, noWork, ordering);
}

Status CommandList::appendMemoryRangesBarrier(std::uint32_t, const std::size_t*, const void**, ze_event_handle_t signal,
                                              std::uint32_t waitCount, ze_event_handle_t* waits) {
    return append({signal, waitCount, waits}, noWork, ordering);
}

Status CommandList::appendSignalEvent(ze_event_handle_t event) { return append({event, 0, nullptr}, noWork, ordering); }

Status CommandList::appendWaitOnEvents(std::uint32_t count, ze_event_handle_t* events) {
    return append({nullptr, count, events}, noWork, ordering);
}

Status CommandList::appendEventReset(std::shared_ptr<Event> event) {
    if (event->isCounterBased())
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                      "a counter-based event needs no reset, the next signal renews it");
    return append(
        {}, [event](CUstream stream) { return event->appendReset(stream); },
        [&event] { return Command::Node{.resets = event}; });
}

Status CommandList::appendWriteGlobalTimestamp(std::uint64_t* to, ze_event_handle_t signal, std::uint32_t waitCount,
                                               ze_event_handle_t* waits) {
    unsigned kind = 0;
    const Current current(engine_.place.work->context);
    if (cuda().cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address(to)) != CUDA_SUCCESS)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} is in no allocation; the device cannot write there",
                      static_cast<const void*>(to));
    return append(
        {signal, waitCount, waits},
        [to, work = engine_.place.work](CUstream stream) { return work->clock.appendReading(stream, to); }, separate);
}

}  // namespace zetl::nvidia
