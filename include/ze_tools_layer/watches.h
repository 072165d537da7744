/* An addition to program debug: emulated GPUs that look at writes to memory by themselves.
 *
 * A debugger writes an array of zetl_watch_t to this memory space, at address 0 and for all threads. The array replaces
 * the former one. From then on a thread that changes watched bytes stops behind the instruction, as after a single
 * step. The debugger then reads an array of zetl_watch_hit_t from address 0, which takes the changes since the last
 * read, the earliest one first; the rest of the array is zero:
 *
 *     const zet_debug_memory_space_desc_t space = {ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, NULL,
 *                                                  ZETL_DEBUG_MEMORY_SPACE_WATCHES, 0};
 *     zetDebugWriteMemory(session, every_thread, &space, sizeof watches, watches);
 *     zetDebugReadMemory(session, every_thread, &space, sizeof hits, hits);
 *
 * With `is_local`, the address is an offset in the local memory of the work-groups with the id `group`. Private memory
 * is watched by its address, as its thread's variables have it.
 *
 * All threads must be stopped when it is written. At most 64 watches of 1 MiB together are possible. To watch nothing,
 * write one zetl_watch_t with zero bytes. If the bytes cannot be watched, the write returns
 * ZE_RESULT_ERROR_NOT_AVAILABLE, and nothing is watched. docs/reference/program-debug.md describes it.
 */
#ifndef ZE_TOOLS_LAYER_WATCHES_H
#define ZE_TOOLS_LAYER_WATCHES_H

#include <level_zero/zet_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Other devices refuse this memory space. */
#define ZETL_DEBUG_MEMORY_SPACE_WATCHES ((zet_debug_memory_space_type_t)0x7a740004)

typedef struct zetl_watch {
    uint64_t address;
    uint64_t bytes;
    uint32_t group[3]; /* with is_local */
    uint32_t is_local; /* 1: local memory; 0: any other */
} zetl_watch_t;

typedef struct zetl_watch_hit {
    uint32_t is_hit;
    uint32_t number;    /* of the watch, in the array */
    uint32_t thread;    /* ((slice * subslices + subslice) * EUs + EU) * threads + thread */
    uint32_t lanes;     /* of that thread, which wrote there */
    uint64_t address;   /* of the instruction */
    uint8_t before[64]; /* the first bytes that are watched */
    uint8_t after[64];
} zetl_watch_hit_t;

#ifdef __cplusplus
}
#endif

#endif
