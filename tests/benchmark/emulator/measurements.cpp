#include "measurements.h"

namespace zetl::benchmark::emulator {

std::span<const Measurement> measurements() {
    using enum Unit;
    constexpr Board kOwn{};
    constexpr Board kBoost{.megahertz = 2850};                   // of the boards on which B580 was measured
    constexpr Board kAurora{.megahertz = 1500, .subslices = 7};  // its stacks have 448 vector engines
    static constexpr Measurement kAll[] = {
        {"load from L1", "max1550", cycles, 61.4, "ABC", kOwn, "chase", chaseL1},
        {"load from L3", "max1550", cycles, 425.5, "ABC", kOwn, "chase", chaseL3},
        {"load from memory", "max1550", cycles, 858.3, "ABC", kOwn, "chase", chaseMemory},
        {"triad", "max1550", gigabytes, 1052.7, "ABC", kOwn, "triad", triadStream},
        {"FMA of floats", "max1550", operations, 25.94, "ABC", kOwn, "rate", rateOfFloats},
        {"FMA of doubles", "max1550", operations, 19.66, "ABC", kOwn, "rate", rateOfDoubles},
        {"SGEMM", "max1550", operations, 26.07, "ABC", kOwn, "product", gemmOfFloats},
        {"DGEMM", "max1550", operations, 17.51, "ABC", kOwn, "product", gemmOfDoubles},
        {"GEMM of halves", "max1550", operations, 249.0, "ABC", kOwn, "dpas_product", gemmOfHalves},
        {"GEMM of bfloat16", "max1550", operations, 252.0, "ABC", kOwn, "dpas_product", gemmOfBrains},
        {"GEMM of bytes", "max1550", operations, 516.4, "ABC", kOwn, "dpas_product", gemmOfBytes},

        {"triad, Aurora", "max1550", gigabytes, 1000, "ALCF", kAurora, "triad", triadStream},
        {"FMA of floats, Aurora", "max1550", operations, 21, "ALCF", kAurora, "rate", rateOfFloats},
        {"FMA of doubles, Aurora", "max1550", operations, 11, "ALCF", kAurora, "rate", rateOfDoubles},
        {"SGEMM, Aurora", "max1550", operations, 21, "ALCF", kAurora, "product", gemmOfFloats},
        {"DGEMM, Aurora", "max1550", operations, 10, "ALCF", kAurora, "product", gemmOfDoubles},
        {"GEMM of halves, Aurora", "max1550", operations, 247, "ALCF", kAurora, "dpas_product", gemmOfHalves},
        {"GEMM of bfloat16, Aurora", "max1550", operations, 256, "ALCF", kAurora, "dpas_product", gemmOfBrains},
        {"GEMM of bytes, Aurora", "max1550", operations, 529, "ALCF", kAurora, "dpas_product", gemmOfBytes},

        {"read", "max1100", gigabytes, 737.5, "OCLB", kOwn, "read_all", readStream},
        {"write", "max1100", gigabytes, 907.8, "OCLB", kOwn, "write_all", writeStream},
        {"FMA of floats", "max1100", operations, 21.93, "OCLB", kOwn, "rate", rateOfFloats},
        {"FMA of doubles", "max1100", operations, 15.93, "OCLB", kOwn, "rate", rateOfDoubles},
        {"FMA of halves", "max1100", operations, 41.50, "OCLB", kOwn, "rate", rateOfHalves},
        {"multiply-add of ints", "max1100", operations, 7.043, "OCLB", kOwn, "rate", rateOfInts},
        {"multiply-add of shorts", "max1100", operations, 60.47, "OCLB", kOwn, "rate", rateOfShorts},

        {"scale", "b580", gigabytes, 402.0, "STREAM", kOwn, "scale", scaleStream},
        {"add", "b580", gigabytes, 401.8, "STREAM", kOwn, "add", addStream},
        {"triad", "b580", gigabytes, 401.5, "STREAM", kOwn, "triad", triadStream},
        {"read from L1, each core", "b580", bytesPerCycle, 256, "C&C", kOwn, "read_near", readL1},
        {"launch of an empty kernel", "b580", microseconds, 2.30, "B580", kOwn, "none", nullptr,
         "launches cost nothing in the model"},

        {"FMA of floats", "b580", operations, 14.55, "B580", kBoost, "rate", rateOfFloats},
        {"FMA of doubles", "b580", operations, 0.9106, "B580", kBoost, "rate", rateOfDoubles},
        {"FMA of halves", "b580", operations, 28.92, "B580", kBoost, "rate", rateOfHalves},
        {"multiply-add of ints", "b580", operations, 4.505, "B580", kBoost, "rate", rateOfInts},
        {"multiply-add of shorts", "b580", operations, 39.10, "OCLB", kBoost, "rate", rateOfShorts},
        {"dpas of halves", "b580", operations, 116.5, "B580", kBoost, "dpas_rate", dpasOfHalves},
        {"dpas of bfloat16", "b580", operations, 116.4, "B580", kBoost, "dpas_rate", dpasOfBrains},
        {"dpas of bytes", "b580", operations, 231.8, "B580", kBoost, "dpas_rate", dpasOfBytes},
    };
    return kAll;
}

}  // namespace zetl::benchmark::emulator
