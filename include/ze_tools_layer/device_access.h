/*
 * Device access, version 1: what a Level Zero driver offers to the tools modules (metrics, instrumentation, debug).
 *
 * A driver answers zeDriverGetExtensionFunctionAddress(hDriver, ZETL_DEVICE_ACCESS_FUNCTION) with a pointer to a
 * zetl_get_device_access_t. Everything the modules know of a device, they know through the tables behind it.
 *
 * The device may be hardware, software, in another process or another vendor's. So objects are ids, never pointers; raw
 * data are opaque bytes; counters, registers, thread levels, clocks and stop reasons are described by data.
 *
 * RULES
 *
 *  - Structures: a structure begins with `size`. Its writer sets it to sizeof of what it knows; its reader touches
 *    nothing beyond it. Fields are only ever appended. A caller sets `size` in what it hands over to be filled. Those
 *    without `size` (levels, threads, values, rows, report infos, samples, command records) never change.
 *  - Sections: a null section means that the whole section is unsupported; only `devices` is mandatory. In a section
 *    that is present no function is null; what a device lacks answers ZETL_UNSUPPORTED.
 *  - Ids: 64 bit; 0 is "none"; never used twice in the life of the process. An id that ended answers ZETL_GONE.
 *  - Ownership: strings and descriptions behind `const` pointers belong to the provider and live as long as it.
 *    Buffers belong to the caller and are not kept.
 *  - Lists: functions with (capacity, *count) write at most `capacity` items and always set *count to the number there
 *    is; capacity 0 with a null buffer asks for the number only. Where they remove what they write (drain), *count is
 *    how many were removed.
 *  - Threads: all functions may be called from any thread at any time, except where stated. None waits for the device
 *    longer than its text says. Control of threads completes by event.
 *  - Errors: what a function was to fill is to be read after ZETL_OK only. None throws, none ends the process. In a
 *    forked child whatever needs the parent's device answers ZETL_LOST, and nothing waits for it.
 *  - Callbacks: a provider calls a sink from a thread of its own, or from the thread whose action caused the event (the
 *    one that creates a module, say), never from within a function of this interface, and one call at a time for a
 *    target. A sink returns quickly and calls nothing of this interface.
 *  - Units: times in ticks of a named clock or, where a name ends in _ns, nanoseconds; rates, where it ends in _hz, in
 *    hertz. Sizes in bytes.
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

/* Seven refusals, and one word for a caller that broke the contract. */
typedef enum zetl_status {
    ZETL_OK = 0,
    ZETL_UNSUPPORTED = 1,     /* this device never does that */
    ZETL_BUSY = 2,            /* somebody else, perhaps another process, holds it */
    ZETL_NEEDS_PRIVILEGE = 3, /* the caller may not; an administrator can allow it */
    ZETL_NOT_READY = 4,       /* it exists but cannot answer in its present state: thread runs, query not finished */
    ZETL_LOST = 5,            /* device or connection broke, or the provider failed in a way that it has no word for */
    ZETL_GONE = 6,            /* no such object (any more), nothing mapped at that address */
    ZETL_MISUSE = 7,          /* null pointer, unknown enumerator, wrong size: a mistake of the caller */
    ZETL_NO_MEMORY = 8        /* the host has none for it; nothing changed */
} zetl_status_t;

typedef uint64_t zetl_device_t;
typedef uint64_t zetl_module_t;
typedef uint64_t zetl_lease_t;
typedef uint64_t zetl_query_t;
typedef uint64_t zetl_stream_t;
typedef uint64_t zetl_target_t;

/* ------------------------------------------------------------------------------------ devices: topology, identity */

/* One level of the path that names a hardware thread, outermost first: slice/subslice/EU/thread or
 * SM/sub-partition/warp. */
typedef struct zetl_level {
    const char* name;
    uint32_t count; /* values 0 .. count-1 */
} zetl_level_t;

/* A hardware thread, or a set of them: ZETL_ANY in a level stands for all its values. Levels the device lacks are 0. */
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
    ZETL_QUERY_IN_STREAM = 1,     /* the device samples at begin and end; the calls record and return */
    ZETL_QUERY_HOST_BRACKETED = 2 /* the device is drained; begin and end block, called by the thread that submits */
} zetl_query_kind_t;

/* What can be acquired. Combinations that work together are declared per device. */
typedef enum zetl_source { ZETL_SOURCE_QUERY = 0, ZETL_SOURCE_STREAM = 1, ZETL_SOURCE_SAMPLING = 2 } zetl_source_t;
#define ZETL_SOURCES 3u

/* Where a debug target's process may be. */
enum { ZETL_TARGET_OWN_PROCESS = 1u, ZETL_TARGET_OTHER_PROCESS = 2u };

typedef struct zetl_device_info {
    uint32_t size;
    uint32_t vendor_id;    /* PCI */
    zetl_device_t parent;  /* 0: a root device */
    uint32_t parent_index; /* place among the parent's sub-devices */
    uint32_t address_bits; /* of device virtual addresses; canonical form is sign extended */
    uint8_t uuid[16];      /* zeDeviceGetProperties gives the same, in every process */
    const char* name;
    const char* chip; /* key of planning and evaluation, which need no device */
    uint32_t level_count;
    uint32_t lanes; /* widest SIMD of one hardware thread */
    zetl_level_t levels[ZETL_MAX_LEVELS];
    uint32_t stop_scope;             /* zetl_scope_t: what stops when one thread is halted */
    uint32_t target_places;          /* ZETL_TARGET_ bits; 0: not debuggable */
    uint32_t query_kind;             /* zetl_query_kind_t */
    uint32_t stream_scope;           /* zetl_scope_t: whose work streamed counters see */
    uint32_t together[ZETL_SOURCES]; /* [a], bit b: sources a and b may be held at the same time, by anybody */
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
    ZETL_CLOCK_DEVICE = 0,         /* what zeDeviceGetGlobalTimestamps and, cut further, kernel timestamps count */
    ZETL_CLOCK_COUNTERS = 1,       /* timestamps of counter reports; of a width of its own */
    ZETL_CLOCK_HOST_MONOTONIC = 2, /* what zeDeviceGetGlobalTimestamps gives as host time */
    ZETL_CLOCK_HOST_REAL = 3
} zetl_clock_kind_t;

typedef struct zetl_clock_info {
    uint32_t size;
    uint32_t kind; /* zetl_clock_kind_t, also the clock's name in calls */
    uint64_t ticks_per_second;
    uint64_t step;       /* ticks between two values that can be observed */
    uint32_t valid_bits; /* values wrap at 2^valid_bits */
    uint32_t reserved;
} zetl_clock_info_t;

/* Two clocks read as close together as the device allows; `uncertainty_ns` bounds the distance. */
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
    /* May cost 10 us and an idle thread slot on real devices, or be answered from a fit. */
    zetl_status_t (*snapshot)(zetl_device_t device, uint32_t kind_a, uint32_t kind_b, zetl_clock_pair_t* pair);
    /* Carries a time from one clock to another with the device's best knowledge of rate and drift. A value of a clock
     * that wraps stands for the moment nearest to now. */
    zetl_status_t (*convert)(zetl_device_t device, uint32_t from, uint32_t to, uint64_t ticks, uint64_t* result,
                             uint64_t* uncertainty_ns);
} zetl_clock_functions_t;

/* -------------------------------------------------------------------------------------------------------- counters */

typedef enum zetl_value_type { ZETL_VALUE_UINT64 = 0, ZETL_VALUE_FLOAT64 = 1 } zetl_value_type_t;

typedef enum zetl_accuracy {
    ZETL_EXACT = 0, /* counted */
    ZETL_MODEL = 1  /* follows from the timing or cache model that the description names */
} zetl_accuracy_t;

/* Delta: difference over the interval. Last: the value at its end (a frequency, a marker). */
typedef enum zetl_counter_kind { ZETL_COUNTER_DELTA = 0, ZETL_COUNTER_LAST = 1 } zetl_counter_kind_t;

typedef struct zetl_counter_info {
    uint32_t size;
    uint32_t kind;    /* zetl_counter_kind_t */
    const char* name; /* unique in the catalogue, complete with rollup and submetric where the vendor has them */
    const char* description;
    const char* unit;  /* "ns", "cycles", "bytes", "instructions", ... */
    const char* block; /* hardware unit that counts it */
    uint32_t value_type;
    uint32_t accuracy;  /* zetl_accuracy_t */
    uint32_t sources;   /* bit s set: source s (query, stream) can deliver it */
    uint32_t intrusive; /* 1: counting changes the timing noticeably, by patched code for example */
} zetl_counter_info_t;

/* A list of counters prepared for one source. The bytes of a plan are opaque, may be stored, and are valid for that
 * chip. */
typedef struct zetl_plan_info {
    uint32_t size;
    uint32_t passes; /* 1: all at once. More: the work must be repeated, streams refuse */
    uint64_t shortest_period_ns;
    uint64_t report_bytes; /* of every raw report of this plan */
    uint64_t plan_bytes;
} zetl_plan_info_t;

typedef union zetl_value {
    uint64_t u64;
    double f64;
} zetl_value_t;

/* Raw data and all that is needed to read them, also elsewhere and later. */
typedef struct zetl_raw {
    uint32_t size;
    uint32_t source; /* zetl_source_t that produced them */
    const char* chip;
    const void* plan;
    uint64_t plan_bytes;
    const void* reports; /* count reports of report_bytes each, oldest first */
    uint64_t count;
    const uint64_t* times; /* ZETL_CLOCK_COUNTERS time of each report, count of them */
} zetl_raw_t;

/* An evaluated row: the interval it covers and whether every value in it is final. */
typedef struct zetl_row {
    uint64_t begin;
    uint64_t end;         /* ZETL_CLOCK_COUNTERS */
    uint64_t last_report; /* index of the report that ends the interval */
    uint32_t complete;
    uint32_t reserved;
} zetl_row_t;

/* Where reports hold a value, little endian. The upper part of a wide one may lie elsewhere. */
typedef struct zetl_field {
    uint32_t size;
    uint32_t kind; /* zetl_counter_kind_t */
    uint32_t bits; /* of the whole value, 1 to 64; a counter of a stream wraps at 2^bits */
    uint32_t offset;
    uint32_t bytes;       /* of the lower part; bytes 1, 2, 4 or 8; 0: there is no such value */
    uint32_t high_offset; /* of the upper part */
    uint32_t high_bytes;
    uint32_t unused; /* 0: there is no upper part */
} zetl_field_t;

typedef struct zetl_counter_functions {
    uint32_t size;
    uint32_t reserved;
    /* Catalogue, plan and evaluate work by chip name, without a device. */
    zetl_status_t (*catalog)(const char* chip, uint32_t capacity, const zetl_counter_info_t** infos, uint32_t* count);
    /* One unknown name refuses the list with ZETL_GONE. plan may be null to learn the sizes; otherwise plan_bytes are
     * written, if plan_capacity has room for them. */
    zetl_status_t (*plan)(const char* chip, uint32_t source, uint32_t names_count, const char* const* names,
                          zetl_plan_info_t* info, uint64_t plan_capacity, void* plan);
    /* Pure. values: rows x names, row by row, each of its counter's value_type; the names are among the plan's.
     * *row_count as in the (capacity, *count) rule. Of queries each report is a row; of streams each but the first,
     * which the second is compared with. */
    zetl_status_t (*evaluate)(const zetl_raw_t* raw, uint32_t names_count, const char* const* names,
                              uint64_t row_capacity, zetl_row_t* rows, zetl_value_t* values, uint64_t* row_count);

    /* The right to use a source; may fail late and because of another process (ZETL_BUSY). A lease of another source
     * than a function asks for is ZETL_GONE to it. */
    zetl_status_t (*acquire)(zetl_device_t device, uint32_t source, zetl_lease_t* lease);
    /* After what was made with it has been destroyed or closed. */
    zetl_status_t (*release)(zetl_lease_t lease);

    /* Queries. `slots` independent begin/end pairs, at least one; the plan is not kept. A slot that there is not:
     * ZETL_MISUSE. query_create answers ZETL_GONE for a lease that is none of queries, ZETL_MISUSE for no slots and for
     * bytes that are no plan of queries, ZETL_UNSUPPORTED for a plan of several passes or of a chip that the provider
     * cannot count on. */
    zetl_status_t (*query_create)(zetl_lease_t lease, const void* plan, uint64_t plan_bytes, uint32_t slots,
                                  zetl_query_t* query);
    zetl_status_t (*query_destroy)(zetl_query_t query); /* ZETL_BUSY while a slot is in flight */
    /* in_stream: recorded into the list, which orders them after what precedes; an immediate list executes them.
     * host_bracketed: both drain the device and block; at once where list is null, which stands for any immediate list.
     * A regular list records them, and each execution drains in the thread that submits it; ZETL_UNSUPPORTED where the
     * provider takes immediate lists alone. An execution that cannot count goes on: query_read has the reason.
     * End waits for the events, then samples, then signals. */
    zetl_status_t (*query_begin)(zetl_query_t query, uint32_t slot, ze_command_list_handle_t list);
    zetl_status_t (*query_end)(zetl_query_t query, uint32_t slot, ze_command_list_handle_t list,
                               ze_event_handle_t signal, uint32_t wait_count, const ze_event_handle_t* waits);
    /* Forgets the slot's data. ZETL_BUSY between execution of begin and end, unless the queue was lost there. */
    zetl_status_t (*query_reset)(zetl_query_t query, uint32_t slot);
    /* ZETL_NOT_READY until end has executed; ZETL_LOST if the queue was lost after begin. Writes plan's report_bytes
     * and the time of the end. */
    zetl_status_t (*query_read)(zetl_query_t query, uint32_t slot, uint64_t capacity, void* report, uint64_t* time);
    /* Recorded into the list: samples taken after it see all memory traffic of what precedes it. */
    zetl_status_t (*memory_barrier)(ze_command_list_handle_t list);

    /* Where the plan's reports hold its counters, so that they can be read without the provider, elsewhere and later:
     * reports of a stream the counters' state, of a query the difference over the interval. `begin`: the time at which
     * a query's interval begins. One unknown name refuses the list with ZETL_GONE. ZETL_UNSUPPORTED: reports have no
     * such form, and evaluate has to read them. Works by chip name, without a device. */
    zetl_status_t (*layout)(const char* chip, const void* plan, uint64_t plan_bytes, uint32_t names_count,
                            const char* const* names, zetl_field_t* fields, zetl_field_t* begin);
} zetl_counter_functions_t;

/* -------------------------------------------------------------------------------------------------------- streaming */

typedef enum zetl_loss_kind {
    ZETL_LOSS_NONE = 0,
    ZETL_LOSS_GAP = 1, /* reports of a time span are missing, the stream goes on */
    ZETL_LOSS_ALL = 2  /* everything since the last drain is gone, the stream was started anew */
} zetl_loss_kind_t;

/* Loss since the last drain. */
typedef struct zetl_loss {
    uint32_t size;
    uint32_t kind;
    uint64_t begin;
    uint64_t end;     /* times of the first and the last of them: ZETL_CLOCK_COUNTERS; of commands ZETL_CLOCK_DEVICE */
    uint64_t reports; /* UINT64_MAX: unknown */
} zetl_loss_t;

/* Why a report was made; it travels beside it. Interpolated: a report of the timer whose counts were shared out evenly
 * between two readings of the counters, because the device was not read in its period. */
typedef enum zetl_report_reason {
    ZETL_REPORT_TIMER = 0,
    ZETL_REPORT_MARKER = 1,
    ZETL_REPORT_INTERPOLATED = 2
} zetl_report_reason_t;

typedef struct zetl_report_info {
    uint64_t time;   /* ZETL_CLOCK_COUNTERS */
    uint32_t reason; /* zetl_report_reason_t */
    uint32_t marker; /* the value of the marker */
} zetl_report_info_t;

typedef struct zetl_stream_options {
    uint32_t size;
    uint32_t reserved;
    uint64_t period_ns; /* in: wanted; out: granted */
    uint64_t capacity;  /* reports kept until drained; in: wanted; out: granted */
} zetl_stream_options_t;

typedef struct zetl_stream_functions {
    uint32_t size;
    uint32_t reserved;
    zetl_status_t (*open)(zetl_lease_t lease, const void* plan, uint64_t plan_bytes, zetl_stream_options_t* options,
                          zetl_stream_t* stream); /* may take 0.3 s */
    /* Reports are made from now on. May answer ZETL_BUSY or ZETL_NEEDS_PRIVILEGE, where acquire could not tell yet. On
     * a stream that runs: ZETL_OK, without effect. */
    zetl_status_t (*start)(zetl_stream_t stream);
    /* No more reports are made. On a stream that does not run: ZETL_OK, without effect. Providers differ in whether
     * undrained reports can be drained after stop, and in whether start after stop goes on, begins anew or has no
     * effect. So drain before stop, and open another stream instead of starting this one again. */
    zetl_status_t (*stop)(zetl_stream_t stream);
    /* Reports waiting, without removing them. Real time: grows also while the device idles. */
    zetl_status_t (*pending)(zetl_stream_t stream, uint64_t* count);
    /* Removes up to `capacity` reports, oldest first. Never waits. Not concurrently for one stream. Reports of the
     * timer are one period apart, all of them, but for what is told as loss, which lies before the first report. A
     * marker that would come first has the report before it repeated in front of it, if there is room for both. */
    zetl_status_t (*drain)(zetl_stream_t stream, uint64_t capacity, void* reports, zetl_report_info_t* infos,
                           uint64_t* count, zetl_loss_t* loss);
    /* A report with reason marker at this point of the list. */
    zetl_status_t (*marker)(zetl_stream_t stream, ze_command_list_handle_t list, uint32_t value);
    /* Stops it, and drops what was not drained. Markers that execute later have no effect. May wait for a thread of the
     * provider's. */
    zetl_status_t (*close)(zetl_stream_t stream);
} zetl_stream_functions_t;

/* -------------------------------------------------------------------------------------------- instruction sampling */

/* How often instructions of one module were found waiting for one reason. */
typedef struct zetl_sample {
    zetl_module_t module;
    uint64_t address; /* virtual address of the instruction */
    uint64_t count;
    uint32_t reason; /* index in reasons */
    uint32_t reserved;
} zetl_sample_t;

typedef struct zetl_sampling_functions {
    uint32_t size;
    uint32_t reserved;
    zetl_status_t (*reasons)(const char* chip, uint32_t capacity, const char** names, uint32_t* count);
    /* Samples from open to close. Capacity: looks at a thread that are kept until drained. A device may grant a period
     * that stands for less time of its own than of the host's; its maker says so. */
    zetl_status_t (*open)(zetl_lease_t lease, zetl_stream_options_t* options, zetl_stream_t* stream);
    /* Removes up to `capacity` samples, by address and reason; *count is how many. Capacity 0: how many there are, none
     * removed. Module 0: code that is not loaded any more. Loss: `begin` and `end` are those of the interval in which
     * the samples were taken, whether any was lost or not; `reports` is the number of looks that were lost. */
    zetl_status_t (*drain)(zetl_stream_t stream, uint64_t capacity, zetl_sample_t* samples, uint64_t* count,
                           zetl_loss_t* loss);
    zetl_status_t (*close)(zetl_stream_t stream);
    /* Looks that wait to be drained: the sum of what drain would give as counts. */
    zetl_status_t (*pending)(zetl_stream_t stream, uint64_t* looks);
} zetl_sampling_functions_t;

/* ------------------------------------------------------------------------------------------------ traced commands */

/* Fills count as copies. Other: queries, markers, signals and what else is no work. */
typedef enum zetl_command_kind {
    ZETL_COMMAND_OTHER = 0,
    ZETL_COMMAND_KERNEL = 1,
    ZETL_COMMAND_COPY = 2,
    ZETL_COMMAND_BARRIER = 3,
    ZETL_COMMAND_WORD = 4 /* no command of its own: one left a word in the event memory */
} zetl_command_kind_t;

/* One end of what one tile did for a command. Told once the command is over: begin, then end, then the words it left.
 */
typedef struct zetl_command_record {
    uint64_t time;         /* ZETL_CLOCK_DEVICE */
    uint64_t command;      /* number of the command in its process, from 1 */
    uint32_t kind;         /* zetl_command_kind_t */
    uint32_t end;          /* 0: it began; 1: it ended */
    uint32_t parent_index; /* the tile's place among the sub-devices of its root device */
    uint32_t word;         /* ZETL_COMMAND_WORD: what was left; 0 otherwise */
} zetl_command_record_t;

typedef struct zetl_command_functions {
    uint32_t size;
    uint32_t reserved;
    /* Records commands of the own process on that device, of a root device on all its tiles, from start to stop.
     * Capacity: records that are kept until drained; in: wanted; out: granted. Of more the oldest are dropped. */
    zetl_status_t (*open)(zetl_device_t device, uint64_t* capacity, zetl_stream_t* stream);
    zetl_status_t (*start)(zetl_stream_t stream);
    /* No record comes after it has returned, but for those of commands that are executing. */
    zetl_status_t (*stop)(zetl_stream_t stream);
    zetl_status_t (*pending)(zetl_stream_t stream, uint64_t* count);
    /* Removes up to `capacity` records, oldest first. Never waits. */
    zetl_status_t (*drain)(zetl_stream_t stream, uint64_t capacity, zetl_command_record_t* records, uint64_t* count,
                           zetl_loss_t* loss);
    zetl_status_t (*close)(zetl_stream_t stream);
} zetl_command_functions_t;

/* -------------------------------------------------------------------------------------------------- event memory */

/* Memory by which work of the device tells those who trace commands what it likes. Each aligned 32-bit word other than
 * 0 that a command leaves in it is a record ZETL_COMMAND_WORD, at the time of the command's end and in the order of
 * addresses, and reads as 0 afterwards. While no stream of commands of the device runs nothing is told, and what was
 * left then is dropped when one starts. */
typedef struct zetl_event_memory_functions {
    uint32_t size;
    uint32_t reserved;
    /* A descriptor that the device's driver imports as memory, and how many bytes there are. A root device and its
     * sub-devices have one memory. The descriptor is the provider's: the same at each call, open while the driver is
     * loaded, not to be closed. NO_MEMORY: the host has no memory or no descriptor for it. */
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
    uint32_t image_kind; /* zetl_image_kind_t of the image below */
    zetl_device_t device;
    uint64_t hash;             /* of the loaded image: keys samples and stored data */
    uint64_t load_address;     /* lowest address of its code */
    uint64_t code_bytes;       /* addresses [load_address, +code_bytes) belong to it */
    uint64_t image_bytes;      /* the debug image: an ELF with final addresses where the format allows */
    const char* build_options; /* as given to zeModuleCreate; "" for native input; lives as long as the module */
} zetl_module_info_t;

/* Gets the image of a module before it is loaded. Answers with bytes to load in its place, or with null to keep it. The
 * bytes stay valid until the next call of the same rewriter on the same thread, or until it is removed. */
typedef const void* (*zetl_rewriter_t)(void* user, zetl_device_t device, uint32_t image_kind, const void* image,
                                       uint64_t bytes, uint64_t* new_bytes);

typedef struct zetl_module_functions {
    uint32_t size;
    uint32_t reserved;
    /* Modules that can run on the device: those made on it, on its sub-devices, and on the root device of a sub-device.
     * An id ends when the application destroys the module, even while kernels of it live; describe and read_image
     * answer ZETL_GONE from then on. Other threads may make and destroy modules between any two calls, so the number
     * may change before the ids are asked for. */
    zetl_status_t (*list)(zetl_device_t device, uint32_t capacity, zetl_module_t* modules, uint32_t* count);
    /* ZETL_UNSUPPORTED: the provider does not know the image that was loaded. `build_options` are to be read, or
     * copied, before the module is destroyed: nothing keeps them beyond that. */
    zetl_status_t (*describe)(zetl_module_t module, zetl_module_info_t* info);
    /* The module behind a handle, and the one that a kernel was made of, which may have ended. ZETL_GONE: no module or
     * kernel of the driver has that handle now; handles that a loader has wrapped are none of the driver's. */
    zetl_status_t (*of_module)(ze_module_handle_t handle, zetl_module_t* module);
    zetl_status_t (*of_kernel)(ze_kernel_handle_t handle, zetl_module_t* module);
    /* Bytes [offset, offset + bytes) of the debug image. ZETL_GONE: it ends before, or the module ended; nothing was
     * copied then. */
    zetl_status_t (*read_image)(zetl_module_t module, uint64_t offset, uint64_t bytes, void* buffer);
    /* At most one; null removes it. */
    zetl_status_t (*rewrite_before_load)(zetl_rewriter_t rewriter, void* user);
} zetl_module_functions_t;

/* ------------------------------------------------------------------------------------------- targets: program debug */

typedef enum zetl_space {
    ZETL_SPACE_GLOBAL = 0,  /* device virtual memory */
    ZETL_SPACE_CODE = 1,    /* loaded instructions; a write is seen whole by every later fetch */
    ZETL_SPACE_SHARED = 2,  /* of the work-group of a stopped thread, by offset */
    ZETL_SPACE_PRIVATE = 3, /* of a lane */
    ZETL_SPACE_CONSTANT = 4,
    ZETL_SPACE_PARAMETER = 5
} zetl_space_t;

typedef struct zetl_register_set {
    uint32_t size;
    uint32_t type; /* the vendor's number of the set, as zetDebugGetRegisterSetProperties gives it */
    const char* name;
    uint32_t count; /* of one thread in its largest mode */
    uint32_t bits;
    uint32_t bytes; /* of one register in a buffer */
    uint32_t readable;
    uint32_t writeable;
    uint32_t per_lane; /* 1: one value a lane, lanes x count registers, lane by lane */
    uint32_t usual;    /* of one thread in the mode that programs have without asking for another; 0: count */
} zetl_register_set_t;

/* Facts about a stop, any number at once. */
enum {
    ZETL_STOP_HALT = 1u,       /* asked for by halt() */
    ZETL_STOP_BREAKPOINT = 2u, /* a breakpoint was reached */
    ZETL_STOP_STEP = 4u,       /* a single step is done */
    ZETL_STOP_ILLEGAL = 8u,    /* an instruction that the device does not know */
    ZETL_STOP_SOFTWARE = 16u,  /* the program raised it */
    ZETL_STOP_FAULT = 32u      /* an access that is not allowed */
};

typedef enum zetl_event_kind {
    ZETL_EVENT_PROCESS_ENTRY = 1, /* first queue on the device */
    ZETL_EVENT_PROCESS_EXIT = 2,
    ZETL_EVENT_MODULE_LOAD = 3, /* hold != 0: nothing of the module runs until release(hold) */
    ZETL_EVENT_MODULE_UNLOAD = 4,
    ZETL_EVENT_STOPPED = 5, /* one thread, by its own doing: cause, address */
    ZETL_EVENT_HALTED = 6,  /* answer to halt(token): thread set as asked, `stopped` threads are halted now */
    /* No thread can be blamed: address, write; cause is ZETL_STOP_FAULT where something is mapped that forbids it. */
    ZETL_EVENT_PAGE_FAULT = 7,
    ZETL_EVENT_GONE = 8 /* the target ended; the last event */
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
    uint64_t stopped; /* HALTED: number of threads of the set that are stopped now */
    uint64_t address; /* fault: accessed; module: load address */
    uint64_t bytes;   /* fault: of the access */
} zetl_event_t;

/* The event is valid during the call only. */
typedef void (*zetl_sink_t)(void* user, const zetl_event_t* event);

typedef enum zetl_thread_state {
    ZETL_THREAD_IDLE = 0,
    ZETL_THREAD_RUNNING = 1,
    ZETL_THREAD_STOPPED = 2
} zetl_thread_state_t;

typedef struct zetl_target_functions {
    uint32_t size;
    uint32_t reserved;
    /* Opens process `pid` on the device for the only debugger it can have, and replays what is: process entry, modules.
     * The sink may be called before open returns. BUSY: it has one; a device and its sub-devices share theirs.
     * NOT_READY: that process has not started the device yet. */
    zetl_status_t (*open)(zetl_device_t device, uint64_t pid, zetl_sink_t sink, void* user, zetl_target_t* target);
    /* Releases every hold, runs every stopped thread. No call of the sink is in progress or follows when it returns. */
    zetl_status_t (*close)(zetl_target_t target);
    /* Ends a hold that an event told of. GONE: there is no such hold (any more): it was released, or its module was
     * unloaded. */
    zetl_status_t (*release)(zetl_target_t target, uint64_t hold);

    /* Returns at once; exactly one HALTED event answers each call. */
    zetl_status_t (*halt)(zetl_target_t target, const zetl_thread_t* set, uint64_t token);
    /* Runs every stopped thread of the set, from its registers as they are now. NOT_READY: none was stopped. */
    zetl_status_t (*run)(zetl_target_t target, const zetl_thread_t* set);
    /* Of one thread: ZETL_ANY in a level that the device has is MISUSE. *state: zetl_thread_state_t, of a thread that
     * is not stopped RUNNING where the provider cannot tell whether it is idle. *cause: the ZETL_STOP_ bits of the stop
     * it is in; 0 if it is not stopped, or if the provider does not keep them: the event STOPPED has them. */
    zetl_status_t (*state)(zetl_target_t target, const zetl_thread_t* thread, uint32_t* state, uint32_t* cause);

    /* The stopped threads of the set. */
    zetl_status_t (*stopped)(zetl_target_t target, const zetl_thread_t* set, uint32_t capacity, zetl_thread_t* threads,
                             uint32_t* count);

    zetl_status_t (*register_sets)(zetl_device_t device, uint32_t capacity, const zetl_register_set_t** sets,
                                   uint32_t* count);
    /* Number of registers of that set in this stopped thread. */
    zetl_status_t (*register_count)(zetl_target_t target, const zetl_thread_t* thread, uint32_t type, uint32_t* count);
    /* A stopped thread; NOT_READY otherwise. Values are stored as given and first looked at when the thread runs on. */
    zetl_status_t (*read_registers)(zetl_target_t target, const zetl_thread_t* thread, uint32_t type, uint32_t first,
                                    uint32_t count, void* values);
    zetl_status_t (*write_registers)(zetl_target_t target, const zetl_thread_t* thread, uint32_t type, uint32_t first,
                                     uint32_t count, const void* values);

    /* thread: all ZETL_ANY for spaces that need none. GONE: not mapped, or beyond the end; nothing was transferred
     * then. */
    zetl_status_t (*read_memory)(zetl_target_t target, const zetl_thread_t* thread, uint32_t space, uint64_t address,
                                 uint64_t bytes, void* buffer);
    zetl_status_t (*write_memory)(zetl_target_t target, const zetl_thread_t* thread, uint32_t space, uint64_t address,
                                  uint64_t bytes, const void* buffer);
    /* Modules of the target, which may be another process. */
    zetl_status_t (*module_info)(zetl_target_t target, zetl_module_t module, zetl_module_info_t* info);
    zetl_status_t (*read_image)(zetl_target_t target, zetl_module_t module, uint64_t offset, uint64_t bytes,
                                void* buffer);
} zetl_target_functions_t;

/* ------------------------------------------------------------------------------------------------------------- root */

typedef struct zetl_device_access {
    uint32_t size;
    uint32_t version;     /* ZETL_DEVICE_ACCESS_VERSION of the provider */
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

/* Null if the provider cannot serve a caller that knows version `version`. Valid while the driver is loaded. */
typedef const zetl_device_access_t* (*zetl_get_device_access_t)(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
