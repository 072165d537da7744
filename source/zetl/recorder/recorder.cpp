// libzetl_trace.so: records every Level Zero call of a process, for `zetl trace`.
//
// The loader opens it as its tracing layer. It offers nothing itself but depends on libze_tools_layer.so.1, and looking
// a symbol up in a library also searches what it depends on: the loader gets the tools layer, and this library's
// constructor, which runs within that opening, adds a tracer before the first call is made. No preloading is involved,
// so programs that do not use Level Zero, or open the loader late, are not disturbed.
#include <dlfcn.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "injected/tracer.h"
#include "recorder/arguments.h"
#include "recorder/binary_recorder.h"
#include "recorder/device_recorder.h"
#include "recorder/live_stream.h"
#include "recorder/recording.h"
#include "text/patterns.h"

namespace zetl::recorder {
namespace {

using command::kFunctions;

bool isFailure(const command::Function& function, std::uint64_t result) {
    return !function.returnsValue && static_cast<std::uint32_t>(result) != ZE_RESULT_SUCCESS;
}

template <std::size_t N>
void enter(Parameters parameters, std::uint64_t, void*, void** instance) noexcept {
    const auto& function = command::functions()[N];
    const auto call = Recording::beginCall(N, function.words);
    *instance = call.instance();
    auto* record = call.isIgnored() ? nullptr : call.record();
    DeviceRecorder::callBegins(record);
    if (record) readPassed(function, parameters, record->payload());
}

template <std::size_t N>
void leave(Parameters parameters, std::uint64_t result, void*, void** instance) noexcept {
    const auto& function = command::functions()[N];
    const auto call = Call::from(*instance);
    DeviceRecorder::callBegins(nullptr);
    if (call.isIgnored()) return;
    const bool failed = isFailure(function, result);
    if (!function.returnsValue) result &= UINT32_MAX;
    if (auto* record = call.record(); record && !failed && Recording::owns(record))
        readPointed(function, parameters, record->payload());
    Recording::endCall(call, N, result, function.isError(result));
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

bool traceCalls(void* layer) {
    const command::Patterns wanted(secure_getenv(command::kFunctionsVariable));
    auto tracer = command::Tracer::create(layer);
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
std::uint64_t numberFrom(const char* variable, const char* noun, std::uint64_t byDefault) {
    const char* text = secure_getenv(variable);
    if (!text) return byDefault;
    std::uint64_t number = 0;
    const char* last = text + std::strlen(text);
    if (const auto [end, error] = std::from_chars(text, last, number); error == std::errc() && end == last)
        return number;
    std::fprintf(stderr, "zetl: %s=%s is not a number of %s; %s\n", variable, text, noun,
                 byDefault == kDefaultLimit ? "the limit is 268435456" : "it is ignored");
    return byDefault;
}

bool isSwitched(const char* variable, bool byDefault) {
    const char* text = secure_getenv(variable);
    return text ? std::strcmp(text, "1") == 0 : byDefault;
}

std::uint64_t later(std::uint64_t time, std::uint64_t milliseconds) {
    constexpr std::uint64_t kMillisecond = 1'000'000;
    return milliseconds < (UINT64_MAX - time) / kMillisecond ? time + milliseconds * kMillisecond : UINT64_MAX;
}

Period periodFrom(std::uint64_t start) {
    Period period;
    period.from = later(start, numberFrom(command::kDelayVariable, "milliseconds", 0));
    period.until = later(period.from, numberFrom(command::kDurationVariable, "milliseconds", UINT64_MAX));
    period.paused = isSwitched(command::kPausedVariable, false);
    return period;
}

void* toolsLayer() { return dlopen("libze_tools_layer.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD); }

void record(const char* directory) {
    const auto limit = numberFrom(command::kLimitVariable, "bytes", kDefaultLimit);
    if (!Recording::start(directory, limit, periodFrom(now()))) return;
    if (isSwitched(command::kLttngVariable, false)) LiveStream::start();
    void* layer = toolsLayer();
    if (!layer || !traceCalls(layer)) {
        std::fprintf(stderr, "zetl: not recording: the tools layer refused a tracer\n");
        return;
    }
    if (isSwitched(command::kActivityVariable, true)) DeviceRecorder::start(layer);
}

[[gnu::constructor]] void attach() {
    if (const char* directory = secure_getenv(command::kDirectoryVariable); directory && *directory) record(directory);
    const char* binaries = secure_getenv(command::kBinariesVariable);
    if (void* layer = binaries && *binaries ? toolsLayer() : nullptr) recordBinaries(layer, binaries);
}

}  // namespace
}  // namespace zetl::recorder
