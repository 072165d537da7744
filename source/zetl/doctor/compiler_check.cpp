#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "doctor/finding.h"
#include "doctor/program_answer.h"
#include "run/probe.h"

namespace zetl::command {
namespace {

struct Library {
    const char* name;
    const char* use;
    const char* package;
};

constexpr const char* kDynamicLinker = "ld-linux-x86-64.so.2";

constexpr Library kLibraries[] = {{"libigc.so.1", "Intel's code generator", "libigc1"},
                                  {"libigdfcl.so.1", "Intel's OpenCL C front end", "libigdfcl1"}};

constexpr const char* kHowToInstall =
    "apt install intel-opencl-icd (Debian 12) or libocloc1 (later), or pip install ze-tools-layer-compiler";

/// Intel's compiler with all its libraries, installed with zetl; as the emulated GPU decides
/// (source/compiler/process.cpp).
bool usesBundle(const Installation& installation) {
    return !std::getenv("ZETL_OCLOC") && !std::getenv("ZETL_COMPILER_LIBRARY") &&
           access((installation.bundle / kDynamicLinker).c_str(), X_OK) == 0;
}

/// The words of a shell that start the compiler's program.
std::string startOf(const Installation& installation) {
    const char* chosen = std::getenv("ZETL_OCLOC");
    const auto program = fmt::format("'{}'", chosen ? chosen : installation.compiler.native());
    if (!usesBundle(installation)) return program;
    return fmt::format("'{}' --library-path '{}' {}", (installation.bundle / kDynamicLinker).native(),
                       installation.bundle.native(), program);
}

/// Loads the compiler as the emulated GPU does: with the same program and the same library.
void checkOcloc(const Patient& patient, Findings& findings) {
    const char* chosen = std::getenv("ZETL_COMPILER_LIBRARY");
    const Variables library{{"ZETL_COMPILER_LIBRARY", chosen ? chosen : "libocloc.so"}};
    const auto start = startOf(patient.installation);  // not in the child, whose library is always named
    const auto asked = probe(library, [&] {
        const auto said = answerOf(start + " --identify \"$ZETL_COMPILER_LIBRARY\"");
        return (said.good ? "+" : "-") + said.text.substr(0, said.text.find('\n'));
    });
    if (asked.text.starts_with('+'))
        findings.push_back({Verdict::good, "compiler", asked.text.substr(1) + " builds for the emulated GPU"});
    else
        findings.push_back({Verdict::problem, "compiler",
                            asked.text.size() > 1 ? asked.text.substr(1) : "the check of the compiler " + asked.how,
                            kHowToInstall});
}

/// The parts that the compiler opens when it builds.
void checkBundle(const std::filesystem::path& bundle, Findings& findings) {
    std::error_code unreadable;
    for (const auto* part : {"libigc.so", "libigdfcl.so"}) {
        bool found = false;
        for (const auto& file : std::filesystem::directory_iterator(bundle, unreadable))
            found = found || file.path().filename().native().starts_with(part);
        if (!found)
            findings.push_back({Verdict::problem, "compiler", fmt::format("{}/{}* is missing", bundle.native(), part),
                                "install ze-tools-layer-compiler again"});
    }
}

}  // namespace

void checkCompiler(const Patient& patient, Findings& findings) {
    checkOcloc(patient, findings);
    if (usesBundle(patient.installation)) return checkBundle(patient.installation.bundle, findings);
    for (const auto& library : kLibraries) {
        const auto opened = openLibrary(library.name);
        if (opened.path.empty())
            findings.push_back({Verdict::problem, "compiler",
                                std::string(library.name) + " (" + library.use + "): " + opened.reason,
                                std::string("apt install ") + library.package});
        else
            findings.push_back({Verdict::good, "compiler", opened.path});
    }
}

}  // namespace zetl::command
