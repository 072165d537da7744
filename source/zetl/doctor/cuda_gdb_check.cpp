#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <string>

#include "doctor/cuda_gdb.h"
#include "run/program_answer.h"

namespace zetl::command {
namespace {

constexpr double kOldest = 13.0;  // tested version

/// Searches as the driver does: the path in the variable, otherwise the first in PATH and in the toolkit's usual
/// directory, trying the smaller program first in each.
std::string pathOfCudaGdb() {
    if (const char* given = std::getenv("ZETL_CUDA_GDB")) return given;
    const char* path = std::getenv("PATH");
    std::string directories = std::string(path ? path : "") + ":/usr/local/cuda/bin";
    for (std::size_t begin = 0; begin < directories.size();) {
        const auto end = std::min(directories.find(':', begin), directories.size());
        for (const char* name : {"cuda-gdb-minimal", "cuda-gdb"}) {
            auto file = directories.substr(begin, end - begin) + "/" + name;
            if (access(file.c_str(), X_OK) == 0) return file;
        }
        begin = end + 1;
    }
    return {};
}

/// The first word of the text that is a number with a point; 0 if there is none.
double versionIn(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool begins = std::isdigit(static_cast<unsigned char>(text[i])) &&
                            (i == 0 || std::isspace(static_cast<unsigned char>(text[i - 1])));
        const auto end = begins ? text.find_first_not_of("0123456789", i) : std::string::npos;
        if (end != std::string::npos && text[end] == '.') return std::atof(&text[i]);
    }
    return 0;
}

void checkPtrace(Findings& findings) {
    int scope = 0;
    std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> scope;
    if (scope == 0 || geteuid() == 0) return;
    findings.push_back({Verdict::note, "NVIDIA",
                        fmt::format("kernel.yama.ptrace_scope is {}: cuda-gdb cannot attach to other processes", scope),
                        "sudo sysctl kernel.yama.ptrace_scope=0, or debug as root"});
}

}  // namespace

void checkCudaGdb(Findings& findings) {
    const auto file = pathOfCudaGdb();
    const char* const remedy = "install the debugger of CUDA 13.0 or later, or set ZETL_CUDA_GDB to its path";
    if (file.empty() || access(file.c_str(), X_OK) != 0) {
        findings.push_back({Verdict::note, "NVIDIA",
                            file.empty() ? "cuda-gdb was not found: kernels cannot be debugged"
                                         : fmt::format("{} is not a program: kernels cannot be debugged", file),
                            remedy});
        return;
    }
    const auto said = answerOf("'" + file + "' --version 2>&1");
    const auto version = versionIn(said.text);
    if (!said.good || version == 0)
        findings.push_back(
            {Verdict::note, "NVIDIA",
             fmt::format("{} does not print its version: {}", file, said.text.substr(0, said.text.find('\n'))),
             remedy});
    else if (version < kOldest)
        findings.push_back(
            {Verdict::note, "NVIDIA",
             fmt::format("debugger: {} is of CUDA {:.1f}, older than the oldest tested version", file, version),
             remedy});
    else
        findings.push_back({Verdict::good, "NVIDIA", fmt::format("debugger: {} (CUDA {:.1f})", file, version)});
    checkPtrace(findings);
}

}  // namespace zetl::command
