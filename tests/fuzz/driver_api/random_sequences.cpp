// Random sequences of driver calls, the same in every run: what the fuzzer does, where it cannot be built.
#include <cstdio>
#include <random>
#include <vector>

#include "fuzz/driver_api/sequence.h"

int main() {
    constexpr int kSequences = 2000;
    constexpr std::size_t kBytes = 400;
    std::mt19937 random(20240917);
    for (int i = 0; i < kSequences; ++i) {
        std::vector<std::uint8_t> bytes(kBytes);
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
        zetl::test::runDriverSequence(bytes);
    }
    std::printf("%d sequences of %zu bytes\n", kSequences, kBytes);
}
