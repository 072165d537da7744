#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "doctor/cuda_gdb.h"
#include "doctor/finding.h"
#include "run/probe.h"

namespace zetl::command {
namespace {

/// The directory in which NVIDIA's kernel module describes itself; a test sets another one.
std::filesystem::path kernelModule() {
    const char* elsewhere = std::getenv("ZETL_TEST_NVIDIA_PROC");
    return elsewhere ? elsewhere : "/proc/driver/nvidia";
}

/// The kernel module's version: the word with a dot in "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64
/// 580.159.04  Release Build ...".
std::string versionOf(const std::filesystem::path& file) {
    std::ifstream stream(file);
    for (std::string word; stream >> word;)
        if (std::isdigit(static_cast<unsigned char>(word.front())) && word.find('.') != std::string::npos) return word;
    return "of unknown version";
}

/// The value of "name: value"; -1 if there is none.
int parameter(const std::filesystem::path& file, const std::string& name) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);)
        if (line.rfind(name + ": ", 0) == 0) return std::atoi(line.c_str() + name.size() + 2);
    return -1;
}

void checkUserLibrary(const char* variable, const char* name, const char* what, const char* remedy,
                      Findings& findings) {
    const char* const given = std::getenv(variable);
    const auto opened = openLibrary(given ? given : name);
    if (!opened.path.empty())
        findings.push_back({Verdict::good, "NVIDIA", fmt::format("{}: {}", what, opened.path)});
    else
        findings.push_back(
            {Verdict::note, "NVIDIA", fmt::format("{} cannot be opened: no {}", given ? given : name, what), remedy});
}

void checkCounters(Findings& findings) {
    switch (parameter(kernelModule() / "params", "RmProfilingAdminOnly")) {
        case 0:
            findings.push_back({Verdict::good, "NVIDIA", "performance counters are open to every user"});
            return;
        case 1:
            if (geteuid() == 0)
                findings.push_back(
                    {Verdict::good, "NVIDIA", "performance counters are open to root, and this is root"});
            else
                findings.push_back({Verdict::note, "NVIDIA", "performance counters are open only to root",
                                    "run as root, or load the nvidia kernel module with "
                                    "NVreg_RestrictProfilingToAdminUsers=0"});
            return;
        default:
            findings.push_back(
                {Verdict::note, "NVIDIA", "the kernel module does not say who may use performance counters",
                 "/proc/driver/nvidia/params has no RmProfilingAdminOnly: the kernel module may be too old"});
    }
}

}  // namespace

void checkNvidia(const Patient&, Findings& findings) {
    const auto version = kernelModule() / "version";
    std::error_code none;
    if (!std::filesystem::exists(version, none)) return;
    findings.push_back({Verdict::good, "NVIDIA", fmt::format("kernel module {}", versionOf(version))});
    checkUserLibrary("ZETL_CUDA_LIBRARY", "libcuda.so.1", "user library",
                     "install the user libraries of the same version as the kernel module (Debian: libcuda1)",
                     findings);
    checkUserLibrary("ZETL_CUPTI_LIBRARY", "libcupti.so.13", "counters",
                     "install CUDA's profiling library, or set ZETL_CUPTI_LIBRARY to its path; the driver also looks "
                     "below /usr/local/cuda",
                     findings);
    checkCounters(findings);
    checkCudaGdb(findings);
}

}  // namespace zetl::command
