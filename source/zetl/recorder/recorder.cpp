// tidy: without the analyzer, which needs minutes for some hundred instances of two templates
// libzetl_trace.so: records every Level Zero call of a process, for `zetl trace`.
//
// The loader opens it as its tracing layer. It offers nothing itself but depends on libze_tools_layer.so.1, and looking
// a symbol up in a library also searches what it depends on: the loader gets the tools layer, and this library's
// constructor, which runs within that opening, adds a tracer before the first call is made. No preloading is involved,
// so programs that do not use Level Zero, or open the loader late, are not disturbed.
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "injected/tracer.h"
#include "recorder/arguments.h"
#include "recorder/binary_recorder.h"
#include "recorder/device_recorder.h"
#include "recorder/live_stream.h"
#include "recorder/recording.h"
#include "recorder/settings.h"
#include "text/patterns.h"

namespace zetl::recorder {
namespace {

using command::kFunctions;

/// Behind such a call a device has work, so that what is done here costs a program that waits for it nothing.
constexpr bool submits(std::string_view row) {
    return row.starts_with("zeCommandListAppend") || row.starts_with("zeCommandListImmediateAppend") ||
           row.starts_with("zeCommandQueueExecute");
}

/// What devices do is recorded once there is a loader. A library that uses the recorder before may bring it in earlier.
constinit std::atomic<bool> devicesWait{false};
void startDevices() noexcept;

template <std::size_t N>
constexpr auto kFacts = command::factsOf(command::kFunctionRows[N]);

template <std::size_t N>
void enter(Parameters parameters, std::uint64_t, void*, void** instance) noexcept {
    if (devicesWait.load(std::memory_order_relaxed)) startDevices();
    const auto call = Recording::beginCall(N, kFacts<N>.words);
    *instance = call.instance();
    auto* record = call.isIgnored() ? nullptr : call.record();
    DeviceRecorder::callBegins(record);
    if (record) readPassed<N>(parameters, record->payload());
}

template <std::size_t N>
void leave(Parameters parameters, std::uint64_t result, void*, void** instance) noexcept {
    constexpr auto facts = kFacts<N>;
    const auto call = Call::from(*instance);
    DeviceRecorder::callBegins(nullptr);
    if (call.isIgnored()) return;
    if constexpr (!facts.returnsValue) result &= UINT32_MAX;
    if constexpr (facts.pointsTo) {
        const bool failed = !facts.returnsValue && result != ZE_RESULT_SUCCESS;
        if (auto* record = call.record(); record && !failed && Recording::owns(record))
            readPointed(command::functions()[N], parameters, record->payload());
    }
    Recording::endCall(call, N, result, facts.isError(result));
    if constexpr (submits(command::kFunctionRows[N].name)) Recording::prepare();
}

// Every callback of the API has this shape; `result` is a ze_result_t or, for a few functions, a value.
using Callback = void(Parameters parameters, std::uint64_t result, void* user, void** instance) noexcept;
struct Callbacks {
    Callback* enter;
    Callback* leave;
};

constexpr auto kCallbacks = []<std::size_t... N>(std::index_sequence<N...>) {
    return std::array<Callbacks, sizeof...(N)>{Callbacks{enter<N>, leave<N>}...};
}
(std::make_index_sequence<kFunctions>());

/// Of the calls; enabled while there is a recording.
constinit std::optional<command::Tracer> tracer;

bool traceCalls(void* layer, const char* functions) {
    const command::Patterns wanted(functions);
    tracer = command::Tracer::create(layer);
    if (!tracer) return false;
    for (std::size_t i = 0; i < kFunctions; ++i) {
        const auto& name = command::functions()[i].name;
        if (!wanted.match(name)) continue;
        tracer->add(name, ZEL_REGISTER_PROLOGUE, kCallbacks[i].enter);
        tracer->add(name, ZEL_REGISTER_EPILOGUE, kCallbacks[i].leave);
    }
    return tracer->enable();
}

constexpr std::uint64_t kDefaultLimit = 256u << 20;

/// The variable's number. If it is not a number, says so and returns the default.
std::uint64_t numberFrom(const Settings& settings, const char* variable, const char* noun, std::uint64_t byDefault) {
    const char* text = settings.value(variable);
    if (!text) return byDefault;
    std::uint64_t number = 0;
    const char* last = text + std::strlen(text);
    if (const auto [end, error] = std::from_chars(text, last, number); error == std::errc() && end == last)
        return number;
    std::fprintf(stderr, "zetl: %s=%s is not a number of %s; %s\n", variable, text, noun,
                 byDefault == kDefaultLimit ? "the limit is 268435456" : "it is ignored");
    return byDefault;
}

bool isSwitched(const Settings& settings, const char* variable, bool byDefault) {
    const char* text = settings.value(variable);
    return text ? std::strcmp(text, "1") == 0 : byDefault;
}

std::uint64_t later(std::uint64_t time, std::uint64_t milliseconds) {
    constexpr std::uint64_t kMillisecond = 1'000'000;
    return milliseconds < (UINT64_MAX - time) / kMillisecond ? time + milliseconds * kMillisecond : UINT64_MAX;
}

Period periodFrom(const Settings& settings, std::uint64_t start) {
    Period period;
    period.from = later(start, numberFrom(settings, command::kDelayVariable, "milliseconds", 0));
    period.until = later(period.from, numberFrom(settings, command::kDurationVariable, "milliseconds", UINT64_MAX));
    period.paused = isSwitched(settings, command::kPausedVariable, false);
    return period;
}

std::uint64_t limitFrom(const Settings& settings) {
    return numberFrom(settings, command::kLimitVariable, "bytes", kDefaultLimit);
}

void* toolsLayer() { return dlopen("libze_tools_layer.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD); }

bool recordsDevices(const Settings& settings) { return isSwitched(settings, command::kActivityVariable, true); }

void startStreaming(const Settings& settings) {
    if (isSwitched(settings, command::kLttngVariable, false) && !LiveStream::isOn()) LiveStream::start();
}

void record(const Settings& settings, const char* directory) {
    if (!Recording::start(directory, limitFrom(settings), periodFrom(settings, now()))) return;
    startStreaming(settings);
    void* layer = toolsLayer();
    if (!layer || !traceCalls(layer, settings.value(command::kFunctionsVariable))) {
        std::fprintf(stderr, "zetl: not recording: the tools layer refused a tracer\n");
        return;
    }
    if (!recordsDevices(settings)) return;
    devicesWait = true;
    if (dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_NOLOAD)) startDevices();
}

void startDevices() noexcept {
    if (devicesWait.exchange(false))
        DeviceRecorder::start(toolsLayer(), Settings().value(command::kKernelsVariable), false);
}

[[gnu::constructor]] void attach() {
    const Settings settings;
    if (const char* directory = settings.value(command::kDirectoryVariable); directory && *directory)
        record(settings, directory);
    const char* binaries = settings.value(command::kBinariesVariable);
    if (void* layer = binaries && *binaries ? toolsLayer() : nullptr) recordBinaries(layer, binaries);
}

}  // namespace

// What the layer calls for `zetl trace --attach`, on a thread of its own (source/attachment/recorder_library.h).

/// Null: it records. Else why it does not.
extern "C" [[gnu::visibility("default")]] const char* zetlBeginRecording(const char* text, std::size_t bytes) noexcept;
extern "C" [[gnu::visibility("default")]] void zetlEndRecording() noexcept;
extern "C" [[gnu::visibility("default")]] void zetlReleaseRecording() noexcept;

extern "C" const char* zetlBeginRecording(const char* text, std::size_t bytes) noexcept try {
    if (Recording::hasStarted())
        return "it is recorded already, by the zetl trace that started it; zetl pause and zetl resume work there";
    const Settings settings(std::string(text, bytes));
    const char* directory = settings.value(command::kDirectoryVariable);
    void* layer = toolsLayer();
    if (!directory || !layer) return "zetl and the layer are of different versions; use those of one installation";
    if (!Recording::startAtOnce(directory, limitFrom(settings), periodFrom(settings, now())))
        return "it cannot write the recording; its standard error says why. In a container, run zetl there too";
    startStreaming(settings);
    if (recordsDevices(settings)) DeviceRecorder::start(layer, settings.value(command::kKernelsVariable), true);
    if (traceCalls(layer, settings.value(command::kFunctionsVariable))) return nullptr;
    zetlEndRecording();
    zetlReleaseRecording();
    return "the tools layer refused a tracer; another tool of the process may have used up its tracers";
} catch (const std::bad_alloc&) {
    return "it is out of memory";
}

extern "C" void zetlEndRecording() noexcept {
    if (tracer) tracer->disable();  // first: reading makes calls of its own
    DeviceRecorder::read();
    Recording::stop();
}

extern "C" void zetlReleaseRecording() noexcept {
    DeviceRecorder::stop();
    if (tracer) tracer->destroy();
    tracer.reset();
}

}  // namespace zetl::recorder
