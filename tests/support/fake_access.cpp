#include "support/fake_access.h"

#include <algorithm>
#include <cstring>

#include "support/fake_state.h"

namespace zetl::test::fake {
namespace {

zetl_status_t list(std::uint32_t capacity, zetl_device_t* devices, std::uint32_t* count) {
    *count = 1;
    if (capacity > 0) devices[0] = kDevice;
    return ZETL_OK;
}

zetl_status_t describe(zetl_device_t device, zetl_device_info_t* info) {
    if (device != kDevice) return ZETL_GONE;
    if (info->size < sizeof *info) return ZETL_MISUSE;
    static const char* const kInputs[] = {"zebin"};
    zetl_device_info_t result{};
    result.size = sizeof result;
    result.vendor_id = 0x1234;
    result.address_bits = 48;
    std::memcpy(result.uuid, uuid().id, sizeof result.uuid);
    result.name = "Fake 4x2";
    result.chip = "fake";
    const auto& character = state().character;
    result.level_count = static_cast<std::uint32_t>(character.levels.size());
    result.lanes = 16;
    std::copy(character.levels.begin(), character.levels.end(), result.levels);
    result.stop_scope = character.stopScope;
    result.target_places = ZETL_TARGET_OWN_PROCESS;
    result.query_kind = character.queryKind;
    result.stream_scope = character.streamScope;
    for (std::uint32_t source = 0; source < ZETL_SOURCES; ++source)
        result.together[source] = character.sourcesTogether ? 7 : 1u << source;
    result.core_clock_hz = kTicksPerSecond;
    result.program_input_count = 1;
    result.program_inputs = kInputs;
    *info = result;
    return ZETL_OK;
}

zetl_status_t describeClock(zetl_device_t device, std::uint32_t kind, zetl_clock_info_t* info) {
    if (device != kDevice) return ZETL_GONE;
    if (info->size < sizeof *info) return ZETL_MISUSE;
    *info = {sizeof *info, kind, kTicksPerSecond, 1, 64, 0};
    return ZETL_OK;
}

zetl_status_t snapshot(zetl_device_t, std::uint32_t, std::uint32_t, zetl_clock_pair_t* pair) {
    const auto lock = enter("snapshot");
    *pair = {sizeof *pair, 0, state().time, state().time, 1};
    return ZETL_OK;
}

zetl_status_t convert(zetl_device_t, std::uint32_t, std::uint32_t, std::uint64_t ticks, std::uint64_t* result,
                      std::uint64_t* uncertainty) {
    *result = ticks;
    *uncertainty = 1;
    return ZETL_OK;
}

constexpr zetl_device_functions_t kDevices = {
    .size = sizeof kDevices,
    .reserved = 0,
    .list = list,
    .describe = describe,
};
constexpr zetl_clock_functions_t kClocks = {
    .size = sizeof kClocks,
    .reserved = 0,
    .describe = describeClock,
    .snapshot = snapshot,
    .convert = convert,
};

}  // namespace

State& state() {
    static auto* const value = new State;
    return *value;
}

std::unique_lock<std::recursive_mutex> enter(const char* function) {
    std::unique_lock lock(state().mutex);
    ++state().calls[function];
    return lock;
}

const zetl_device_access_t& access() {
    static const zetl_device_access_t kAccess = {
        .size = sizeof kAccess,
        .version = ZETL_DEVICE_ACCESS_VERSION,
        .provider = "fake",
        .devices = &kDevices,
        .clocks = &kClocks,
        .counters = &kCounterFunctions,
        .streams = &kStreamFunctions,
        .sampling = &kSamplingFunctions,
        .modules = &kModuleFunctions,
        .targets = &kTargetFunctions,
        .commands = &kCommandFunctions,
        .event_memory = &kEventMemoryFunctions,
    };
    return kAccess;
}

ze_device_uuid_t uuid() {
    ze_device_uuid_t value{};
    for (std::uint8_t i = 0; i < sizeof value.id; ++i) value.id[i] = static_cast<std::uint8_t>(0xA0 + i);
    return value;
}

void reset() {
    const std::lock_guard guard(state().mutex);
    auto& s = state();
    s.character = {};
    s.time = 0;
    s.counters.clear();
    s.occupied.clear();
    s.describesReports = true;
    s.calls.clear();
    s.stream = {};
    s.queries.clear();
    s.modules.clear();
    s.holds.clear();
    s.released.clear();
    s.entered = false;
    s.answerAtOnce = true;
    for (auto& thread : s.threads) thread = {};
    s.target = {};
    s.memory.clear();
    s.samples.clear();
    s.commands.clear();
    s.lostSamples = s.lostCommands = s.commandNumber = 0;
    s.commandsRun = false;
}

Character otherVendors() {
    return {.levels = {{"sm", 4}, {"partition", 2}, {"warp", 2}},
            .queryKind = ZETL_QUERY_HOST_BRACKETED,
            .streamScope = ZETL_SCOPE_PROCESS,
            .stopScope = ZETL_SCOPE_DEVICE,
            .sourcesTogether = false,
            .otherCounters = true};
}

void become(const Character& character) {
    const std::lock_guard guard(state().mutex);
    state().character = character;
}

int calls(const std::string& function) {
    const std::lock_guard guard(state().mutex);
    return state().calls[function];
}

}  // namespace zetl::test::fake
