#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "doctor/finding.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

/// The one number in a file below /proc or /sys, or -1.
int numberIn(const fs::path& file) {
    std::ifstream stream(file);
    int value = -1;
    return stream >> value ? value : -1;
}

void checkNodes(const Patient& patient, Findings& findings) {
    const auto severity = patient.needsGpu ? Verdict::problem : Verdict::note;
    std::error_code none;
    bool any = false;
    for (const auto& entry : fs::directory_iterator("/dev/dri", none)) {
        const auto& path = entry.path();
        if (path.filename().native().rfind("renderD", 0) != 0) continue;
        any = true;
        if (access(path.c_str(), R_OK | W_OK) == 0)
            findings.push_back({Verdict::good, "permissions", path.native()});
        else
            findings.push_back({severity, "permissions", path.native() + " cannot be opened by this user",
                                "sudo usermod -aG render $USER, then log in again"});
    }
    if (!any)
        findings.push_back({severity, "permissions", "there is no /dev/dri/renderD*: the kernel offers no GPU",
                            "in a container, pass the device (--device /dev/dri); without a GPU, use `zetl run`"});
}

/// Kernel settings that restrict metrics to root.
void checkMetrics(Findings& findings) {
    if (!isOn("ZET_ENABLE_METRICS") || geteuid() == 0) return;
    for (const char* file : {"/proc/sys/dev/i915/perf_stream_paranoid", "/proc/sys/dev/xe/observation_paranoid"})
        if (numberIn(file) > 0)
            findings.push_back({Verdict::problem, "permissions", fmt::format("{} restricts metrics to root", file),
                                fmt::format("echo 0 | sudo tee {}", file)});
}

/// The kernel driver's switch that allows debuggers to attach.
void checkDebugging(Findings& findings) {
    if (!isOn("ZET_ENABLE_PROGRAM_DEBUGGING")) return;
    std::error_code none;
    for (const auto& card : fs::directory_iterator("/sys/class/drm", none))
        for (const char* name : {"prelim_enable_eu_debug", "device/enable_eudebug"})
            if (numberIn(card.path() / name) == 0)
                findings.push_back({Verdict::problem, "permissions",
                                    fmt::format("{} is 0: no debugger can attach", (card.path() / name).native()),
                                    fmt::format("echo 1 | sudo tee {}", (card.path() / name).native())});
}

}  // namespace

void checkPermissions(const Patient& patient, Findings& findings) {
    checkNodes(patient, findings);
    checkMetrics(findings);
    checkDebugging(findings);
}

}  // namespace zetl::command
