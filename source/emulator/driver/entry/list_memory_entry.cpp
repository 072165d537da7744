// Entry points of zeCommandListAppend... (memory, events, barriers)
#include <bit>

#include "driver/append_parameters.h"
#include "driver/region_overlap.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/device/queue_group.h"
#include "emulator/driver/entry/external_pointer.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/event.h"
#include "emulator/driver/execution/memory_operations.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

/// Like onObject(), for append functions, where the number of events may be wrong.
template <ze_result_t... Extra, class F>
ze_result_t appending(const char* function, ze_command_list_handle_t list, Required pointers, F&& body) noexcept {
    return onObject<CommandList, ZE_RESULT_ERROR_INVALID_SIZE, ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
                    Extra...>(function, list, pointers, std::forward<F>(body));
}

ze_result_t ZE_APICALL memoryCopy(ze_command_list_handle_t list, void* to, const void* from, std::size_t size,
                                  ze_event_handle_t signal, std::uint32_t waitCount,
                                  ze_event_handle_t* waits) noexcept {
    return appending("zeCommandListAppendMemoryCopy", list, {to, from}, [&](CommandList& object) {
        return object.append(std::make_unique<CopyOperation>(to, from, size), {signal, waitCount, waits});
    });
}

ze_result_t ZE_APICALL memoryCopyWithParameters(ze_command_list_handle_t list, void* to, const void* from,
                                                std::size_t size, const void* parameters, ze_event_handle_t signal,
                                                std::uint32_t waitCount, ze_event_handle_t* waits) noexcept {
    return appending(
        "zeCommandListAppendMemoryCopyWithParameters", list, {to, from}, [&](CommandList& object) -> Status {
            if (const Status bad = noParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
            return object.append(std::make_unique<CopyOperation>(to, from, size), {signal, waitCount, waits});
        });
}

/// All contexts of the process share one address space.
ze_result_t ZE_APICALL memoryCopyFromContext(ze_command_list_handle_t list, void* to, ze_context_handle_t source,
                                             const void* from, std::size_t size, ze_event_handle_t signal,
                                             std::uint32_t waitCount, ze_event_handle_t* waits) noexcept {
    return appending("zeCommandListAppendMemoryCopyFromContext", list, {to, from}, [&](CommandList& object) -> Status {
        if (const auto context = find<Context>(source); !context) return context.code();
        return object.append(std::make_unique<CopyOperation>(to, from, size), {signal, waitCount, waits});
    });
}

/// Intel's driver prefetches, advises and fills what it knows: what it allocated, mapped, or loaded with a module.
bool isDeviceMemory(const void* pointer) {
    return platform().memory().find(reinterpret_cast<std::uint64_t>(pointer)).has_value();
}

Status refuseUnknown(const void* pointer) {
    return refuse(
        ZE_RESULT_ERROR_INVALID_ARGUMENT,
        "{} is memory that the driver does not know; allocate it with zeMemAllocHost or another zeMemAlloc...",
        pointer);
}

/// The specification requires a power of two. Intel's driver does not check it. It fills blocks of whole cache lines
/// and restarts the pattern in each of them, so the result has unexpected bytes.
void warnOfOddPattern(std::size_t patternSize) {
    if (std::has_single_bit(patternSize)) return;
    log::warn(
        log::Channel::emulator,
        "{}: a pattern of {} bytes, no power of two: hardware restarts it every {} bytes; use a pattern whose size "
        "is a power of two",
        currentFunction(), patternSize, FillOperation::blockBytes(patternSize));
}

Status appendFill(CommandList& list, void* to, const void* pattern, std::size_t patternSize, std::size_t size,
                  const EventUse& events) {
    if (patternSize == 0) return refuse(ZE_RESULT_ERROR_INVALID_SIZE, "the pattern is empty");
    const QueueGroup& group = queueGroups()[list.engine().ordinal];
    if (patternSize > group.fillPatternBytes)
        return refuse(ZE_RESULT_ERROR_INVALID_SIZE,
                      "a pattern of {} bytes; engines of queue group {} fill with {} (maxMemoryFillPatternSize): use a "
                      "list of a compute group",
                      patternSize, list.engine().ordinal, group.fillPatternBytes);
    if (!isDeviceMemory(to) && !isImported(to)) return refuseUnknown(to);
    warnOfOddPattern(patternSize);
    return list.append(std::make_unique<FillOperation>(to, pattern, patternSize, size), events);
}

ze_result_t ZE_APICALL memoryFill(ze_command_list_handle_t list, void* to, const void* pattern, std::size_t patternSize,
                                  std::size_t size, ze_event_handle_t signal, std::uint32_t waitCount,
                                  ze_event_handle_t* waits) noexcept {
    return appending("zeCommandListAppendMemoryFill", list, {to, pattern}, [&](CommandList& object) {
        return appendFill(object, to, pattern, patternSize, size, {signal, waitCount, waits});
    });
}

ze_result_t ZE_APICALL memoryFillWithParameters(ze_command_list_handle_t list, void* to, const void* pattern,
                                                std::size_t patternSize, std::size_t size, const void* parameters,
                                                ze_event_handle_t signal, std::uint32_t waitCount,
                                                ze_event_handle_t* waits) noexcept {
    return appending("zeCommandListAppendMemoryFillWithParameters", list, {to, pattern},
                     [&](CommandList& object) -> Status {
                         if (const Status bad = noParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
                         return appendFill(object, to, pattern, patternSize, size, {signal, waitCount, waits});
                     });
}

ze_result_t ZE_APICALL hostFunction(ze_command_list_handle_t list, ze_host_function_callback_t function, void* data,
                                    const void* parameters, ze_event_handle_t signal, std::uint32_t waitCount,
                                    ze_event_handle_t* waits) noexcept {
    return appending("zeCommandListAppendHostFunction", list, {}, [&](CommandList& object) -> Status {
        if (!function) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        if (const Status bad = noParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
        return object.append(std::make_unique<HostFunctionOperation>(function, data), {signal, waitCount, waits});
    });
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

ze_result_t ZE_APICALL memoryCopyRegion(ze_command_list_handle_t list, void* to, const ze_copy_region_t* toRegion,
                                        std::uint32_t toPitch, std::uint32_t toSlicePitch, const void* from,
                                        const ze_copy_region_t* fromRegion, std::uint32_t fromPitch,
                                        std::uint32_t fromSlicePitch, ze_event_handle_t signal, std::uint32_t waitCount,
                                        ze_event_handle_t* waits) noexcept {
    return appending<ZE_RESULT_ERROR_OVERLAPPING_REGIONS>(
        "zeCommandListAppendMemoryCopyRegion", list, {to, toRegion, from, fromRegion},
        [&](CommandList& object) -> Status {
            const auto flat = [](ze_copy_region_t region) {
                region.depth = std::max(region.depth, 1u);
                return region;
            };
            const RegionSide target{reinterpret_cast<std::uint64_t>(to), flat(*toRegion), toPitch, toSlicePitch};
            const RegionSide source{reinterpret_cast<std::uint64_t>(from), flat(*fromRegion), fromPitch,
                                    fromSlicePitch};
            if (const Status bad = checkRegions(target, source); bad != ZE_RESULT_SUCCESS) return bad;
            return object.append(std::make_unique<RegionCopyOperation>(target, source), {signal, waitCount, waits});
        });
}

/// All memory is near: nothing moves.
ze_result_t ZE_APICALL memoryPrefetch(ze_command_list_handle_t list, const void* pointer, std::size_t) noexcept {
    return appending("zeCommandListAppendMemoryPrefetch", list, {pointer}, [&](CommandList& object) {
        return isDeviceMemory(pointer) ? object.append(nullptr, {}) : refuseUnknown(pointer);
    });
}

ze_result_t ZE_APICALL memAdvise(ze_command_list_handle_t list, ze_device_handle_t device, const void* pointer,
                                 std::size_t, ze_memory_advice_t advice) noexcept {
    return appending("zeCommandListAppendMemAdvise", list, {}, [&](CommandList& object) -> Status {
        if (const auto target = find<Device>(device); !target) return target.code();
        if (!pointer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        if (advice > ZE_MEMORY_ADVICE_CLEAR_SYSTEM_MEMORY_PREFERRED_LOCATION)
            return ZE_RESULT_ERROR_INVALID_ENUMERATION;
        return isDeviceMemory(pointer) ? object.append(nullptr, {}) : refuseUnknown(pointer);
    });
}

ze_result_t ZE_APICALL barrier(ze_command_list_handle_t list, ze_event_handle_t signal, std::uint32_t waitCount,
                               ze_event_handle_t* waits) noexcept {
    return appending("zeCommandListAppendBarrier", list, {}, [&](CommandList& object) {
        return object.append(std::make_unique<BarrierOperation>(), {signal, waitCount, waits});
    });
}

ze_result_t ZE_APICALL memoryRangesBarrier(ze_command_list_handle_t list, std::uint32_t, const std::size_t* sizes,
                                           const void** ranges, ze_event_handle_t signal, std::uint32_t waitCount,
                                           ze_event_handle_t* waits) noexcept {
    return appending("zeCommandListAppendMemoryRangesBarrier", list, {sizes, ranges}, [&](CommandList& object) {
        return object.append(std::make_unique<BarrierOperation>(), {signal, waitCount, waits});
    });
}

ze_result_t ZE_APICALL signalEvent(ze_command_list_handle_t list, ze_event_handle_t event) noexcept {
    return appending("zeCommandListAppendSignalEvent", list, {}, [&](CommandList& object) -> Status {
        if (!event) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        return object.append(nullptr, {event, 0, nullptr});
    });
}

ze_result_t ZE_APICALL waitOnEvents(ze_command_list_handle_t list, std::uint32_t count,
                                    ze_event_handle_t* events) noexcept {
    return appending("zeCommandListAppendWaitOnEvents", list, {events}, [&](CommandList& object) {
        return object.append(nullptr, {nullptr, count, events});
    });
}

ze_result_t ZE_APICALL eventReset(ze_command_list_handle_t list, ze_event_handle_t event) noexcept {
    return appending("zeCommandListAppendEventReset", list, {}, [&](CommandList& object) -> Status {
        const auto target = find<Event>(event);
        if (!target) return target.code();
        if ((*target)->pool().counterBased())
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "a counter-based event needs no reset");
        return object.append(std::make_unique<ResetEventOperation>((*target)->state()), {});
    });
}

ze_result_t ZE_APICALL writeGlobalTimestamp(ze_command_list_handle_t list, std::uint64_t* to, ze_event_handle_t signal,
                                            std::uint32_t waitCount, ze_event_handle_t* waits) noexcept {
    return appending("zeCommandListAppendWriteGlobalTimestamp", list, {to}, [&](CommandList& object) {
        return object.append(std::make_unique<WriteTimestampOperation>(to), {signal, waitCount, waits});
    });
}

ze_result_t ZE_APICALL queryKernelTimestamps(ze_command_list_handle_t list, std::uint32_t count,
                                             ze_event_handle_t* events, void* to, const std::size_t* offsets,
                                             ze_event_handle_t signal, std::uint32_t waitCount,
                                             ze_event_handle_t* waits) noexcept {
    return appending(
        "zeCommandListAppendQueryKernelTimestamps", list, {events, to}, [&](CommandList& object) -> Status {
            std::vector<std::shared_ptr<SignalState>> states;
            for (std::uint32_t i = 0; i < count; ++i) {
                const auto event = find<Event>(events[i]);
                if (!event) return event.code();
                if (const Status status = (*event)->requireTimestamps(); status != ZE_RESULT_SUCCESS) return status;
                states.push_back((*event)->state());
            }
            std::vector<std::size_t> places;
            if (offsets) places.assign(offsets, offsets + count);
            return object.append(std::make_unique<QueryTimestampsOperation>(std::move(states), to, std::move(places)),
                                 {signal, waitCount, waits});
        });
}

}  // namespace

Rows listMemoryRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeCommandListAppendMemoryCopy, memoryCopy),
        ZETL_SERVES(zeCommandListAppendMemoryCopyFromContext, memoryCopyFromContext),
        ZETL_SERVES(zeCommandListAppendMemoryFill, memoryFill),
        ZETL_SERVES(zeCommandListAppendMemoryCopyWithParameters, memoryCopyWithParameters),
        ZETL_SERVES(zeCommandListAppendMemoryFillWithParameters, memoryFillWithParameters),
        ZETL_SERVES(zeCommandListAppendHostFunction, hostFunction),
        ZETL_SERVES(zeCommandListAppendMemoryCopyRegion, memoryCopyRegion),
        ZETL_SERVES(zeCommandListAppendMemoryPrefetch, memoryPrefetch),
        ZETL_SERVES(zeCommandListAppendMemAdvise, memAdvise),
        ZETL_SERVES(zeCommandListAppendBarrier, barrier),
        ZETL_SERVES(zeCommandListAppendMemoryRangesBarrier, memoryRangesBarrier),
        ZETL_SERVES(zeCommandListAppendSignalEvent, signalEvent),
        ZETL_SERVES(zeCommandListAppendWaitOnEvents, waitOnEvents),
        ZETL_SERVES(zeCommandListAppendEventReset, eventReset),
        ZETL_SERVES(zeCommandListAppendWriteGlobalTimestamp, writeGlobalTimestamp),
        ZETL_SERVES(zeCommandListAppendQueryKernelTimestamps, queryKernelTimestamps),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
