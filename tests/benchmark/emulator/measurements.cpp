#include "measurements.h"

namespace zetl::benchmark::emulator {

std::span<const Measurement> measurements() {
    using enum Unit;
    constexpr std::uint32_t kOwn = 0;
    constexpr std::uint32_t kBoost = 2850;  // of the boards on which B580 was measured
    constexpr const char* kWrites = "in the model, stores never wait until memory has taken what L3 writes back";
    constexpr const char* kTuned =
        "the program's kernel is less tuned than the library's, which reaches the rate of FMA of floats";
    static constexpr Measurement kAll[] = {
        {"load from L1", "max1550", cycles, 61.4, "ABC", kOwn, "chase", chaseL1},
        {"load from L3", "max1550", cycles, 425.5, "ABC", kOwn, "chase", chaseL3},
        {"load from memory", "max1550", cycles, 858.3, "ABC", kOwn, "chase", chaseMemory},
        {"triad", "max1550", gigabytes, 1052.7, "ABC", kOwn, "triad", triadStream},
        {"FMA of floats", "max1550", operations, 25.94, "ABC", kOwn, "rate", rateOfFloats},
        {"FMA of doubles", "max1550", operations, 19.66, "ABC", kOwn, "rate", rateOfDoubles},
        {"SGEMM", "max1550", operations, 26.07, "ABC", kOwn, "product", gemmOfFloats, kTuned},
        {"DGEMM", "max1550", operations, 17.51, "ABC", kOwn, "product", gemmOfDoubles},
        {"GEMM of halves", "max1550", operations, 249.0, "ABC", kOwn, "dpas_product", gemmOfHalves},
        {"GEMM of bfloat16", "max1550", operations, 252.0, "ABC", kOwn, "dpas_product", gemmOfBrains},
        {"GEMM of bytes", "max1550", operations, 516.4, "ABC", kOwn, "dpas_product", gemmOfBytes},

        {"scale", "max1100", gigabytes, 834.7, "BENCH", kOwn, "scale", scaleStream},
        {"add", "max1100", gigabytes, 804.4, "BENCH", kOwn, "add", addStream},
        {"triad", "max1100", gigabytes, 806.8, "BENCH", kOwn, "triad", triadStream},
        {"dot product", "max1100", gigabytes, 701.4, "BENCH", kOwn, "dot_product", dotStream},
        {"read", "max1100", gigabytes, 737.5, "OCLB", kOwn, "read_all", readStream},
        {"write", "max1100", gigabytes, 907.8, "OCLB", kOwn, "write_all", writeStream, kWrites},
        {"FMA of floats", "max1100", operations, 21.93, "OCLB", kOwn, "rate", rateOfFloats},
        {"FMA of doubles", "max1100", operations, 15.93, "OCLB", kOwn, "rate", rateOfDoubles},
        {"FMA of halves", "max1100", operations, 41.50, "OCLB", kOwn, "rate", rateOfHalves},
        {"multiply-add of ints", "max1100", operations, 7.043, "OCLB", kOwn, "rate", rateOfInts},
        {"dpas of bfloat16", "max1100", operations, 355.0, "BENCH", kOwn, "dpas_rate", dpasOfBrains},
        {"dpas of bytes", "max1100", operations, 710.0, "BENCH", kOwn, "dpas_rate", dpasOfBytes},

        {"scale", "b580", gigabytes, 402.0, "STREAM", kOwn, "scale", scaleStream},
        {"add", "b580", gigabytes, 401.8, "STREAM", kOwn, "add", addStream},
        {"triad", "b580", gigabytes, 401.5, "STREAM", kOwn, "triad", triadStream},
        {"read from L1, each core", "b580", bytesPerCycle, 256, "C&C", kOwn, "read_near", readL1},
        {"FMA of floats", "b580", operations, 14.55, "B580", kBoost, "rate", rateOfFloats},
        {"FMA of doubles", "b580", operations, 0.9106, "B580", kBoost, "rate", rateOfDoubles},
        {"FMA of halves", "b580", operations, 28.92, "B580", kBoost, "rate", rateOfHalves},
        {"multiply-add of ints", "b580", operations, 4.505, "B580", kBoost, "rate", rateOfInts},
        {"dpas of halves", "b580", operations, 116.5, "B580", kBoost, "dpas_rate", dpasOfHalves},
        {"dpas of bfloat16", "b580", operations, 116.4, "B580", kBoost, "dpas_rate", dpasOfBrains},
        {"dpas of bytes", "b580", operations, 231.8, "B580", kBoost, "dpas_rate", dpasOfBytes},
        {"launch of an empty kernel", "b580", microseconds, 2.30, "B580", kOwn, "none", nullptr,
         "launches cost nothing in the model"},
    };
    return kAll;
}

}  // namespace zetl::benchmark::emulator
