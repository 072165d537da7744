/*
 * Device access, version 1: the interface between a Level Zero driver and the tools modules (metrics, instrumentation,
 * debug).
 *
 * A driver answers zeDriverGetExtensionFunctionAddress(hDriver, ZETL_DEVICE_ACCESS_FUNCTION) with a pointer to a
 * zetl_get_device_access_t. The modules learn everything about a device through the tables behind that function.
 *
 * The device may be hardware or software, may live in another process, and may come from any vendor. Therefore objects
 * are ids, never pointers; raw data are opaque bytes; and counters, registers, thread levels, clocks and stop reasons
 * are described by data.
 *
 * RULES
 *
 *  - Structures: every structure begins with `size`. The writer sets it to the sizeof it was compiled with; the reader
 *    touches nothing beyond it. The caller sets `size` in a structure that it passes to be filled. Fields are only ever
 *    appended. Structures without `size` (levels, threads, values, rows, report infos, samples, command records) never
 *    change.
 *  - Sections: a null section is unsupported as a whole; only `devices` is mandatory. A section that is present has no
 *    null functions; an operation that the device lacks returns ZETL_UNSUPPORTED.
 *  - Ids: 64 bits. 0 means "none". No id is used twice in the life of the process. An id whose object has ended is
 *    answered with ZETL_GONE.
 *  - Ownership: strings and descriptions behind `const` pointers belong to the provider and live as long as it does.
 *    Buffers belong to the caller; the provider does not keep them.
 *  - Lists: functions with (capacity, *count) write at most `capacity` items and always set *count to the number that
 *    exists; capacity 0 with a null buffer asks for the number only. Functions that remove the items they write (drain)
 *    set *count to the number removed.
 *  - Threads: every function may be called from any thread at any time, except where stated. No function waits for the
 *    device longer than its description says. Requests that control device threads complete by an event.
 *  - Errors: read an output only after ZETL_OK. No function throws or ends the process. In a forked child, every
 *    function that needs the parent's device returns ZETL_LOST without waiting.
 *  - Callbacks: a provider calls a sink from a thread of its own, or from the thread whose action caused the event (for
 *    example, the thread that creates a module). It never calls a sink from within a function of this interface, and
 *    never makes two calls at once for one target. A sink returns quickly and calls nothing of this interface.
 *  - Units: times are ticks of a named clock, or nanoseconds where a name ends in _ns. Rates are hertz where a name
 *    ends in _hz. Sizes are bytes.
 */
#ifndef ZE_TOOLS_LAYER_DEVICE_ACCESS_H
#define ZE_TOOLS_LAYER_DEVICE_ACCESS_H

#include <level_zero/ze_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZETL_DEVICE_ACCESS_FUNCTION "zetlGetDeviceAccess"
#define ZETL_DEVICE_ACCESS_VERSION 1u
#define ZETL_MAX_LEVELS 6u
#define ZETL_ANY UINT32_MAX /* wildcard of one thread level */

/* ------------------------------------------------------------------------------------------------------- results */

/* Success, seven reasons for a refusal, and one code for a caller that broke the contract. */
typedef enum zetl_status {
    ZETL_OK = 0,
    ZETL_UNSUPPORTED = 1,     /* this device never supports the request */
    ZETL_BUSY = 2,            /* another user, perhaps in another process, holds the object */
    ZETL_NEEDS_PRIVILEGE = 3, /* the caller lacks a permission that an administrator can grant */
    ZETL_NOT_READY = 4,       /* the object cannot answer yet: its thread runs, or its query has not finished */
    ZETL_LOST = 5,            /* the device or connection failed, or the provider failed for a reason not listed here */
    ZETL_GONE = 6,            /* the object does not exist (any more), or nothing is mapped at the address */
    ZETL_MISUSE = 7,          /* the caller's mistake: null pointer, unknown enumerator, wrong size */
    ZETL_NO_MEMORY = 8        /* the host is out of memory; nothing changed */
} zetl_status_t;

typedef uint64_t zetl_device_t;
typedef uint64_t zetl_module_t;
typedef uint64_t zetl_lease_t;
typedef uint64_t zetl_query_t;
typedef uint64_t zetl_stream_t;
typedef uint64_t zetl_target_t;

/* ------------------------------------------------------------------------------------ devices: topology, identity */

/* One level of the path that identifies a hardware thread, outermost first: slice/sub-slice/EU/thread, or
 * SM/sub-partition/warp. */
typedef struct zetl_level {
    const char* name;
    uint32_t count; /* values 0 .. count-1 */
} zetl_level_t;

/* A hardware thread, or a set of them: ZETL_ANY in a level selects all its values. Levels that the device lacks are
 * 0. */
typedef struct zetl_thread {
    uint32_t level[ZETL_MAX_LEVELS];
} zetl_thread_t;

typedef enum zetl_scope {
    ZETL_SCOPE_THREAD = 0,
    ZETL_SCOPE_CONTEXT = 1,
    ZETL_SCOPE_DEVICE = 2,
    ZETL_SCOPE_PROCESS = 3
} zetl_scope_t;

typedef enum zetl_query_kind {
    ZETL_QUERY_NONE = 0,
    ZETL_QUERY_IN_STREAM = 1,     /* begin and end are recorded; the device samples when it reaches them */
    ZETL_QUERY_HOST_BRACKETED = 2 /* begin and end drain the device and block the submitting thread */
} zetl_query_kind_t;

/* The sources of counter data that can be acquired. Each device declares which may be held together. */
typedef enum zetl_source { ZETL_SOURCE_QUERY = 0, ZETL_SOURCE_STREAM = 1, ZETL_SOURCE_SAMPLING = 2 } zetl_source_t;
#define ZETL_SOURCES 3u

/* Which processes can be debugged. */
enum { ZETL_TARGET_OWN_PROCESS = 1u, ZETL_TARGET_OTHER_PROCESS = 2u };

typedef struct zetl_device_info {
    uint32_t size;
    uint32_t vendor_id;    /* PCI */
    zetl_device_t parent;  /* 0: a root device */
    uint32_t parent_index; /* place among the parent's sub-devices */
    uint32_t address_bits; /* width of device virtual addresses; the canonical form is sign extended */
    uint8_t uuid[16];      /* equals the UUID of zeDeviceGetProperties, in every process */
    const char* name;
    const char* chip; /* key for planning and evaluating counters, which need no device */
    uint32_t level_count;
    uint32_t lanes; /* widest SIMD of one hardware thread */
    zetl_level_t levels[ZETL_MAX_LEVELS];
    uint32_t stop_scope;             /* zetl_scope_t: what stops when one thread is halted */
    uint32_t target_places;          /* ZETL_TARGET_ bits; 0: the device cannot be debugged */
    uint32_t query_kind;             /* zetl_query_kind_t */
    uint32_t stream_scope;           /* zetl_scope_t: whose work is included in streamed counters */
    uint32_t together[ZETL_SOURCES]; /* [a], bit b: sources a and b may be held at once, by any processes */
    uint64_t core_clock_hz;          /* nominal; 0 if unknown */
    uint32_t program_input_count;
    uint32_t reserved;
    const char* const* program_inputs; /* "spirv", "zebin", "patch-tokens", "ptx", "cubin", ... */
} zetl_device_info_t;

typedef struct zetl_device_functions {
    uint32_t size;
    uint32_t reserved;
    /* Root devices first, then the sub-devices of each. Stable for the life of the process. */
    zetl_status_t (*list)(uint32_t capacity, zetl_device_t* devices, uint32_t* count);
    zetl_status_t (*describe)(zetl_device_t device, zetl_device_info_t* info);
} zetl_device_functions_t;

/* ---------------------------------------------------------------------------------------------------------- clocks */

typedef enum zetl_clock_kind {
    ZETL_CLOCK_DEVICE = 0,         /* device time of zeDeviceGetGlobalTimestamps; kernel timestamps have fewer bits */
    ZETL_CLOCK_COUNTERS = 1,       /* timestamps of counter reports; has its own width */
    ZETL_CLOCK_HOST_MONOTONIC = 2, /* host time of zeDeviceGetGlobalTimestamps */
    ZETL_CLOCK_HOST_REAL = 3
} zetl_clock_kind_t;

typedef struct zetl_clock_info {
    uint32_t size;
    uint32_t kind; /* zetl_clock_kind_t; identifies the clock in calls */
    uint64_t ticks_per_second;
    uint64_t step;       /* resolution: ticks between two observable values */
    uint32_t valid_bits; /* values wrap at 2^valid_bits */
    uint32_t reserved;
} zetl_clock_info_t;

/* Two clocks read as close together as the device allows, at most `uncertainty_ns` apart. */
typedef struct zetl_clock_pair {
    uint32_t size;
    uint32_t reserved;
    uint64_t ticks_a;
    uint64_t ticks_b;
    uint64_t uncertainty_ns;
} zetl_clock_pair_t;

typedef struct zetl_clock_functions {
    uint32_t size;
    uint32_t reserved;
    zetl_status_t (*describe)(zetl_device_t device, uint32_t kind, zetl_clock_info_t* info);
    /* On real devices a snapshot may take 10 us and an idle thread slot, or be computed from earlier readings. */
    zetl_status_t (*snapshot)(zetl_device_t device, uint32_t kind_a, uint32_t kind_b, zetl_clock_pair_t* pair);
    /* Converts a time from one clock to another, using the best known rate and drift. If the clock wraps, `ticks` means
     * the matching moment nearest to now. */
    zetl_status_t (*convert)(zetl_device_t device, uint32_t from, uint32_t to, uint64_t ticks, uint64_t* result,
                             uint64_t* uncertainty_ns);
} zetl_clock_functions_t;

/* -------------------------------------------------------------------------------------------------------- counters */

typedef enum zetl_value_type { ZETL_VALUE_UINT64 = 0, ZETL_VALUE_FLOAT64 = 1 } zetl_value_type_t;

typedef enum zetl_accuracy {
    ZETL_EXACT = 0, /* counted */
    ZETL_MODEL = 1  /* computed by the timing or cache model that the description names */
} zetl_accuracy_t;

/* Delta: the difference over the interval. Last: the value at the end of the interval (a frequency, a marker). */
typedef enum zetl_counter_kind { ZETL_COUNTER_DELTA = 0, ZETL_COUNTER_LAST = 1 } zetl_counter_kind_t;

typedef struct zetl_counter_info {
    uint32_t size;
    uint32_t kind;    /* zetl_counter_kind_t */
    const char* name; /* unique in the catalogue; includes the vendor's rollup and submetric, if any */
    const char* description;
    const char* unit;  /* "ns", "cycles", "bytes", "instructions", ... */
    const char* block; /* the hardware unit that counts */
    uint32_t value_type;
    uint32_t accuracy;  /* zetl_accuracy_t */
    uint32_t sources;   /* bit s set: source s (query, stream) can deliver the counter */
    uint32_t intrusive; /* 1: counting noticeably changes the timing, for example because code is patched */
} zetl_counter_info_t;

/* A list of counters prepared for one source. The bytes of a plan are opaque. They may be stored, and stay valid for
 * the chip that they were made for. */
typedef struct zetl_plan_info {
    uint32_t size;
    uint32_t passes; /* 1: all counters at once. More: the work must be repeated, and streams refuse the plan */
    uint64_t shortest_period_ns;
    uint64_t report_bytes; /* size of each raw report of this plan */
    uint64_t plan_bytes;
} zetl_plan_info_t;

typedef union zetl_value {
    uint64_t u64;
    double f64;
} zetl_value_t;

/* Raw data with everything that is needed to read them, even later and on another machine. */
typedef struct zetl_raw {
    uint32_t size;
    uint32_t source; /* zetl_source_t that produced them */
    const char* chip;
    const void* plan;
    uint64_t plan_bytes;
    const void* reports; /* `count` reports of report_bytes each, oldest first */
    uint64_t count;
    const uint64_t* times; /* `count` times, one per report, on ZETL_CLOCK_COUNTERS */
} zetl_raw_t;

/* An evaluated row: the interval that it covers, and whether all its values are final. */
typedef struct zetl_row {
    uint64_t begin;
    uint64_t end;         /* ZETL_CLOCK_COUNTERS */
    uint64_t last_report; /* index of the report that ends the interval */
    uint32_t complete;
    uint32_t reserved;
} zetl_row_t;

/* Where a report holds a value. Values are little endian. The upper part of a wide value may be stored elsewhere. */
typedef struct zetl_field {
    uint32_t size;
    uint32_t kind; /* zetl_counter_kind_t */
    uint32_t bits; /* width of the whole value, 1 to 64; a stream's counter wraps at 2^bits */
    uint32_t offset;
    uint32_t bytes;       /* size of the lower part: 1, 2, 4 or 8; 0: the report does not hold the value */
    uint32_t high_offset; /* offset of the upper part */
    uint32_t high_bytes;  /* size of the upper part; 0: there is none */
    uint32_t unused;
} zetl_field_t;

typedef struct zetl_counter_functions {
    uint32_t size;
    uint32_t reserved;
    /* catalog, plan and evaluate take a chip's name and need no device. */
    zetl_status_t (*catalog)(const char* chip, uint32_t capacity, const zetl_counter_info_t** infos, uint32_t* count);
    /* Returns ZETL_GONE if any name is unknown. Pass a null `plan` to learn the sizes only; otherwise plan_bytes bytes
     * are written, provided that they fit into plan_capacity. */
    zetl_status_t (*plan)(const char* chip, uint32_t source, uint32_t names_count, const char* const* names,
                          zetl_plan_info_t* info, uint64_t plan_capacity, void* plan);
    /* Has no side effects. `values` receives rows x names values, row by row, each of its counter's value_type. The
     * names must be among the plan's. *row_count follows the rule for lists. Every report of a query is a row. A report
     * of a stream is a row together with the report before it, so the first one yields none. */
    zetl_status_t (*evaluate)(const zetl_raw_t* raw, uint32_t names_count, const char* const* names,
                              uint64_t row_capacity, zetl_row_t* rows, zetl_value_t* values, uint64_t* row_count);

    /* Acquires the right to use a source. Returns ZETL_BUSY if another process holds it, which some providers only
     * notice when the source is first used. Functions return ZETL_GONE for a lease of the wrong source. */
    zetl_status_t (*acquire)(zetl_device_t device, uint32_t source, zetl_lease_t* lease);
    /* First destroy or close everything that was made with the lease. */
    zetl_status_t (*release)(zetl_lease_t lease);

    /* Creates `slots` independent begin/end pairs, at least one. The plan is not kept. Returns ZETL_GONE if the lease
     * is not for queries; ZETL_MISUSE for zero slots and for bytes that are not a plan for queries; ZETL_UNSUPPORTED
     * for a plan of several passes or for a chip on which the provider cannot count. All functions below return
     * ZETL_MISUSE for a slot number that is too large. */
    zetl_status_t (*query_create)(zetl_lease_t lease, const void* plan, uint64_t plan_bytes, uint32_t slots,
                                  zetl_query_t* query);
    zetl_status_t (*query_destroy)(zetl_query_t query); /* ZETL_BUSY while a slot is in flight */
    /* ZETL_QUERY_IN_STREAM: both calls are recorded into the list, ordered after all that precedes them. An immediate
     * list executes them. ZETL_QUERY_HOST_BRACKETED: both calls drain the device and block. A null list stands for any
     * immediate list and takes effect at once. A regular list records the calls, and each execution drains the device
     * in the thread that submits it; a provider that only takes immediate lists returns ZETL_UNSUPPORTED. If an
     * execution cannot count, it continues, and query_read returns the reason. query_end waits for `waits`, samples,
     * and then signals `signal`. */
    zetl_status_t (*query_begin)(zetl_query_t query, uint32_t slot, ze_command_list_handle_t list);
    zetl_status_t (*query_end)(zetl_query_t query, uint32_t slot, ze_command_list_handle_t list,
                               ze_event_handle_t signal, uint32_t wait_count, const ze_event_handle_t* waits);
    /* Discards the slot's data. Returns ZETL_BUSY between the execution of begin and end, unless the queue was lost
     * there. */
    zetl_status_t (*query_reset)(zetl_query_t query, uint32_t slot);
    /* Writes the plan's report_bytes and the time of the end. Returns ZETL_NOT_READY until the end has executed, and
     * ZETL_LOST if the queue was lost after the begin. */
    zetl_status_t (*query_read)(zetl_query_t query, uint32_t slot, uint64_t capacity, void* report, uint64_t* time);
    /* Recorded into the list. Samples taken after it include all memory traffic of the commands before it. */
    zetl_status_t (*memory_barrier)(ze_command_list_handle_t list);

    /* Tells where the plan's reports hold its counters, so that reports can be read without the provider, even later
     * and on another machine. A stream's report holds the state of its counters; a query's report holds the difference
     * over its interval. `begin` is the time at which a query's interval begins. Returns ZETL_GONE if any name is
     * unknown, and ZETL_UNSUPPORTED if reports have no fixed layout, so that only evaluate can read them. Takes a
     * chip's name and needs no device. */
    zetl_status_t (*layout)(const char* chip, const void* plan, uint64_t plan_bytes, uint32_t names_count,
                            const char* const* names, zetl_field_t* fields, zetl_field_t* begin);
} zetl_counter_functions_t;

/* -------------------------------------------------------------------------------------------------------- streaming */

typedef enum zetl_loss_kind {
    ZETL_LOSS_NONE = 0,
    ZETL_LOSS_GAP = 1, /* the reports of a time span are missing; the stream continues */
    ZETL_LOSS_ALL = 2  /* everything since the last drain is lost; the stream was restarted */
} zetl_loss_kind_t;

/* What was lost since the last drain. Times are on ZETL_CLOCK_COUNTERS, those of command records on
 * ZETL_CLOCK_DEVICE. */
typedef struct zetl_loss {
    uint32_t size;
    uint32_t kind;
    uint64_t begin;   /* time of the first lost report */
    uint64_t end;     /* time of the last lost report */
    uint64_t reports; /* number of lost reports; UINT64_MAX: unknown */
} zetl_loss_t;

/* Why a report was made. An interpolated report is a timer report during whose period the device was not read: the
 * counts between two readings were distributed evenly. */
typedef enum zetl_report_reason {
    ZETL_REPORT_TIMER = 0,
    ZETL_REPORT_MARKER = 1,
    ZETL_REPORT_INTERPOLATED = 2
} zetl_report_reason_t;

typedef struct zetl_report_info {
    uint64_t time;   /* on ZETL_CLOCK_COUNTERS */
    uint32_t reason; /* zetl_report_reason_t */
    uint32_t marker; /* the marker's value, for ZETL_REPORT_MARKER */
} zetl_report_info_t;

typedef struct zetl_stream_options {
    uint32_t size;
    uint32_t reserved;
    uint64_t period_ns; /* in: requested; out: granted */
    uint64_t capacity;  /* reports kept until they are drained; in: requested; out: granted */
} zetl_stream_options_t;

typedef struct zetl_stream_functions {
    uint32_t size;
    uint32_t reserved;
    zetl_status_t (*open)(zetl_lease_t lease, const void* plan, uint64_t plan_bytes, zetl_stream_options_t* options,
                          zetl_stream_t* stream); /* may take 0.3 s */
    /* Begins to make reports. May return ZETL_BUSY or ZETL_NEEDS_PRIVILEGE if acquire could not detect the cause. Has
     * no effect on a running stream (ZETL_OK). */
    zetl_status_t (*start)(zetl_stream_t stream);
    /* Stops making reports. Has no effect on a stopped stream (ZETL_OK). Providers differ in whether reports can be
     * drained after stop, and in whether a later start continues, starts over or has no effect. So drain before stop,
     * and open a new stream instead of restarting this one. */
    zetl_status_t (*stop)(zetl_stream_t stream);
    /* The number of waiting reports; removes none. It grows in real time, even while the device is idle. */
    zetl_status_t (*pending)(zetl_stream_t stream, uint64_t* count);
    /* Removes up to `capacity` reports, oldest first. Never waits. Do not call it concurrently for one stream. Timer
     * reports are exactly one period apart, except for a reported loss, which lies before the first report. If a marker
     * would come first, the report before it is repeated in front of it, as long as both fit. */
    zetl_status_t (*drain)(zetl_stream_t stream, uint64_t capacity, void* reports, zetl_report_info_t* infos,
                           uint64_t* count, zetl_loss_t* loss);
    /* Makes a report with reason ZETL_REPORT_MARKER when the list reaches this point. */
    zetl_status_t (*marker)(zetl_stream_t stream, ze_command_list_handle_t list, uint32_t value);
    /* Stops the stream and drops undrained reports. Markers that execute later have no effect. May wait for a thread of
     * the provider. */
    zetl_status_t (*close)(zetl_stream_t stream);
} zetl_stream_functions_t;

/* -------------------------------------------------------------------------------------------- instruction sampling */

/* How often an instruction was found waiting for one reason. */
typedef struct zetl_sample {
    zetl_module_t module;
    uint64_t address; /* virtual address of the instruction */
    uint64_t count;
    uint32_t reason; /* index into the names that reasons() lists */
    uint32_t reserved;
} zetl_sample_t;

typedef struct zetl_sampling_functions {
    uint32_t size;
    uint32_t reserved;
    zetl_status_t (*reasons)(const char* chip, uint32_t capacity, const char** names, uint32_t* count);
    /* Samples threads from open to close. options->capacity is the number of observations (one look at one thread) that
     * are kept until they are drained. A device may grant a period that is shorter in device time than in host time;
     * its documentation says so. */
    zetl_status_t (*open)(zetl_lease_t lease, zetl_stream_options_t* options, zetl_stream_t* stream);
    /* Removes up to `capacity` samples, grouped by address and reason, and sets *count to their number. Capacity 0
     * returns the number that waits and removes none. Module 0 means code that is no longer loaded. loss->begin and
     * loss->end are the interval in which the samples were taken, whether or not any were lost; loss->reports is the
     * number of lost observations. */
    zetl_status_t (*drain)(zetl_stream_t stream, uint64_t capacity, zetl_sample_t* samples, uint64_t* count,
                           zetl_loss_t* loss);
    zetl_status_t (*close)(zetl_stream_t stream);
    /* The number of observations that wait to be drained: the sum of the counts that drain would return. */
    zetl_status_t (*pending)(zetl_stream_t stream, uint64_t* looks);
} zetl_sampling_functions_t;

/* ------------------------------------------------------------------------------------------------ traced commands */

/* Fills are copies. ZETL_COMMAND_OTHER is everything that does no work: queries, markers, signals. */
typedef enum zetl_command_kind {
    ZETL_COMMAND_OTHER = 0,
    ZETL_COMMAND_KERNEL = 1,
    ZETL_COMMAND_COPY = 2,
    ZETL_COMMAND_BARRIER = 3,
    ZETL_COMMAND_WORD = 4 /* not a command: a word that a command wrote to the event memory */
} zetl_command_kind_t;

/* The begin or the end of one tile's part of a command. Records appear when the command is complete: its begin, its
 * end, then the words that it wrote. */
typedef struct zetl_command_record {
    uint64_t time;         /* on ZETL_CLOCK_DEVICE */
    uint64_t command;      /* number of the command in its process, from 1 */
    uint32_t kind;         /* zetl_command_kind_t */
    uint32_t end;          /* 0: begin; 1: end */
    uint32_t parent_index; /* index of the tile among the sub-devices of its root device */
    uint32_t word;         /* ZETL_COMMAND_WORD: the word; 0 otherwise */
} zetl_command_record_t;

typedef struct zetl_command_functions {
    uint32_t size;
    uint32_t reserved;
    /* Records this process's commands on the device, from start to stop; for a root device, those on all its tiles.
     * *capacity is the number of records kept until they are drained (in: requested; out: granted). When it is
     * exceeded, the oldest records are dropped. */
    zetl_status_t (*open)(zetl_device_t device, uint64_t* capacity, zetl_stream_t* stream);
    zetl_status_t (*start)(zetl_stream_t stream);
    /* After stop, only commands that are already executing still produce records. */
    zetl_status_t (*stop)(zetl_stream_t stream);
    zetl_status_t (*pending)(zetl_stream_t stream, uint64_t* count);
    /* Removes up to `capacity` records, oldest first. Never waits. */
    zetl_status_t (*drain)(zetl_stream_t stream, uint64_t capacity, zetl_command_record_t* records, uint64_t* count,
                           zetl_loss_t* loss);
    zetl_status_t (*close)(zetl_stream_t stream);
} zetl_command_functions_t;

/* -------------------------------------------------------------------------------------------------- event memory */

/* Memory through which kernels and copies post values to command traces. Each aligned 32-bit word other than 0 that a
 * command leaves there becomes a ZETL_COMMAND_WORD record with the time of the command's end, in the order of
 * addresses, and reads as 0 afterwards. Words written while no command stream of the device runs are discarded when one
 * starts. */
typedef struct zetl_event_memory_functions {
    uint32_t size;
    uint32_t reserved;
    /* Returns a file descriptor that the device's driver can import as memory, and the size of that memory. A root
     * device and its sub-devices share one memory. The provider owns the descriptor: every call returns the same one,
     * it stays open while the driver is loaded, and the caller must not close it. Returns ZETL_NO_MEMORY if the host
     * has no memory or no descriptor for it. */
    zetl_status_t (*descriptor)(zetl_device_t device, int32_t* descriptor, uint64_t* bytes);
} zetl_event_memory_functions_t;

/* --------------------------------------------------------------------------------------------------------- modules */

typedef enum zetl_image_kind {
    ZETL_IMAGE_NONE = 0,
    ZETL_IMAGE_ZEBIN = 1,
    ZETL_IMAGE_PATCH_TOKENS = 2,
    ZETL_IMAGE_CUBIN = 3,
    ZETL_IMAGE_ELF = 4
} zetl_image_kind_t;

typedef struct zetl_module_info {
    uint32_t size;
    uint32_t image_kind; /* zetl_image_kind_t of the debug image */
    zetl_device_t device;
    uint64_t hash;             /* hash of the loaded image; key for samples and stored data */
    uint64_t load_address;     /* lowest address of the code */
    uint64_t code_bytes;       /* the module's code is at [load_address, load_address + code_bytes) */
    uint64_t image_bytes;      /* size of the debug image: an ELF, with final addresses if the format allows */
    const char* build_options; /* as passed to zeModuleCreate; "" for native input; lives as long as the module */
} zetl_module_info_t;

/* Receives the image of a module before it is loaded. Returns bytes to load instead, or null to keep the image. The
 * bytes must stay valid until the next call of the same rewriter on the same thread, or until it is removed. */
typedef const void* (*zetl_rewriter_t)(void* user, zetl_device_t device, uint32_t image_kind, const void* image,
                                       uint64_t bytes, uint64_t* new_bytes);

typedef struct zetl_module_functions {
    uint32_t size;
    uint32_t reserved;
    /* Lists the modules that can run on the device: those created on it, on its sub-devices, and on the root device of
     * a sub-device. An id ends when the application destroys the module, even if kernels of it still exist; describe
     * and read_image then return ZETL_GONE. Other threads may create and destroy modules between any two calls, so the
     * number may change before the ids are read. */
    zetl_status_t (*list)(zetl_device_t device, uint32_t capacity, zetl_module_t* modules, uint32_t* count);
    /* Returns ZETL_UNSUPPORTED if the provider does not know the image that was loaded. Read or copy `build_options`
     * before the module is destroyed. */
    zetl_status_t (*describe)(zetl_module_t module, zetl_module_info_t* info);
    /* Returns the module of a handle, or the module that a kernel was created from (it may have ended). Returns
     * ZETL_GONE if no module or kernel of the driver has that handle now. Pass the driver's own handle: the driver does
     * not know a handle that a loader has wrapped. */
    zetl_status_t (*of_module)(ze_module_handle_t handle, zetl_module_t* module);
    zetl_status_t (*of_kernel)(ze_kernel_handle_t handle, zetl_module_t* module);
    /* Copies bytes [offset, offset + bytes) of the debug image. Returns ZETL_GONE, and copies nothing, if the image is
     * shorter or the module has ended. */
    zetl_status_t (*read_image)(zetl_module_t module, uint64_t offset, uint64_t bytes, void* buffer);
    /* Sets the only rewriter; null removes it. */
    zetl_status_t (*rewrite_before_load)(zetl_rewriter_t rewriter, void* user);
} zetl_module_functions_t;

/* ------------------------------------------------------------------------------------------- targets: program debug */

typedef enum zetl_space {
    ZETL_SPACE_GLOBAL = 0,  /* device virtual memory */
    ZETL_SPACE_CODE = 1,    /* loaded instructions; later fetches see a write completely */
    ZETL_SPACE_SHARED = 2,  /* local memory of the stopped thread's work-group, by offset */
    ZETL_SPACE_PRIVATE = 3, /* private memory of a lane, which is the highest byte of the address */
    ZETL_SPACE_CONSTANT = 4,
    ZETL_SPACE_PARAMETER = 5, /* arguments of the stopped thread's kernel */
    /* The history of a recorded launch (docs/reference/program-debug.md): a request is written at 0, and its answer is
     * read from 0 on. */
    ZETL_SPACE_HISTORY = 6,
    /* Global memory whose changes stop threads (docs/reference/program-debug.md). */
    ZETL_SPACE_WATCHES = 7,
    /* Conditions of breakpoints, by the address of the instruction (docs/reference/program-debug.md). */
    ZETL_SPACE_CONDITIONS = 8
} zetl_space_t;

typedef struct zetl_register_set {
    uint32_t size;
    uint32_t type; /* the vendor's number of the set, as in zetDebugGetRegisterSetProperties */
    const char* name;
    uint32_t count; /* registers of one thread in its largest mode */
    uint32_t bits;
    uint32_t bytes; /* size of one register in a buffer */
    uint32_t readable;
    uint32_t writeable;
    uint32_t per_lane; /* 1: one value per lane: lanes x count registers, lane by lane */
    uint32_t usual;    /* registers of one thread in the default mode; 0: count */
} zetl_register_set_t;

/* Why a thread stopped; several bits may be set. */
enum {
    ZETL_STOP_HALT = 1u,       /* halt() requested it */
    ZETL_STOP_BREAKPOINT = 2u, /* breakpoint hit */
    ZETL_STOP_STEP = 4u,       /* single step complete */
    ZETL_STOP_ILLEGAL = 8u,    /* illegal instruction */
    ZETL_STOP_SOFTWARE = 16u,  /* raised by the program */
    ZETL_STOP_FAULT = 32u      /* illegal memory access */
};

typedef enum zetl_event_kind {
    ZETL_EVENT_PROCESS_ENTRY = 1, /* the process created its first queue on the device */
    ZETL_EVENT_PROCESS_EXIT = 2,
    ZETL_EVENT_MODULE_LOAD = 3, /* hold != 0: no kernel of the module runs until release(hold) */
    ZETL_EVENT_MODULE_UNLOAD = 4,
    ZETL_EVENT_STOPPED = 5, /* one thread stopped by itself: see cause and address */
    ZETL_EVENT_HALTED = 6,  /* answers halt(token): the requested set, of which `stopped` threads are now halted */
    /* A page fault that no thread caused: see address and write. cause is ZETL_STOP_FAULT if the address is mapped but
     * the access is not allowed. */
    ZETL_EVENT_PAGE_FAULT = 7,
    ZETL_EVENT_GONE = 8 /* the target has ended; always the last event */
} zetl_event_kind_t;

typedef struct zetl_event {
    uint32_t size;
    uint32_t kind;
    zetl_thread_t thread;
    uint32_t cause; /* ZETL_STOP_ bits */
    uint32_t write; /* page fault: 1 if the access was a write */
    zetl_module_t module;
    uint64_t hold;
    uint64_t token;
    uint64_t stopped; /* HALTED: number of threads of the set that are now stopped */
    uint64_t address; /* fault: the accessed address; module: its load address */
    uint64_t bytes;   /* fault: size of the access */
} zetl_event_t;

/* The event is valid only during the call. */
typedef void (*zetl_sink_t)(void* user, const zetl_event_t* event);

typedef enum zetl_thread_state {
    ZETL_THREAD_IDLE = 0,
    ZETL_THREAD_RUNNING = 1,
    ZETL_THREAD_STOPPED = 2
} zetl_thread_state_t;

typedef struct zetl_target_functions {
    uint32_t size;
    uint32_t reserved;
    /* Attaches to process `pid` on the device and replays its present state as events: process entry, modules. The sink
     * may be called before open returns. Returns ZETL_BUSY if the process already has a debugger (a device and its
     * sub-devices share one), and ZETL_NOT_READY if the process has not initialized the device yet. */
    zetl_status_t (*open)(zetl_device_t device, uint64_t pid, zetl_sink_t sink, void* user, zetl_target_t* target);
    /* Releases every hold and resumes every stopped thread. When close returns, no call of the sink is in progress and
     * none will follow. */
    zetl_status_t (*close)(zetl_target_t target);
    /* Ends the hold of a MODULE_LOAD event. Returns ZETL_GONE if the hold was already released or its module was
     * unloaded. */
    zetl_status_t (*release)(zetl_target_t target, uint64_t hold);

    /* Returns at once. Exactly one HALTED event answers each call. */
    zetl_status_t (*halt)(zetl_target_t target, const zetl_thread_t* set, uint64_t token);
    /* Resumes every stopped thread of the set with its present registers. Returns ZETL_NOT_READY if none was
     * stopped. */
    zetl_status_t (*run)(zetl_target_t target, const zetl_thread_t* set);
    /* The state of one thread; ZETL_ANY in a level that the device has returns ZETL_MISUSE. *state is a
     * zetl_thread_state_t; a provider that cannot tell whether an unstopped thread is idle returns RUNNING. *cause
     * holds the ZETL_STOP_ bits of the present stop. It is 0 if the thread is not stopped, or if the provider does not
     * keep the bits, which are then only in the STOPPED event. */
    zetl_status_t (*state)(zetl_target_t target, const zetl_thread_t* thread, uint32_t* state, uint32_t* cause);

    /* Lists the stopped threads of the set. */
    zetl_status_t (*stopped)(zetl_target_t target, const zetl_thread_t* set, uint32_t capacity, zetl_thread_t* threads,
                             uint32_t* count);

    zetl_status_t (*register_sets)(zetl_device_t device, uint32_t capacity, const zetl_register_set_t** sets,
                                   uint32_t* count);
    /* The number of registers of the set that this stopped thread has. */
    zetl_status_t (*register_count)(zetl_target_t target, const zetl_thread_t* thread, uint32_t type, uint32_t* count);
    /* Both return ZETL_NOT_READY if the thread is not stopped. Written values are stored as they are, and take effect
     * when the thread resumes. */
    zetl_status_t (*read_registers)(zetl_target_t target, const zetl_thread_t* thread, uint32_t type, uint32_t first,
                                    uint32_t count, void* values);
    zetl_status_t (*write_registers)(zetl_target_t target, const zetl_thread_t* thread, uint32_t type, uint32_t first,
                                     uint32_t count, const void* values);

    /* For spaces that belong to no thread, all levels of `thread` are ZETL_ANY. Both return ZETL_GONE, and transfer
     * nothing, if any byte is unmapped or beyond the end. */
    zetl_status_t (*read_memory)(zetl_target_t target, const zetl_thread_t* thread, uint32_t space, uint64_t address,
                                 uint64_t bytes, void* buffer);
    zetl_status_t (*write_memory)(zetl_target_t target, const zetl_thread_t* thread, uint32_t space, uint64_t address,
                                  uint64_t bytes, const void* buffer);
    /* As describe and read_image of the modules section, for the target, which may be another process. */
    zetl_status_t (*module_info)(zetl_target_t target, zetl_module_t module, zetl_module_info_t* info);
    zetl_status_t (*read_image)(zetl_target_t target, zetl_module_t module, uint64_t offset, uint64_t bytes,
                                void* buffer);

    /* Sets (on != 0) or removes the breakpoint at the instruction at `address`. Has no effect if it is set, or removed,
     * already (ZETL_OK). While it is set, read_memory may show another instruction there. Returns ZETL_UNSUPPORTED if
     * breakpoints of this device are set by writing code, and ZETL_GONE if no code is at the address. This function was
     * appended: the table of an older provider ends before it, and means ZETL_UNSUPPORTED. */
    zetl_status_t (*breakpoint)(zetl_target_t target, uint64_t address, uint32_t on);
} zetl_target_functions_t;

/* ------------------------------------------------------------------------------------------------------------- root */

typedef struct zetl_device_access {
    uint32_t size;
    uint32_t version;     /* the provider's ZETL_DEVICE_ACCESS_VERSION */
    const char* provider; /* for logs */
    const zetl_device_functions_t* devices;
    const zetl_clock_functions_t* clocks;
    const zetl_counter_functions_t* counters;
    const zetl_stream_functions_t* streams;
    const zetl_sampling_functions_t* sampling;
    const zetl_module_functions_t* modules;
    const zetl_target_functions_t* targets;
    const zetl_command_functions_t* commands;
    const zetl_event_memory_functions_t* event_memory;
} zetl_device_access_t;

/* Returns null if the provider cannot serve a caller of this version. The tables stay valid while the driver is
 * loaded. */
typedef const zetl_device_access_t* (*zetl_get_device_access_t)(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
