#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "doctor/finding.h"
#include "run/probe.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

struct Slot {
    const char* subject;
    const char* variable;
    const char* library;
};

constexpr Slot kSlots[] = {{"tracing slot", "ZE_ENABLE_TRACING_LAYER", "libze_tracing_layer.so.1"},
                           {"validation slot", "ZE_ENABLE_VALIDATION_LAYER", "libze_validation_layer.so.1"}};

constexpr const char* kTakeThem =
    "`zetl run` and `zetl trace` take the slots for a program, eval \"$(zetl env)\" for a shell";

/// If ZEL_LIBRARY_PATH is set, the loader looks only there (loader 1.17.39 and later).
std::string nameToOpen(const Slot& slot) {
    const char* directory = std::getenv("ZEL_LIBRARY_PATH");
    return directory && *directory ? fmt::format("{}/{}", directory, slot.library) : std::string(slot.library);
}

bool isOurs(const std::string& path, const Installation& installation) {
    std::error_code ignored;
    if (fs::equivalent(path, installation.layer, ignored) || fs::equivalent(path, installation.recorder, ignored))
        return true;
    // In Python packages slots are small libraries of their own.
    const auto directory = fs::path(path).parent_path();
    return fs::equivalent(directory, installation.slots, ignored) ||
           fs::equivalent(directory, installation.recordingSlots, ignored) ||
           fs::equivalent(directory, installation.queryingSlots, ignored);
}

Finding look(const Slot& slot, const Installation& installation) {
    if (!isOn(slot.variable))
        return {Verdict::note, slot.subject, fmt::format("{} is not 1", slot.variable), kTakeThem};
    const auto opened = openLibrary(nameToOpen(slot));
    if (opened.path.empty())
        return {Verdict::problem, slot.subject, opened.reason,
                "the loader opens nothing and prints nothing; use eval \"$(zetl env)\""};
    if (!isOurs(opened.path, installation))
        return {
            Verdict::problem, slot.subject, fmt::format("taken by {}", opened.path),
            fmt::format("put {} first in LD_LIBRARY_PATH; to keep a validation layer, set ZETL_NEXT_VALIDATION_LAYER",
                        installation.slots.native())};
    return {Verdict::good, slot.subject, opened.path};
}

}  // namespace

void checkSlots(const Patient& patient, Findings& findings) {
    for (const auto& slot : kSlots) findings.push_back(look(slot, patient.installation));
    if (const char* preload = std::getenv("LD_PRELOAD");
        preload && std::string(preload).find("libze_") != std::string::npos)
        findings.push_back({Verdict::problem, "slots",
                            fmt::format("LD_PRELOAD={}: a preloaded layer captures the loader's own look-ups", preload),
                            "do not preload a layer; use the slots"});
}

}  // namespace zetl::command
