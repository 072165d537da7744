#include <cstdlib>

#include "doctor/finding.h"
#include "doctor/program_answer.h"
#include "probe.h"

namespace zetl::command {
namespace {

struct Library {
    const char* name;
    const char* use;
    const char* package;
};

constexpr Library kLibraries[] = {{"libigc.so.1", "Intel's code generator", "libigc1"},
                                  {"libigdfcl.so.1", "Intel's OpenCL C front end", "libigdfcl1"}};

/// Loads the compiler as the emulated GPU does: with the same program and the same library.
void checkOcloc(const Patient& patient, Findings& findings) {
    const char* chosen = std::getenv("ZETL_COMPILER_LIBRARY");
    const Variables library{{"ZETL_COMPILER_LIBRARY", chosen ? chosen : "libocloc.so"}};
    const auto asked = probe(library, [&] {
        const auto said =
            answerOf("'" + patient.installation.compiler.string() + "' --identify \"$ZETL_COMPILER_LIBRARY\"");
        return (said.good ? "+" : "-") + said.text.substr(0, said.text.find('\n'));
    });
    if (asked.text.starts_with('+'))
        findings.push_back({Verdict::good, "compiler", asked.text.substr(1) + " builds for the emulated GPU"});
    else
        findings.push_back({Verdict::problem, "compiler",
                            asked.text.size() > 1 ? asked.text.substr(1) : "the check of the compiler " + asked.how,
                            "apt install intel-opencl-icd (Debian 12) or libocloc1 (later)"});
}

}  // namespace

void checkCompiler(const Patient& patient, Findings& findings) {
    checkOcloc(patient, findings);
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
