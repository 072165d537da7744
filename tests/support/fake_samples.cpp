// The scripted device's sampled instructions and its commands.
#include <algorithm>

#include "support/fake_state.h"

namespace zetl::test::fake {
namespace {

constexpr const char* kReasons[] = {"Active", "SbidStall", "NobodyKnowsWhy"};
constexpr zetl_stream_t kSampling = 71;
constexpr zetl_stream_t kCommands = 72;

zetl_status_t reasons(const char*, std::uint32_t capacity, const char** names, std::uint32_t* count) noexcept {
    const auto lock = enter("reasons");
    if (!state().character.samples) return ZETL_UNSUPPORTED;
    *count = std::size(kReasons);
    std::copy_n(kReasons, std::min(capacity, *count), names);
    return ZETL_OK;
}

zetl_status_t openSampling(zetl_lease_t lease, zetl_stream_options_t* options, zetl_stream_t* stream) noexcept {
    const auto lock = enter("open_sampling");
    const auto found = state().leases.find(lease);
    if (found == state().leases.end() || found->second != ZETL_SOURCE_SAMPLING) return ZETL_GONE;
    state().samplingCapacity = options->capacity;
    *stream = kSampling;
    return ZETL_OK;
}

zetl_status_t drainSamples(zetl_stream_t stream, std::uint64_t capacity, zetl_sample_t* samples, std::uint64_t* count,
                           zetl_loss_t* loss) noexcept {
    const auto lock = enter("drain_samples");
    auto& waiting = state().samples;
    if (stream != kSampling) return ZETL_GONE;
    *count = waiting.size();
    *loss = {sizeof *loss, ZETL_LOSS_NONE, 0, state().time, 0};
    if (capacity == 0) return ZETL_OK;
    *count = std::min<std::uint64_t>(capacity, waiting.size());
    std::copy_n(waiting.begin(), *count, samples);
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(*count));
    if (const auto lost = std::exchange(state().lostSamples, 0); lost > 0) {
        loss->kind = ZETL_LOSS_GAP;
        loss->reports = lost;
    }
    return ZETL_OK;
}

zetl_status_t pendingSamples(zetl_stream_t, std::uint64_t* looks) noexcept {
    const auto lock = enter("pending_samples");
    *looks = 0;
    for (const auto& each : state().samples) *looks += each.count;
    return ZETL_OK;
}

zetl_status_t closeSampling(zetl_stream_t stream) noexcept {
    const auto lock = enter("close_sampling");
    return stream == kSampling ? ZETL_OK : ZETL_GONE;
}

zetl_status_t openCommands(zetl_device_t device, std::uint64_t*, zetl_stream_t* stream) noexcept {
    const auto lock = enter("open_commands");
    if (!state().character.commands) return ZETL_UNSUPPORTED;
    if (device != kDevice) return ZETL_GONE;
    *stream = kCommands;
    return ZETL_OK;
}

zetl_status_t runCommands(zetl_stream_t stream, bool running) noexcept {
    const auto lock = enter(running ? "start_commands" : "stop_commands");
    if (!state().character.commands) return ZETL_UNSUPPORTED;
    if (stream != kCommands) return ZETL_GONE;
    state().commandsRun = running;
    return ZETL_OK;
}
zetl_status_t startCommands(zetl_stream_t stream) noexcept { return runCommands(stream, true); }
zetl_status_t stopCommands(zetl_stream_t stream) noexcept { return runCommands(stream, false); }

zetl_status_t pendingCommands(zetl_stream_t, std::uint64_t* count) noexcept {
    const auto lock = enter("pending_commands");
    *count = state().commands.size();
    return ZETL_OK;
}

zetl_status_t drainCommands(zetl_stream_t, std::uint64_t capacity, zetl_command_record_t* records, std::uint64_t* count,
                            zetl_loss_t* loss) noexcept {
    const auto lock = enter("drain_commands");
    auto& waiting = state().commands;
    *count = std::min<std::uint64_t>(capacity, waiting.size());
    std::copy_n(waiting.begin(), *count, records);
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(*count));
    const auto lost = std::exchange(state().lostCommands, 0);
    *loss = {sizeof *loss, lost > 0 ? ZETL_LOSS_GAP : ZETL_LOSS_NONE, 0, 0, lost};
    return ZETL_OK;
}

zetl_status_t closeCommands(zetl_stream_t stream) noexcept {
    const auto lock = enter("close_commands");
    return stream == kCommands ? ZETL_OK : ZETL_GONE;
}

zetl_status_t eventMemory(zetl_device_t device, std::int32_t* descriptor, std::uint64_t* bytes) noexcept {
    const auto lock = enter("event_memory");
    if (!state().character.eventMemory) return ZETL_UNSUPPORTED;
    if (device != kDevice) return ZETL_GONE;
    *descriptor = 42;
    *bytes = 4096;
    return ZETL_OK;
}

}  // namespace

const zetl_sampling_functions_t kSamplingFunctions = {
    .size = sizeof kSamplingFunctions,
    .reserved = 0,
    .reasons = reasons,
    .open = openSampling,
    .drain = drainSamples,
    .close = closeSampling,
    .pending = pendingSamples,
};
const zetl_command_functions_t kCommandFunctions = {
    .size = sizeof kCommandFunctions,
    .reserved = 0,
    .open = openCommands,
    .start = startCommands,
    .stop = stopCommands,
    .pending = pendingCommands,
    .drain = drainCommands,
    .close = closeCommands,
};
const zetl_event_memory_functions_t kEventMemoryFunctions = {
    .size = sizeof kEventMemoryFunctions,
    .reserved = 0,
    .descriptor = eventMemory,
};

void sample(std::uint64_t address, std::uint32_t reason, std::uint64_t count) {
    const auto lock = enter("");
    state().samples.push_back({0, address, count, reason, 0});
}

void loseSamples(std::uint64_t looks) {
    const auto lock = enter("");
    state().lostSamples = looks;
}

void execute(zetl_command_kind_t kind, std::uint64_t begin, std::uint64_t end) {
    const auto lock = enter("");
    auto& s = state();
    if (!s.commandsRun) return;
    ++s.commandNumber;
    s.commands.push_back({begin, s.commandNumber, static_cast<std::uint32_t>(kind), 0, 0, 0});
    s.commands.push_back({end, s.commandNumber, static_cast<std::uint32_t>(kind), 1, 0, 0});
}

void leave(std::uint32_t word, std::uint64_t time) {
    const auto lock = enter("");
    auto& s = state();
    if (s.commandsRun) s.commands.push_back({time, s.commandNumber, ZETL_COMMAND_WORD, 1, 0, word});
}

void loseCommands(std::uint64_t records) {
    const auto lock = enter("");
    state().lostCommands = records;
}

}  // namespace zetl::test::fake
