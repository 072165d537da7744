#include <dlfcn.h>
#include <fmt/format.h>

#include "doctor/finding.h"
#include "run/probe.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReinstall = "install again: cmake --install build/release --prefix PREFIX";

/// Whether opening a library brings the other one. Python packages have no symbolic links: there, a slot is an empty
/// library that depends on its file.
bool brings(const fs::path& library, const fs::path& other) {
    return probe({}, [&]() -> std::string {
               const bool opened = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr;
               return opened && dlopen(other.c_str(), RTLD_LAZY | RTLD_NOLOAD) ? "yes" : "no";
           }).text == "yes";
}

/// A slot name must lead to its file: two copies of the layer would do everything twice.
void checkLink(const fs::path& link, const fs::path& target, Findings& findings) {
    std::error_code error;
    if (fs::equivalent(link, target, error) || (!error && brings(link, target))) return;
    findings.push_back({Verdict::problem, "installation",
                        fmt::format("{} does not link to {}", link.native(), target.native()), kReinstall});
}

}  // namespace

void checkInstallation(const Patient& patient, Findings& findings) {
    const auto& files = patient.installation;
    bool complete = true;
    for (const auto& file : {files.layer, files.emulatedGpu, files.compiler, files.recorder, files.queries})
        if (!fs::exists(file)) {
            findings.push_back({Verdict::problem, "installation", file.native() + " is missing", kReinstall});
            complete = false;
        }
    if (!complete) return;
    const auto before = findings.size();
    for (const char* name : {"libze_tracing_layer.so.1", "libze_validation_layer.so.1"})
        checkLink(files.slots / name, files.layer, findings);
    checkLink(files.recordingSlots / "libze_tracing_layer.so.1", files.recorder, findings);
    checkLink(files.queryingSlots / "libze_tracing_layer.so.1", files.queries, findings);
    for (const auto& slots : {files.recordingSlots, files.queryingSlots})
        checkLink(slots / "libze_validation_layer.so.1", files.layer, findings);
    for (const auto& library : {files.layer, files.emulatedGpu})
        if (const auto opened = openLibrary(library); opened.path.empty())
            findings.push_back({Verdict::problem, "installation", opened.reason,
                                "install the named library, or build the project on this system"});
    if (findings.size() == before)
        findings.push_back({Verdict::good, "installation", files.layer.parent_path().native()});
}

}  // namespace zetl::command
