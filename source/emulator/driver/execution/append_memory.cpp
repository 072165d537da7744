#include "emulator/driver/execution/append_memory.h"

#include <bit>

#include "driver/append_parameters.h"
#include "driver/region_overlap.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/execution/api_checks.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/graph_parts.h"
#include "emulator/driver/execution/memory_operations.h"
#include "emulator/driver/memory/external_pointer.h"

namespace zetl::emulator::driver {
namespace {

/// Intel's driver prefetches and fills what it knows: what it allocated, mapped, or loaded with a module.
bool isDeviceMemory(const void* pointer) {
    return platform().memory().find(reinterpret_cast<std::uint64_t>(pointer)).has_value();
}

Status refuseUnknown(const void* pointer) {
    return refuse(
        ZE_RESULT_ERROR_INVALID_ARGUMENT,
        "{} is memory that the driver does not know; allocate it with zeMemAllocHost or another zeMemAlloc...",
        pointer);
}

/// Intel's driver 26.27 refuses such patterns; 22.43 filled whole cache lines, each beginning anew.
Status refuseOddPattern(std::size_t patternSize) {
    return refuse(ZE_RESULT_ERROR_INVALID_SIZE,
                  "a pattern of {} bytes: use one whose size is a power of two, or copy the result", patternSize);
}

zetl::driver::ByteBox boxOf(const RegionSide& side) noexcept {
    return {side.row(0, 0), side.region.width, side.region.height, side.region.depth, side.pitch, side.slicePitch};
}

/// Checks that the two sides of a copy, with one extent and in buffers of the same pitches, have no bytes in common.
Status checkRegions(const RegionSide& target, const RegionSide& source) {
    const auto targetEnd = target.end();
    const auto sourceEnd = source.end();
    if (!targetEnd || !sourceEnd)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the {} region reaches beyond all addresses",
                      targetEnd ? "source" : "target");
    const bool alike = target.pitch == source.pitch && target.slicePitch == source.slicePitch;
    const bool empty = source.region.width == 0 || source.region.height == 0;
    if (alike && !empty && overlap(boxOf(target), boxOf(source)))
        return refuse(ZE_RESULT_ERROR_OVERLAPPING_REGIONS, "source and target of a region copy overlap");
    return ZE_RESULT_SUCCESS;
}

ze_copy_region_t flat(ze_copy_region_t region) noexcept {
    region.depth = std::max(region.depth, 1u);
    return region;
}

}  // namespace

Status appendMemoryCopy(CommandList& list, void* to, const void* from, std::size_t size, const EventUse& events) {
    return list.append(std::make_unique<CopyOperation>(to, from, size), events);
}

Status appendMemoryCopyWithParameters(CommandList& list, void* to, const void* from, std::size_t size,
                                      const void* parameters, const EventUse& events) {
    if (const Status bad = noParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
    return appendMemoryCopy(list, to, from, size, events);
}

Status appendMemoryFill(CommandList& list, void* to, const void* pattern, std::size_t patternSize, std::size_t size,
                        const EventUse& events) {
    if (!std::has_single_bit(patternSize)) return refuseOddPattern(patternSize);
    const QueueGroup& group = list.device().queueGroups()[list.ordinal()];
    if (patternSize > group.fillPatternBytes)
        return refuse(ZE_RESULT_ERROR_INVALID_SIZE,
                      "a pattern of {} bytes; engines of queue group {} fill with {} (maxMemoryFillPatternSize): use a "
                      "list of a compute group",
                      patternSize, list.ordinal(), group.fillPatternBytes);
    if (!isDeviceMemory(to) && !isImported(to)) {
        noteAccessOutside("memory fill", reinterpret_cast<std::uint64_t>(to), size, true);
        return refuseUnknown(to);
    }
    return list.append(std::make_unique<FillOperation>(to, pattern, patternSize, size), events);
}

Status appendMemoryFillWithParameters(CommandList& list, void* to, const void* pattern, std::size_t patternSize,
                                      std::size_t size, const void* parameters, const EventUse& events) {
    if (const Status bad = noParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
    return appendMemoryFill(list, to, pattern, patternSize, size, events);
}

Status appendHostFunction(CommandList& list, ze_host_function_callback_t function, void* data, const void* parameters,
                          const EventUse& events) {
    if (const Status bad = noParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
    return list.append(std::make_unique<HostFunctionOperation>(function, data), events);
}

Status appendMemoryCopyRegion(CommandList& list, void* to, const ze_copy_region_t& toRegion, std::uint32_t toPitch,
                              std::uint32_t toSlicePitch, const void* from, const ze_copy_region_t& fromRegion,
                              std::uint32_t fromPitch, std::uint32_t fromSlicePitch, const EventUse& events) {
    const RegionSide target{reinterpret_cast<std::uint64_t>(to), flat(toRegion), toPitch, toSlicePitch};
    const RegionSide source{reinterpret_cast<std::uint64_t>(from), flat(fromRegion), fromPitch, fromSlicePitch};
    if (const Status bad = checkRegions(target, source); bad != ZE_RESULT_SUCCESS) return bad;
    return list.append(std::make_unique<RegionCopyOperation>(target, source), events);
}

Status appendMemoryPrefetch(CommandList& list, const void* pointer, std::size_t) {
    return isDeviceMemory(pointer) ? list.append(nullptr, {}) : refuseUnknown(pointer);
}

Status appendMemAdvise(CommandList& list, const void* pointer, std::size_t, ze_memory_advice_t advice) {
    if (advice > ZE_MEMORY_ADVICE_CLEAR_SYSTEM_MEMORY_PREFERRED_LOCATION) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    // Intel's driver 26.27 accepts advice for memory that it does not know, of which nothing follows.
    if (!isDeviceMemory(pointer))
        log::info(log::Channel::emulator, "advice for {}, which the driver does not know", pointer);
    return list.append(nullptr, {});
}

Status appendBarrier(CommandList& list, const EventUse& events) {
    return list.append(std::make_unique<BarrierOperation>(), events);
}

Status appendMemoryRangesBarrier(CommandList& list, std::uint32_t, const std::size_t*, const void**,
                                 const EventUse& events) {
    return appendBarrier(list, events);
}

Status appendSignalEvent(CommandList& list, Event& event) { return list.append(nullptr, {event.handle(), 0, nullptr}); }

Status appendWaitOnEvents(CommandList& list, std::uint32_t count, ze_event_handle_t* events) {
    return list.append(nullptr, {nullptr, count, events});
}

Status appendSignalEventWithParameters(CommandList& list, const void* parameters, Event& event) {
    if (const Status bad = noParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
    return appendSignalEvent(list, event);
}

Status appendWaitOnEventsWithParameters(CommandList& list, const void* parameters, std::uint32_t count,
                                        ze_event_handle_t* events) {
    if (const Status bad = noParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
    return appendWaitOnEvents(list, count, events);
}

Status appendFormerMemoryCopyWithParameters(CommandList& list, void* to, const void* from, std::size_t size,
                                            const void* parameters, std::uint32_t waitCount, ze_event_handle_t* waits,
                                            ze_event_handle_t signal) {
    return appendMemoryCopyWithParameters(list, to, from, size, parameters, {signal, waitCount, waits});
}

Status appendEventReset(CommandList& list, Event& event) {
    if (event.pool().counterBased())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "a counter-based event needs no reset");
    return list.append(std::make_unique<ResetEventOperation>(event.state()), {});
}

Status appendWriteGlobalTimestamp(CommandList& list, std::uint64_t* to, const EventUse& events) {
    return list.append(std::make_unique<WriteTimestampOperation>(to), events);
}

Status appendQueryKernelTimestamps(CommandList& list, std::uint32_t count, ze_event_handle_t* queried, void* to,
                                   const std::size_t* offsets, const EventUse& events) {
    std::vector<std::shared_ptr<SignalState>> states;
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto event = find<Event>(queried[i]);
        if (!event) return event.code();
        if (const Status status = (*event)->requireTimestamps(); status != ZE_RESULT_SUCCESS) return status;
        states.push_back(captures::any() ? awaitedState(list, **event) : (*event)->state());
    }
    std::vector<std::size_t> places;
    if (offsets) places.assign(offsets, offsets + count);
    return list.append(std::make_unique<QueryTimestampsOperation>(std::move(states), to, std::move(places)), events);
}

}  // namespace zetl::emulator::driver
