/*
 * Times of commands that have no event: an extension function of drivers that record what their devices do. Recording
 * costs a device less than the timestamps of events.
 *
 * A driver answers zeDriverGetExtensionFunctionAddress(hDriver, ZETL_COMMAND_TIMES_FUNCTION) with a pointer to a
 * zetl_get_command_times_t. Every function may be called by any thread. None of them throws.
 */
#ifndef ZE_TOOLS_LAYER_COMMAND_TIMES_H
#define ZE_TOOLS_LAYER_COMMAND_TIMES_H

#include <level_zero/ze_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZETL_COMMAND_TIMES_FUNCTION "zetlGetCommandTimes"

typedef enum zetl_command_outcome {
    ZETL_COMMAND_TIMED = 0,
    ZETL_COMMAND_WITHOUT_WORK = 1, /* the device had nothing to do, as in a copy of no bytes */
    ZETL_COMMAND_WITHOUT_TIME = 2  /* it failed, or its time was lost */
} zetl_command_outcome_t;

/* One execution of a command. */
typedef struct zetl_command_time {
    uint64_t tag;
    uint64_t begin; /* nanoseconds of CLOCK_MONOTONIC_RAW; 0 unless outcome is ZETL_COMMAND_TIMED */
    uint64_t end;
    uint32_t outcome; /* zetl_command_outcome_t */
    uint32_t reserved;
} zetl_command_time_t;

typedef struct zetl_command_times {
    size_t size; /* of this structure; fields are only ever appended */
    /* Returns 1 if the times of this device's kernels, copies and fills can be recorded, which begins with the first
       call that returns 1 and lasts as long as the process. Otherwise returns 0, and the driver logs the reason. */
    uint32_t (*serves)(ze_device_handle_t device);
    /* The commands that this thread appends from now on have this tag; 0: none. A regular list keeps the tags of its
       commands, and each execution of a command gives one time. */
    void (*tag)(uint64_t tag);
    /* Removes at most `capacity` times and returns their number. Those of one tag come in the order of execution. */
    uint32_t (*take)(uint32_t capacity, zetl_command_time_t* times);
    /* Returns when the times of completed commands can be taken, or after a fifth of a second. Without it they arrive
       within two tenths of a second. With `last`, also the commands that are still executing give a time, which is
       lost: call it so when the process ends. */
    void (*flush)(uint32_t last);
} zetl_command_times_t;

typedef const zetl_command_times_t* (*zetl_get_command_times_t)(void);

#ifdef __cplusplus
}
#endif

#endif
