/*
 * An extension of zetDebugWriteMemory that sets breakpoints by address, for debuggers that do not know how a device
 * encodes them (docs/reference/program-debug.md).
 *
 * Breakpoints are a memory space of their own. To set or remove one, write a ze_bool_t to the instruction's address,
 * for all threads:
 *
 *   zet_debug_memory_space_desc_t at = {ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, NULL,
 *                                       ZETL_DEBUG_MEMORY_SPACE_BREAKPOINTS, address};
 *   const ze_device_thread_t all = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
 *   const ze_bool_t set = 1;
 *   zetDebugWriteMemory(session, all, &at, sizeof set, &set);
 *
 *   ZE_RESULT_SUCCESS                    also if the breakpoint was set, or removed, already
 *   ZE_RESULT_ERROR_UNSUPPORTED_FEATURE  breakpoints of this device are set by writing code
 *   ZE_RESULT_ERROR_NOT_AVAILABLE        no code is at the address
 *   ZE_RESULT_ERROR_INVALID_ARGUMENT     another size, or a single thread
 *
 * While a breakpoint is set, the code may read as another instruction there. A driver that supports the extension lists
 * ZETL_BREAKPOINTS_EXTENSION (zeDriverGetExtensionProperties); others refuse the memory space.
 */
#ifndef ZE_TOOLS_LAYER_BREAKPOINTS_H
#define ZE_TOOLS_LAYER_BREAKPOINTS_H

#include <level_zero/zet_api.h>

#define ZETL_BREAKPOINTS_EXTENSION "ZETL_extension_breakpoints"
#define ZETL_DEBUG_MEMORY_SPACE_BREAKPOINTS ((zet_debug_memory_space_type_t)0x7a740002)

#endif
