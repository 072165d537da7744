#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <cstdlib>

#include "doctor/finding.h"
#include "run/loader_choice.h"
#include "run/probe.h"
#include "text/result_name.h"

namespace zetl::command {
namespace {

constexpr const char* kKnownDrivers[] = {"libze_intel_gpu.so.1", "libze_intel_gpu_legacy1.so.1", "libze_intel_npu.so.1",
                                         "libze_intel_vpu.so.1"};
constexpr std::uint64_t kUninitialized = 0x78000001;
constexpr std::uint64_t kDependencyUnavailable = 0x70020000;

void checkDriverFiles(Findings& findings) {
    std::vector<std::string> found;
    for (const char* name : kKnownDrivers)
        if (const auto opened = openLibrary(name); !opened.path.empty()) found.push_back(opened.path);
    if (found.empty())
        findings.push_back({Verdict::note, "native driver", "none of the drivers that the loader knows is installed",
                            "apt install intel-opencl-icd (Debian 12) or libze-intel-gpu1 (later)"});
    else
        findings.push_back({Verdict::good, "native driver", fmt::format("{}", fmt::join(found, ", "))});
}

std::string remedyFor(std::uint64_t result) {
    if (result == kDependencyUnavailable)
        return "a ZET_ENABLE_ variable is set, but the library that it needs is missing (see dependencies below): "
               "unset the variable, or install the library";
    if (result == kUninitialized && isOn("ZET_ENABLE_PROGRAM_DEBUGGING"))
        return "Intel's driver hides devices that it cannot debug: unset ZET_ENABLE_PROGRAM_DEBUGGING, or see "
               "permissions below; `zetl run` needs neither";
    if (result == kUninitialized)
        return "no driver found a device that it can open: see permissions below; `zetl run` needs no device";
    return "ZE_ENABLE_LOADER_DEBUG_TRACE=1 shows what the loader does";
}

/// One finding for the result of initialising Level Zero.
Finding judge(const LevelZeroState& state, const char* subject, Verdict severity) {
    if (!state.failure.empty())
        return {severity, subject, "zeInit " + state.failure, "`zetl run -- gdb --args PROGRAM` shows where"};
    if (state.result != 0)
        return {severity, subject, fmt::format("zeInit: {} ({:#x})", resultName(state.result), state.result),
                remedyFor(state.result)};
    if (state.devices.empty())
        return {severity, subject, "zeInit succeeds, but there is no device", remedyFor(kUninitialized)};
    return {Verdict::good, subject,
            fmt::format("{} (loader {})", fmt::join(state.devices, ", "),
                        state.loaderVersion.empty() ? "of unknown version" : state.loaderVersion)};
}

constexpr const char* kMask = "ZE_AFFINITY_MASK";

/// Whether there is a device without the mask.
bool hiddenByMask(const LevelZeroState& state, const Variables& variables) {
    if (!std::getenv(kMask) || !state.failure.empty() || !state.devices.empty()) return false;
    return !initialise(variables, {kMask}).devices.empty();
}

/// The finding for this environment. A mask that hides every device takes precedence.
Finding examineStart(const LevelZeroState& state, const Variables& variables, const char* subject, Verdict severity) {
    if (!hiddenByMask(state, variables)) return judge(state, subject, severity);
    return {Verdict::problem, subject, fmt::format("{}={} leaves no device", kMask, std::getenv(kMask)),
            "unset it, or set it to a comma-separated list of devices (0) or tiles (0.1)"};
}

/// SYCL's run time calls what older loaders lack, without asking (source/ddi/outdated_loader.h).
void checkLoaderForSycl(const std::string& version, Findings& findings) {
    int major = 0;
    int minor = 0;
    if (std::sscanf(version.c_str(), "%d.%d", &major, &minor) != 2 || major != 1 || minor >= kOldestLoaderForSycl)
        return;
    findings.push_back(
        {Verdict::note, "loader for SYCL",
         fmt::format(
             "loader {} is older than 1.{}: SYCL programs of oneAPI 2025 and newer (dpctl, dpnp) end by SIGSEGV",
             version, kOldestLoaderForSycl),
         "for them put the directory of a newer libze_loader.so.1 in front of LD_LIBRARY_PATH "
         "(https://github.com/oneapi-src/level-zero/releases)"});
}

}  // namespace

void checkDrivers(const Patient& patient, Findings& findings) {
    checkDriverFiles(findings);
    const auto here = initialise({});
    // A failure caused by this shell's settings is a problem. Having no GPU may be only a note.
    const bool noted = !patient.needsGpu && here.failure.empty() && (here.result == 0 || here.result == kUninitialized);
    if (here.loaded)
        findings.push_back(examineStart(here, {}, "devices here", noted ? Verdict::note : Verdict::problem));
    if (!std::filesystem::exists(patient.installation.emulatedGpu)) return;
    Choice choice;
    choice.emulated = true;
    const auto variables = variablesFor(patient.installation, choice);
    const auto emulated = initialise(variables);
    if (emulated.loaded) findings.push_back(examineStart(emulated, variables, "emulated GPU", Verdict::problem));
    if (chooseLoader(patient.installation).inFront.empty()) checkLoaderForSycl(emulated.loaderVersion, findings);
}

}  // namespace zetl::command
