#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "doctor/finding.h"

namespace zetl::command {
namespace {

#ifdef ZETL_TRANSLATES
constexpr bool kBuildTranslates = true;
#else
constexpr bool kBuildTranslates = false;
#endif

/// Whether this process may execute memory that it has written.
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
           __builtin_cpu_supports("avx512cd");
}
bool hasAvx2() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
}
/// The setting, or the widest vectors of the processor.
std::string_view vectors() {
    const char* const wish = std::getenv("ZETL_EMULATOR_VECTORS");
    return wish != nullptr ? wish : hasAvx512() ? "avx512" : "avx2";
}

}  // namespace

void checkTranslation(const Patient&, Findings& findings) {
    const auto steps = [&](Verdict verdict, const char* why, const char* remedy) {
        findings.push_back({verdict, "translation",
                            std::string("the emulated GPU interprets kernels, which is slower: ") + why, remedy});
    };
    const char* const wish = std::getenv("ZETL_EMULATOR_TRANSLATE");
    if (wish != nullptr && std::string_view(wish) == "0")
        return steps(Verdict::note, "ZETL_EMULATOR_TRANSLATE=0", "unset it to have kernels translated to host code");
    if (!kBuildTranslates) return steps(Verdict::good, "this build has sanitizers or coverage, or interprets only", "");
    if (!hasAvx2()) return steps(Verdict::good, "the processor has neither AVX-512 nor AVX2 with FMA and BMI", "");
    if (vectors() != "avx512" && vectors() != "avx2")
        return steps(Verdict::note, "ZETL_EMULATOR_VECTORS asks for vectors without a translator",
                     "unset ZETL_EMULATOR_VECTORS");
    if (!mayExecute())
        return steps(Verdict::note, "the host does not allow executable memory",
                     "allow this program executable memory (SELinux, systemd MemoryDenyWriteExecute)");
    findings.push_back({Verdict::good, "translation",
                        fmt::format("the emulated GPU translates kernels to host code ({})",
                                    vectors() == "avx512" ? "AVX-512" : "AVX2")});
}

}  // namespace zetl::command
