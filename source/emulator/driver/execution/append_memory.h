// The functions zeCommandListAppend... of command lists about memory, events and barriers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "emulator/driver/execution/event_use.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {

class CommandList;

// All return the codes of CommandList::append(); those with parameters UNSUPPORTED_FEATURE if there are any.
Status appendMemoryCopy(CommandList& list, void* to, const void* from, std::size_t size, const EventUse& events);
Status appendMemoryCopyWithParameters(CommandList& list, void* to, const void* from, std::size_t size,
                                      const void* parameters, const EventUse& events);
/// OVERLAPPING_REGIONS. A region without depth is flat.
Status appendMemoryCopyRegion(CommandList& list, void* to, const ze_copy_region_t& toRegion, std::uint32_t toPitch,
                              std::uint32_t toSlicePitch, const void* from, const ze_copy_region_t& fromRegion,
                              std::uint32_t fromPitch, std::uint32_t fromSlicePitch, const EventUse& events);
/// INVALID_SIZE for a pattern that is empty or longer than the engine's; INVALID_ARGUMENT for unknown memory.
Status appendMemoryFill(CommandList& list, void* to, const void* pattern, std::size_t patternSize, std::size_t size,
                        const EventUse& events);
Status appendMemoryFillWithParameters(CommandList& list, void* to, const void* pattern, std::size_t patternSize,
                                      std::size_t size, const void* parameters, const EventUse& events);
Status appendHostFunction(CommandList& list, ze_host_function_callback_t function, void* data, const void* parameters,
                          const EventUse& events);

// All memory is near: nothing moves. INVALID_ARGUMENT for unknown memory.
Status appendMemoryPrefetch(CommandList& list, const void* pointer, std::size_t size);
Status appendMemAdvise(CommandList& list, const void* pointer, std::size_t size, ze_memory_advice_t advice);

Status appendBarrier(CommandList& list, const EventUse& events);
Status appendMemoryRangesBarrier(CommandList& list, std::uint32_t count, const std::size_t* sizes, const void** ranges,
                                 const EventUse& events);
Status appendSignalEvent(CommandList& list, Event& event);
Status appendWaitOnEvents(CommandList& list, std::uint32_t count, ze_event_handle_t* events);
Status appendSignalEventWithParameters(CommandList& list, const void* parameters, Event& event);
Status appendWaitOnEventsWithParameters(CommandList& list, const void* parameters, std::uint32_t count,
                                        ze_event_handle_t* events);
/// The same as appendMemoryCopyWithParameters(); the order of arguments is that of Intel's driver.
Status appendFormerMemoryCopyWithParameters(CommandList& list, void* to, const void* from, std::size_t size,
                                            const void* parameters, std::uint32_t waitCount, ze_event_handle_t* waits,
                                            ze_event_handle_t signal);
/// INVALID_ARGUMENT for a counter-based event.
Status appendEventReset(CommandList& list, Event& event);
Status appendWriteGlobalTimestamp(CommandList& list, std::uint64_t* to, const EventUse& events);
/// INVALID_ARGUMENT for an event without timestamps.
Status appendQueryKernelTimestamps(CommandList& list, std::uint32_t count, ze_event_handle_t* queried, void* to,
                                   const std::size_t* offsets, const EventUse& events);

}  // namespace zetl::emulator::driver
