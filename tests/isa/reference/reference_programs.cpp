// Random programs, many of them: prints each that differs. Exit code 1 if one does.
//
//     reference_programs [--first N] [--count N] [--table sse4|avx2|avx512] [--architecture NAME] [--show]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "isa/xe/architecture.h"
#include "reference/trial.h"

namespace {

using namespace zetl::test::reference;

struct Wish {
    std::uint64_t first = 1;
    std::uint64_t count = 10000;
    const zetl::emulator::isa::StepTable* table = nullptr;
    const zetl::isa::xe::Architecture* architecture = &zetl::isa::xe::kXeHpc;
    bool show = false;
};
bool parse(int count, char** arguments, Wish& wish) {
    for (int k = 1; k < count; ++k) {
        const std::string_view name = arguments[k];
        const char* value = k + 1 < count ? arguments[k + 1] : "";
        if (name == "--show") {
            wish.show = true;
            continue;
        }
        ++k;
        if (name == "--first")
            wish.first = std::strtoull(value, nullptr, 10);
        else if (name == "--count")
            wish.count = std::strtoull(value, nullptr, 10);
        else if (name == "--table")
            wish.table = zetl::emulator::isa::findTable(value);
        else if (name == "--architecture")
            wish.architecture = zetl::isa::xe::findArchitecture(value);
        else
            return false;
        if (wish.architecture == nullptr || (name == "--table" && wish.table == nullptr)) return false;
    }
    return true;
}

}  // namespace

int main(int count, char** arguments) {
    Wish wish;
    if (!parse(count, arguments, wish)) {
        std::fputs(
            "reference_programs [--first N] [--count N] [--table sse4|avx2|avx512] [--architecture NAME] [--show]\n",
            stderr);
        return 2;
    }
    if (wish.show) {
        std::fputs(randomProgram(wish.first, *wish.architecture).text().c_str(), stdout);
        return 0;
    }
    if (!zetl::test::canAssemble(*wish.architecture)) {
        std::fputs("reference_programs: no assembler for it; name one in ZETL_IGA64 (Debian sid: libigc2-tools)\n",
                   stderr);
        return 77;
    }
    constexpr std::uint64_t kBatch = 2000;  // programs assembled at once
    Trial trial(wish.table != nullptr ? std::vector{wish.table} : zetl::test::usableTables(), *wish.architecture);
    for (std::uint64_t done = 0; done < wish.count; done += kBatch) {
        const auto batch = static_cast<std::uint32_t>(std::min(kBatch, wish.count - done));
        std::fputs(trial.run(wish.first + done, batch).c_str(), stdout);
    }
    const Coverage& coverage = trial.coverage();
    std::printf("%llu programs, %llu instructions, %llu sums of real matrices compared, %llu programs differ\n",
                static_cast<unsigned long long>(wish.count), static_cast<unsigned long long>(coverage.instructions),
                static_cast<unsigned long long>(coverage.sums - coverage.openSums),
                static_cast<unsigned long long>(trial.differences()));
    return trial.differences() != 0;
}
