// libzetl_trace.so: records every Level Zero call of a process, for `zetl trace`.
//
// The loader opens it as its tracing layer. It offers nothing itself but depends on libze_tools_layer.so.1, and looking
// a symbol up in a library also searches what it depends on: the loader gets the tools layer, and this library's
// constructor, which runs within that opening, adds a tracer before the first call is made. No preloading is involved,
// so programs that do not use Level Zero, and those that open the loader late, are served alike.
#include <dlfcn.h>
#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/layers/zel_tracing_ddi.h>
#include <level_zero/layers/zel_tracing_register_cb.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "recorder/arguments.h"
#include "recorder/device_recorder.h"
#include "recorder/patterns.h"
#include "recorder/recording.h"

namespace zetl::recorder {
namespace {

using command::kFunctions;

// Every callback of the API has this shape; `result` is a ze_result_t or, for a few functions, a value.
using Callback = void (*)(Parameters parameters, std::uint64_t result, void* user, void** instance);
using Register = ze_result_t (*)(zel_tracer_handle_t tracer, zel_tracer_reg_t when, Callback callback);

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

struct Callbacks {
    Callback enter, leave;
};

constexpr auto kCallbacks = []<std::size_t... N>(std::index_sequence<N...>) {
    return std::array<Callbacks, sizeof...(N)>{Callbacks{enter<N>, leave<N>}...};
}
(std::make_index_sequence<kFunctions>());

/// zeMemAllocDevice is registered by zelTracerMemAllocDeviceRegisterCallback, zerGetLastErrorDescription without "zer".
std::string registrationOf(std::string_view function) {
    const auto prefix = function.starts_with("zer") && function[3] >= 'A' && function[3] <= 'Z' ? 3u : 2u;
    return "zelTracer" + std::string(function.substr(prefix)) + "RegisterCallback";
}

/// Functions that the layer cannot register (it is older than this file) stay untraced.
void registerAll(void* layer, zel_tracer_handle_t tracer) {
    const Patterns wanted(secure_getenv(command::kFunctionsVariable));
    for (std::size_t i = 0; i < kFunctions; ++i) {
        if (!wanted.match(command::functions()[i].name)) continue;
        const auto name = registrationOf(command::functions()[i].name);
        const auto add = reinterpret_cast<Register>(dlsym(layer, name.c_str()));
        if (!add) continue;
        add(tracer, ZEL_REGISTER_PROLOGUE, kCallbacks[i].enter);
        add(tracer, ZEL_REGISTER_EPILOGUE, kCallbacks[i].leave);
    }
}

bool trace(void* layer) {
    using GetTable = ze_result_t (*)(ze_api_version_t, zel_tracer_dditable_t*);
    const auto getTable = reinterpret_cast<GetTable>(dlsym(layer, "zelGetTracerApiProcAddrTable"));
    zel_tracer_dditable_t table{};
    // The table has not changed since 1.0.
    if (!getTable || getTable(ZE_API_VERSION_1_0, &table) != ZE_RESULT_SUCCESS) return false;
    zel_tracer_desc_t description{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, nullptr};
    zel_tracer_handle_t tracer = nullptr;
    if (table.pfnCreate(&description, &tracer) != ZE_RESULT_SUCCESS) return false;
    registerAll(layer, tracer);
    return table.pfnSetEnabled(tracer, true) == ZE_RESULT_SUCCESS;
}

constexpr std::uint64_t kDefaultLimit = 256u << 20;

/// The variable's number; what else it may hold is said, and the default taken.
std::uint64_t numberFrom(const char* variable, const char* noun, std::uint64_t byDefault) {
    const char* text = secure_getenv(variable);
    if (!text) return byDefault;
    std::uint64_t number = 0;
    const char* last = text + std::strlen(text);
    if (const auto [end, error] = std::from_chars(text, last, number); error == std::errc() && end == last)
        return number;
    std::fprintf(stderr, "zetl: %s=%s is no number of %s; %s\n", variable, text, noun,
                 byDefault == kDefaultLimit ? "268435456 are recorded" : "it is ignored");
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

[[gnu::constructor]] void attach() {
    const char* directory = secure_getenv(command::kDirectoryVariable);
    if (!directory || !*directory) return;
    const auto limit = numberFrom(command::kLimitVariable, "bytes", kDefaultLimit);
    if (!Recording::start(directory, limit, periodFrom(now()))) return;
    void* layer = dlopen("libze_tools_layer.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (!layer || !trace(layer)) {
        std::fprintf(stderr, "zetl: not recording: the tools layer refused a tracer\n");
        return;
    }
    if (isSwitched(command::kDeviceVariable, true)) DeviceRecorder::start(layer);
}

}  // namespace
}  // namespace zetl::recorder
