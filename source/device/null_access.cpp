#include "device/null_access.h"

#include <cstdint>

namespace zetl::device {
namespace {

template <class... A>
using Function = zetl_status_t (*)(A...);

template <class... A>
zetl_status_t refuse(A...) noexcept {
    return ZETL_UNSUPPORTED;
}

/// Converts to any function of the interface that it initialises.
struct Refusal {
    template <class... A>
    constexpr operator Function<A...>() const noexcept {
        return &refuse<A...>;
    }
};
constexpr Refusal kNo;

zetl_status_t listNothing(std::uint32_t, zetl_device_t*, std::uint32_t* count) noexcept {
    if (!count) return ZETL_MISUSE;
    *count = 0;
    return ZETL_OK;
}
zetl_status_t describeNothing(zetl_device_t, zetl_device_info_t*) noexcept { return ZETL_GONE; }

constexpr zetl_device_functions_t kDevices = {
    .size = sizeof kDevices,
    .reserved = 0,
    .list = listNothing,
    .describe = describeNothing,
};
constexpr zetl_clock_functions_t kClocks = {
    .size = sizeof kClocks,
    .reserved = 0,
    .describe = kNo,
    .snapshot = kNo,
    .convert = kNo,
};
constexpr zetl_counter_functions_t kCounters = {
    .size = sizeof kCounters,
    .reserved = 0,
    .catalog = kNo,
    .plan = kNo,
    .evaluate = kNo,
    .acquire = kNo,
    .release = kNo,
    .query_create = kNo,
    .query_destroy = kNo,
    .query_begin = kNo,
    .query_end = kNo,
    .query_reset = kNo,
    .query_read = kNo,
    .memory_barrier = kNo,
    .layout = kNo,
};
constexpr zetl_stream_functions_t kStreams = {
    .size = sizeof kStreams,
    .reserved = 0,
    .open = kNo,
    .start = kNo,
    .stop = kNo,
    .pending = kNo,
    .drain = kNo,
    .marker = kNo,
    .close = kNo,
};
constexpr zetl_sampling_functions_t kSampling = {
    .size = sizeof kSampling,
    .reserved = 0,
    .reasons = kNo,
    .open = kNo,
    .drain = kNo,
    .close = kNo,
    .pending = kNo,
};
constexpr zetl_module_functions_t kModules = {
    .size = sizeof kModules,
    .reserved = 0,
    .list = kNo,
    .describe = kNo,
    .of_module = kNo,
    .of_kernel = kNo,
    .read_image = kNo,
    .rewrite_before_load = kNo,
};
constexpr zetl_target_functions_t kTargets = {
    .size = sizeof kTargets,
    .reserved = 0,
    .open = kNo,
    .close = kNo,
    .release = kNo,
    .halt = kNo,
    .run = kNo,
    .state = kNo,
    .stopped = kNo,
    .register_sets = kNo,
    .register_count = kNo,
    .read_registers = kNo,
    .write_registers = kNo,
    .read_memory = kNo,
    .write_memory = kNo,
    .module_info = kNo,
    .read_image = kNo,
    .breakpoint = kNo,
};

constexpr zetl_command_functions_t kCommands = {
    .size = sizeof kCommands,
    .reserved = 0,
    .open = kNo,
    .start = kNo,
    .stop = kNo,
    .pending = kNo,
    .drain = kNo,
    .close = kNo,
};

constexpr zetl_event_memory_functions_t kEventMemory = {
    .size = sizeof kEventMemory,
    .reserved = 0,
    .descriptor = kNo,
};

constexpr zetl_device_access_t kAccess = {
    .size = sizeof kAccess,
    .version = ZETL_DEVICE_ACCESS_VERSION,
    .provider = "null",
    .devices = &kDevices,
    .clocks = &kClocks,
    .counters = &kCounters,
    .streams = &kStreams,
    .sampling = &kSampling,
    .modules = &kModules,
    .targets = &kTargets,
    .commands = &kCommands,
    .event_memory = &kEventMemory,
};

}  // namespace

const zetl_device_access_t& nullAccess() noexcept { return kAccess; }

}  // namespace zetl::device
