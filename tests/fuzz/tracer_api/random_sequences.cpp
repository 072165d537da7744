// The sequence fuzzer without a fuzzing engine: replays the files named on the command line, or else runs a fixed
// number of random sequences, the same ones every time.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "fuzz/tracer_api/sequence.h"
#include "support/effort.h"

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        std::ifstream file(argv[i], std::ios::binary);
        const std::vector<std::uint8_t> bytes((std::istreambuf_iterator<char>(file)), {});
        zetl::test::runSequence(bytes.data(), bytes.size());
    }
    if (argc > 1) return 0;

    constexpr int kSequences = zetl::test::effort(20000, 4000);
    std::mt19937 random(1);
    std::vector<std::uint8_t> bytes;
    long callbacks = 0;
    for (int i = 0; i < kSequences; ++i) {
        bytes.resize(random() % 400);
        for (auto& each : bytes) each = static_cast<std::uint8_t>(random());
        callbacks += zetl::test::runSequence(bytes.data(), bytes.size());
    }
    std::printf("%d sequences, %ld callbacks\n", kSequences, callbacks);
    return callbacks > kSequences ? 0 : 1;
}
