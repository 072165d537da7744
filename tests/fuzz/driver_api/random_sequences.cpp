// Random sequences of driver calls, the same in every run: what the fuzzer does, where it cannot be built.
#include <cstdio>
#include <random>
#include <vector>

#include "fuzz/driver_api/random_row.h"
#include "fuzz/driver_api/rows.h"
#include "fuzz/driver_api/sequence.h"
#include "support/effort.h"

namespace {

/// Names the rows that were never called, and counts those that never succeeded.
bool everyRowWasCalled() {
    std::size_t missing = 0;
    std::size_t successful = 0;
    const auto& calls = zetl::test::rowCalls();
    for (std::size_t i = 0; i < calls.size(); ++i) {
        if (calls[i].successful) ++successful;
        if (calls[i].all) continue;
        ++missing;
        std::printf("%s was never called\n", zetl::test::driverRows()[i].name.data());
    }
    std::printf("%zu of %zu functions called, %zu with success\n", calls.size() - missing, calls.size(), successful);
    return missing == 0;
}

}  // namespace

int main() {
    constexpr int kSequences = zetl::test::effort(2000, 700);
    constexpr std::size_t kBytes = 400;
    std::mt19937 random(20240917);
    for (int i = 0; i < kSequences; ++i) {
        std::vector<std::uint8_t> bytes(kBytes);
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
        zetl::test::runDriverSequence(bytes);
    }
    std::printf("%d sequences of %zu bytes\n", kSequences, kBytes);
    return everyRowWasCalled() ? 0 : 1;
}
