#include "doctor/finding.h"
#include "probe.h"

namespace zetl::command {
namespace {

struct Library {
    const char* name;
    const char* use;
    const char* package;
};

constexpr Library kLibraries[] = {{"libocloc.so", "compiles for the emulated GPU and the samples",
                                   "intel-opencl-icd (Debian 12) or libocloc1 (later)"},
                                  {"libigc.so.1", "Intel's code generator", "libigc1"},
                                  {"libigdfcl.so.1", "Intel's OpenCL C front end", "libigdfcl1"}};

}  // namespace

void checkCompiler(const Patient&, Findings& findings) {
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
