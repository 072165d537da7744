/*
 * An extension of zetDebugReadMemory and zetDebugWriteMemory: memory that each lane of a thread has for itself, and the
 * arguments of its kernel, on devices where these are no global memory (docs/reference/program-debug.md).
 *
 * Both are memory spaces of one stopped thread. In private memory, the highest byte of the address is the lane and the
 * others are the offset, by which the debug information names variables:
 *
 *   zet_debug_memory_space_desc_t at = {ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, NULL,
 *                                       ZETL_DEBUG_MEMORY_SPACE_PRIVATE, ZETL_PRIVATE_ADDRESS(lane, offset)};
 *   zetDebugReadMemory(session, thread, &at, sizeof value, &value);
 *
 *   ZE_RESULT_ERROR_INVALID_ARGUMENT     all threads instead of one
 *   ZE_RESULT_ERROR_NOT_AVAILABLE        the thread is not stopped, has no such lane, or there is no such memory
 *   ZE_RESULT_ERROR_UNSUPPORTED_FEATURE  the device has no such memory space
 */
#ifndef ZE_TOOLS_LAYER_LANE_MEMORY_H
#define ZE_TOOLS_LAYER_LANE_MEMORY_H

#include <level_zero/zet_api.h>

#define ZETL_DEBUG_MEMORY_SPACE_PRIVATE ((zet_debug_memory_space_type_t)0x7a740006)
#define ZETL_DEBUG_MEMORY_SPACE_PARAMETERS ((zet_debug_memory_space_type_t)0x7a740007)

#define ZETL_PRIVATE_LANE_SHIFT 56
#define ZETL_PRIVATE_ADDRESS(lane, offset) (((uint64_t)(lane) << ZETL_PRIVATE_LANE_SHIFT) | (uint64_t)(offset))

#endif
