#include "run/environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "injected/query_format.h"
#include "injected/stalls_format.h"
#include "recording/format.h"
#include "recording/options.h"
#include "run/compilers.h"
#include "run/loader_choice.h"
#include "text/shell.h"

namespace zetl::command {
namespace {

/// One entry for each variable, because some who read the list keep the last one only.
void addInFront(Variables& variables, const char* name, const std::string& directory) {
    for (auto& each : variables)
        if (each.name == name) {
            each.value = directory + ":" + each.value;
            return;
        }
    variables.push_back({name, directory, true});
}

/// A program with ZEL_LIBRARY_PATH finds layers nowhere else, so a value that is set must become ours.
void addSlots(Variables& variables, const std::string& directory) {
    addInFront(variables, "LD_LIBRARY_PATH", directory);
    if (std::getenv("ZEL_LIBRARY_PATH")) variables.push_back({"ZEL_LIBRARY_PATH", directory});
}

/// The loader splits the list of drivers at commas and has no way to quote one.
std::string asListEntry(const std::filesystem::path& driver) {
    if (driver.native().find(',') != std::string::npos)
        throw std::runtime_error(fmt::format(
            "{}: the loader cannot open a driver whose path contains a comma; install zetl in another directory",
            driver.native()));
    return driver.native();
}

struct Switch {
    bool Choice::*wanted;
    const char* variable;
    bool harmless;  // on the emulated GPU: opens the process to no other
};
/// Messages that a user must see by default: faults of kernels, running out of memory, meaningless settings, and
/// anything that makes a result smaller than what was asked for.
constexpr const char* kLogVariable = "ZETL_LOG";
constexpr const char* kFaults = "error";

/// What glibc reserves in each process for thread-local data of libraries that are loaded late: its own 512 bytes, and
/// room for the layer, the driver and what measures. Programs with many libraries have used up the 512.
constexpr const char* kTunables = "GLIBC_TUNABLES";
constexpr const char* kThreadLocalRoom = "glibc.rtld.optional_static_tls=2560";

/// The library that programs with ranges of the ITT API load.
constexpr const char* kRangesVariable = "INTEL_LIBITTNOTIFY64";
/// The same for NVIDIA's NVTX.
constexpr const char* kNvtxVariable = "NVTX_INJECTION64_PATH";

/// MPI's calls go through a library in front of it. oneCCL marks its calls as ranges of the ITT API if it is asked to.
void addMpi(Variables& variables, const Installation& installation) {
    const auto& library = installation.mpi.native();
    if (library.find_first_of(": ") != std::string::npos)
        throw std::runtime_error(fmt::format(
            "{}: --mpi cannot preload a library whose path contains a colon or a space; install zetl in another "
            "directory",
            library));
    variables.push_back({"LD_PRELOAD", library, true});
    variables.push_back({"CCL_ITT_LEVEL", "1"});
}

constexpr Switch kSwitches[] = {{&Choice::metrics, "ZET_ENABLE_METRICS", true},
                                {&Choice::instrumentation, "ZET_ENABLE_PROGRAM_INSTRUMENTATION", true},
                                {&Choice::debugging, "ZET_ENABLE_PROGRAM_DEBUGGING", false}};

/// Load the recorder into the program; further variables say what it does.
Variables recorderVariables(const Installation& installation) {
    Variables variables;
    addSlots(variables, installation.recordingSlots);
    variables.push_back({"ZE_ENABLE_TRACING_LAYER", "1"});
    return variables;
}

/// Load the library that measures kernels into the program.
Variables measuringVariables(const Installation& installation) {
    Variables variables;
    addSlots(variables, installation.queryingSlots);
    variables.push_back({"ZE_ENABLE_TRACING_LAYER", "1"});
    variables.push_back({"ZET_ENABLE_METRICS", "1"});
    return variables;
}

BetterCompiler askForCompiler(const Installation& installation, const Choice& choice) {
    if (!choice.emulated) return [] { return std::nullopt; };
    if (choice.compiler.empty()) return askForBetterCompiler(installation);
    return [compiler = compilerNamed(installation, choice.compiler)] { return compiler; };
}

}  // namespace

Variables variablesFor(const Installation& installation, const Choice& choice) {
    const auto compiler = askForCompiler(installation, choice);  // which takes milliseconds, beside the loader's choice
    Variables variables;
    // Before the slots, which then come first: both directories have a tracing layer.
    if (const auto loader = chooseLoader(installation).inFront; !loader.empty())
        addInFront(variables, "LD_LIBRARY_PATH", loader);
    // Of two values of a tunable, glibc takes the last: the user's own.
    if (choice.emulated || choice.layer) variables.push_back({kTunables, kThreadLocalRoom, true});
    if (choice.emulated) {
        variables.push_back({"ZE_ENABLE_ALT_DRIVERS", asListEntry(installation.emulatedGpu)});
        variables.push_back({"OCL_ICD_FILENAMES", installation.openclCompiler, true});
        if (const auto chosen = compiler()) variables.push_back({"ZETL_COMPILER", *chosen});
    }
    if (!choice.schedule.empty()) variables.push_back({"ZETL_EMULATOR_ORDER", choice.schedule});
    if (!choice.profile.empty()) variables.push_back({"ZETL_EMULATED_DEVICE", choice.profile});
    if (choice.layer) {
        addSlots(variables, installation.slots);
        variables.push_back({"ZE_ENABLE_TRACING_LAYER", "1"});
        variables.push_back({"ZE_ENABLE_VALIDATION_LAYER", "1"});
    }
    if (!choice.failures.empty()) variables.push_back({"ZETL_FAIL", choice.failures});
    // A call that fails on purpose must be seen in the log.
    if ((choice.emulated || !choice.failures.empty()) && !std::getenv(kLogVariable))
        variables.push_back({kLogVariable, kFaults});
    for (const auto& each : kSwitches)
        if (choice.*each.wanted || (choice.emulated && each.harmless && !std::getenv(each.variable)))
            variables.push_back({each.variable, "1"});
    return variables;
}

Variables recordingVariables(const Installation& installation, const std::string& directory,
                             const RecordingOptions& options) {
    auto variables = recorderVariables(installation);
    // Another collector that the user chose keeps its place.
    for (const char* const each : {kRangesVariable, kNvtxVariable})
        if (!std::getenv(each)) variables.push_back({each, installation.recorder});
    if (options.mpi) addMpi(variables, installation);
    variables.push_back({kDirectoryVariable, directory});
    variables.push_back({kLimitVariable, std::to_string(options.limit)});
    if (!options.functions.empty()) variables.push_back({kFunctionsVariable, options.functions});
    if (!options.kernels.empty()) variables.push_back({kKernelsVariable, options.kernels});
    if (!options.device) variables.push_back({kActivityVariable, "0"});
    if (options.lttng) variables.push_back({kLttngVariable, "1"});
    if (options.paused) variables.push_back({kPausedVariable, "1"});
    if (options.delay) variables.push_back({kDelayVariable, std::to_string(*options.delay)});
    if (options.duration) variables.push_back({kDurationVariable, std::to_string(*options.duration)});
    return variables;
}

Variables binaryVariables(const Installation& installation, const std::string& directory) {
    auto variables = recorderVariables(installation);
    variables.push_back({kBinariesVariable, directory});
    return variables;
}

Variables queryingVariables(const Installation& installation, const std::string& file, const std::string& group,
                            bool perLaunch) {
    auto variables = measuringVariables(installation);
    variables.push_back({kQueryFileVariable, file});
    variables.push_back({kQueryGroupVariable, group});
    variables.push_back({kQueryPerLaunchVariable, perLaunch ? "1" : ""});
    return variables;
}

Variables stallsVariables(const Installation& installation, const std::string& directory,
                          std::optional<std::uint32_t> period) {
    auto variables = measuringVariables(installation);
    variables.push_back({kStallsDirectoryVariable, directory});
    // Each process samples itself: what others sample would be there several times.
    variables.push_back({"ZETL_SAMPLING_SCOPE", "process"});
    if (period) variables.push_back({kStallsPeriodVariable, std::to_string(*period)});
    return variables;
}

bool isOn(const char* variable) {
    const char* value = std::getenv(variable);
    return value && std::string_view(value) == "1";
}

void apply(const Variables& variables) {
    for (const auto& each : variables) {
        const char* former = each.isPath ? std::getenv(each.name.c_str()) : nullptr;
        const auto value = former && *former ? each.value + ":" + former : each.value;
        setenv(each.name.c_str(), value.c_str(), 1);
    }
}

SavedEnvironment::SavedEnvironment() {
    for (char** each = environ; *each != nullptr; ++each) entries_.emplace_back(*each);
}

void SavedEnvironment::restore() const {
    clearenv();
    for (const std::string& entry : entries_) {
        const auto equals = entry.find('=');
        if (equals != std::string::npos) setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, 1);
    }
}

std::string exports(const Variables& variables) {
    std::string lines;
    for (const auto& each : variables) {
        lines += fmt::format("export {}={}", each.name, shellQuoted(each.value));
        if (each.isPath) lines += fmt::format("\"${{{0}:+:${0}}}\"", each.name);
        lines += '\n';
    }
    return lines;
}

}  // namespace zetl::command
