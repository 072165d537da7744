/* An addition to program debug: launches of emulated GPUs that can be taken back.
 *
 * A process with ZETL_EMULATOR_RECORD=1 records the launch that runs on its emulated devices. While all threads are
 * stopped, its debugger writes a zetl_history_request_t to this memory space, at address 0 and for all threads, and
 * reads a zetl_history_answer_t from address 0 on:
 *
 *     const zet_debug_memory_space_desc_t history = {ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, NULL,
 *                                                    ZETL_DEBUG_MEMORY_SPACE_HISTORY, 0};
 *     zetDebugWriteMemory(session, every_thread, &history, sizeof request, &request);
 *     zetDebugReadMemory(session, every_thread, &history, sizeof answer, &answer);
 *
 * A request of the kind ENTRY is followed by `count` zetl_history_code_t, at most ZETL_HISTORY_MOST_CODE.
 *
 * After a request that moves the launch, interrupt all threads to find those that exist at that time. The past is there
 * to be looked at: when a thread is resumed, the launch returns to the latest time first, and what the debugger changed
 * in the past is lost. docs/reference/program-debug.md describes it.
 */
#ifndef ZE_TOOLS_LAYER_HISTORY_H
#define ZE_TOOLS_LAYER_HISTORY_H

#include <level_zero/zet_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Devices without such launches refuse this memory space. */
#define ZETL_DEBUG_MEMORY_SPACE_HISTORY ((zet_debug_memory_space_type_t)0x7a740003)

/* Times are numbers of instructions that all threads of the launch have executed. */
typedef enum zetl_history_kind {
    ZETL_HISTORY_LOOK = 0,     /* where the launch is */
    ZETL_HISTORY_GO = 1,       /* go to `time`; ask again while the status is MOVES */
    ZETL_HISTORY_BACK = 2,     /* when did the last instruction of `thread` begin? */
    ZETL_HISTORY_FORTH = 3,    /* when does its next instruction end, as recorded? */
    ZETL_HISTORY_WAY = 4,      /* its last `count` instructions, as zetl_history_step_t behind the answer */
    ZETL_HISTORY_HIT = 5,      /* go to where a thread last came to a breakpoint before `time` */
    ZETL_HISTORY_NEXT_HIT = 6, /* go to where a thread next came to a breakpoint after `time`, as recorded */
    ZETL_HISTORY_ACCESS = 7,   /* go to before the last access to [address, address + bytes) before `time` */
    /* When did `thread` come to code marked TO after it was last, before `time`, in code marked FROM, or after its
     * work-group began? If no code is marked TO: when was it last in code marked FROM? A zetl_history_step_t behind the
     * answer is the instruction that was found. The launch is then at any time. */
    ZETL_HISTORY_ENTRY = 8
} zetl_history_kind_t;

typedef struct zetl_history_request {
    uint32_t kind;   /* zetl_history_kind_t */
    uint32_t thread; /* ((slice * subslices + subslice) * EUs + EU) * threads + thread */
    uint64_t time;
    uint64_t address;
    uint64_t bytes;
    uint32_t count;
    uint8_t is_read;  /* ACCESS: reads, too */
    uint8_t is_local; /* ACCESS: the address is an offset in the local memory of the work-group of `thread` */
    uint8_t reserved[2];
} zetl_history_request_t;

/* Code of a request of the kind ENTRY: ranges in ascending order. Other code is passed over. */
typedef struct zetl_history_code {
    uint64_t begin;
    uint64_t end;
    uint32_t marks; /* ZETL_HISTORY_FROM, ZETL_HISTORY_TO */
    uint32_t reserved;
} zetl_history_code_t;

enum { ZETL_HISTORY_FROM = 1, ZETL_HISTORY_TO = 2 };

#define ZETL_HISTORY_MOST_CODE 2048

typedef enum zetl_history_status {
    ZETL_HISTORY_NONE = 0,   /* no launch is recorded, or nothing of it was executed */
    ZETL_HISTORY_OK = 1,     /* `found` is the answer */
    ZETL_HISTORY_MOVES = 2,  /* not there yet: ask again */
    ZETL_HISTORY_ABSENT = 3, /* not between `found` and the time in question; go on with time `found` */
    ZETL_HISTORY_RUNS = 4,   /* not all threads are stopped; `end` has come so far */
    ZETL_HISTORY_BROKEN = 5  /* the launch cannot be taken back: see `reason` */
} zetl_history_status_t;

typedef enum zetl_history_reason {
    ZETL_HISTORY_LAUNCHES = 1, /* another launch ran at the same time */
    ZETL_HISTORY_MEMORY = 2,   /* the host had no memory for the history */
    ZETL_HISTORY_FILLED = 3,   /* ZETL_EMULATOR_FILL is set */
    ZETL_HISTORY_DIFFERS = 4   /* memory was changed from outside, so the launch did something else when repeated */
} zetl_history_reason_t;

typedef struct zetl_history_answer {
    uint32_t status; /* zetl_history_status_t */
    uint32_t reason; /* zetl_history_reason_t */
    uint64_t begin;  /* the earliest time that is kept */
    uint64_t now;
    uint64_t end; /* the latest time */
    uint64_t found;
    uint32_t thread;   /* that was found */
    uint32_t lanes;    /* ACCESS: of that thread */
    uint32_t count;    /* WAY, ENTRY: steps behind this */
    uint32_t is_write; /* ACCESS */
    uint32_t tile;
    uint32_t reserved;
} zetl_history_answer_t;

/* An instruction of a thread. */
typedef struct zetl_history_step {
    uint64_t time; /* when it began */
    uint64_t address;
} zetl_history_step_t;

#ifdef __cplusplus
}
#endif

#endif
