#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "doctor/finding.h"

namespace zetl::command {
namespace {

/// Whether this process may execute what it has written.
bool mayExecute() {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const at = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return false;
    const bool may = mprotect(at, page, PROT_READ | PROT_EXEC) == 0;
    munmap(at, page);
    return may;
}
bool hasAvx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("bmi2");
}
bool usesOtherSteps() {
    const char* const vectors = std::getenv("ZETL_EMULATOR_VECTORS");
    return vectors != nullptr && std::string_view(vectors) != "avx512";
}

}  // namespace

void checkTranslation(const Patient&, Findings& findings) {
    if (!isOn("ZETL_EMULATOR_TRANSLATE")) return;
    const auto note = [&](const char* why, const char* remedy) {
        findings.push_back(
            {Verdict::note, "translation", std::string("ZETL_EMULATOR_TRANSLATE=1 has no effect: ") + why, remedy});
    };
    if (!hasAvx512()) return note("the processor has no AVX-512", "unset it; kernels run by their steps");
    if (usesOtherSteps()) return note("ZETL_EMULATOR_VECTORS asks for other vectors", "unset ZETL_EMULATOR_VECTORS");
    if (!mayExecute())
        return note("the host lets no process execute what it has written",
                    "permit executable memory for the program; without, kernels run by their steps");
    findings.push_back({Verdict::good, "translation", "the emulated GPU's kernels become host code"});
}

}  // namespace zetl::command
