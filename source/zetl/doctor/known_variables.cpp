#include "doctor/known_variables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "doctor/split.h"
#include "run/compilers.h"
#include "run/emulated_device.h"
#include "run/probe.h"
#include "text/blanks.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

/// Level Zero's variables, and our variables that do not take any value.
std::vector<KnownVariable> describedVariables() {
    using enum ValueKind;
    return {{"ZE_ENABLE_TRACING_LAYER", onOff},
            {"ZE_ENABLE_VALIDATION_LAYER", onOff},
            {"ZE_ENABLE_LOADER_INTERCEPT", onOff},
            {"ZE_ENABLE_LOADER_DEBUG_TRACE", onOff},
            {"ZE_ENABLE_NULL_DRIVER", onOff},
            {"ZE_ENABLE_PARAMETER_VALIDATION", onOff},
            {"ZE_ENABLE_HANDLE_LIFETIME", onOff},
            {"ZE_ENABLE_THREADING_VALIDATION", onOff},
            {"ZE_ENABLE_PCI_ID_DEVICE_ORDER", onOff},
            {"ZE_ENABLE_ALT_DRIVERS"},
            {"ZE_AFFINITY_MASK"},
            {"ZE_SHARED_FORCE_DEVICE_ALLOC", onOff},
            {"ZE_FLAT_DEVICE_HIERARCHY", oneOf, {"COMPOSITE", "FLAT", "COMBINED"}},
            {"ZES_ENABLE_SYSMAN", onOff},
            {"ZET_ENABLE_API_TRACING_EXP", onOff},
            {"ZET_ENABLE_METRICS", onOff},
            {"ZET_ENABLE_PROGRAM_DEBUGGING", debugging},
            {"ZET_ENABLE_PROGRAM_INSTRUMENTATION", onOff},
            {"ZEL_LIBRARY_PATH"},
            {"ZEL_DRIVERS_ORDER"},
            {"ZEL_ENABLE_LOADER_LOGGING", onOff},
            {"ZEL_LOADER_LOGGING_LEVEL"},
            {"ZEL_LOADER_LOG_CONSOLE", onOff},
            {"ZETL_LOG", log},
            {"ZETL_LOG_FILE", file},
            {"ZETL_NEXT_VALIDATION_LAYER", library},
            {"ZETL_EMULATED_DEVICE", device},
            {"ZETL_EMULATOR_VECTORS", oneOf, {"avx512", "avx2", "sse4"}},
            {"ZETL_EMULATOR_TRANSLATE", oneOf, {"0", "1", "home"}},
            {"ZETL_EMULATOR_ORDER", oneOf, {"first", "last"}},
            {"ZETL_EMULATOR_FILL", number},
            {"ZETL_EMULATOR_RECORD", onOff},
            {"ZETL_EMULATOR_PERF_MAP", oneOf, {"1", "lines"}},
            {"ZETL_TIMING_MODEL", timingModel},
            {"ZETL_SAMPLING_SCOPE", oneOf, {"user", "process"}},
            {"ZETL_RESULTS_INPUTS", onOff},
            {"ZETL_RESULTS_LIMIT", number},
            {"ZETL_COMPILER", compiler},
            {"ZETL_COMPILER_LIBRARY", library},
            {"ZETL_COMPILER_SECONDS", number},
            {"ZETL_DEBUG_WAIT", number},
            {"ZETL_OCLOC", program},
            {"ZETL_TRACE_LIMIT", number},
            {"ZETL_TRACE_DEVICE", onOff},
            {"ZETL_TRACE_PAUSED", onOff},
            {"ZETL_TRACE_LTTNG", onOff},
            {"ZETL_TRACE_DELAY", number},
            {"ZETL_TRACE_DURATION", number}};
}

bool isAmong(std::string_view word, std::span<const std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::string objectionToLog(const std::string& value) {
    const auto channels = split(ZETL_LOG_CHANNELS ",all", ',');
    constexpr std::string_view kLevels[] = {"trace", "debug", "info", "warn", "error", "off"};
    for (const auto part : split(value, ',')) {
        const auto entry = withoutBlanks(part);
        const auto parts = split(entry, '=');
        const bool known = isAmong(parts.back(), kLevels) && (parts.size() == 1 || isAmong(parts.front(), channels));
        if (!entry.empty() && (!known || parts.size() > 2))
            return fmt::format("{} is not channel=level; channels: {}; levels: {}", entry, fmt::join(channels, " "),
                               fmt::join(kLevels, " "));
    }
    return "";
}

std::string objectionToFile(const std::string& value) {
    const bool there = access(value.c_str(), F_OK) == 0;
    const auto place = there ? fs::path(value) : fs::absolute(value).parent_path();
    return access(place.c_str(), W_OK) == 0 ? "" : "cannot be written";
}

/// full, sampled, or a sample with a bound, such as sampled:2%.
bool isTimingModel(std::string_view value) {
    constexpr std::string_view kBounded = "sampled:";
    if (value == "full" || value == "sampled") return true;
    if (!value.starts_with(kBounded) || !value.ends_with('%')) return false;
    value.remove_prefix(kBounded.size());
    value.remove_suffix(1);
    constexpr std::size_t kDigits = 3;
    return !value.empty() && value.size() <= kDigits && value.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::span<const KnownVariable> knownVariables() {
    static const auto all = [] {
        auto variables = describedVariables();
        for (const auto name : split(ZETL_SETTINGS, ','))
            if (std::none_of(variables.begin(), variables.end(), [&](const auto& each) { return each.name == name; }))
                variables.push_back({std::string(name)});
        return variables;
    }();
    return all;
}

std::string objection(const KnownVariable& variable, const std::string& value, const Installation& installation) {
    if (value.empty()) return "";
    switch (variable.kind) {
        case ValueKind::any:
            return "";
        case ValueKind::debugging:
            if (value == "2") return "";
            [[fallthrough]];
        case ValueKind::onOff:
            return value == "1" || value == "0" ? "" : "counts as off; only 1 is on";
        case ValueKind::oneOf:
            return isAmong(value, variable.choices)
                       ? ""
                       : fmt::format("is not one of {}", fmt::join(variable.choices, ", "));
        case ValueKind::number:
            return std::all_of(value.begin(), value.end(), [](char each) { return each >= '0' && each <= '9'; })
                       ? ""
                       : "is not a whole number";
        case ValueKind::timingModel:
            return isTimingModel(value) ? "" : "is not full, sampled, or sampled:N%";
        case ValueKind::library:
            return openLibrary(value).reason;
        case ValueKind::program:
            return access(value.c_str(), X_OK) == 0 ? "" : "cannot be executed";
        case ValueKind::file:
            return objectionToFile(value);
        case ValueKind::log:
            return objectionToLog(value);
        case ValueKind::device:
            return refusalOf(installation, value);
        case ValueKind::compiler:
            return value == "system" || value == "newest" || hasBundle(value)
                       ? ""
                       : "is neither system nor newest nor a directory with a compiler";
    }
    return "";
}

}  // namespace zetl::command
