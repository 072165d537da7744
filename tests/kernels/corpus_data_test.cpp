// The corpus's own data and tools: element types, fills, comparison, and that a case which cannot fail is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <set>

#include "fill.h"
#include "kernel_case.h"

namespace zetl::kernels {
namespace {

const ElementType& type(const char* name) { return ElementType::named(name); }

TEST(ElementTypes, HalvesConvertBothWays) {
    const ElementType& half = type("half");
    for (std::uint64_t bits = 0; bits < 65536; ++bits) {
        const double value = half.toNumber(bits);
        if (std::isnan(value)) continue;
        ASSERT_EQ(half.fromNumber(value), bits) << bits;
    }
    EXPECT_EQ(half.fromNumber(65519.9), 0x7bffu);
    EXPECT_EQ(half.fromNumber(65520), 0x7c00u);
    EXPECT_EQ(half.fromNumber(0x1.002p0), 0x3c00u) << "a tie goes to even";
    EXPECT_EQ(half.fromNumber(0x1.006p0), 0x3c02u);
}

TEST(ElementTypes, ReadText) {
    EXPECT_EQ(type("char").fromText("-3"), 0xfdu);
    EXPECT_EQ(type("ulong").fromText("18446744073709551615"), UINT64_MAX);
    EXPECT_EQ(type("long").fromText("-9223372036854775808"), 1ull << 63);
    EXPECT_EQ(type("float").fromText("1.5"), 0x3fc00000u);
    EXPECT_EQ(type("float").fromText("-inf"), 0xff800000u);
    EXPECT_EQ(type("uint").fromText("bits:ff"), 255u);
    EXPECT_THROW(ElementType::named("quad"), std::runtime_error);
}

TEST(Comparison, IsStrictUnlessToldOtherwise) {
    const ElementType& real = type("float");
    EXPECT_TRUE(equals(real, 0x7fc00000, 0xffc00001, {})) << "any NaN";
    EXPECT_FALSE(equals(real, 0x7fc00000, 0x7f800000, {}));
    EXPECT_FALSE(equals(real, 0, 0x80000000, {})) << "zeroes have signs";
    EXPECT_FALSE(equals(real, 0x3f800000, 0x3f800001, {}));
    EXPECT_TRUE(equals(real, 0x3f800000, 0x3f800001, {.ulp = 1}));
    EXPECT_FALSE(equals(real, 0x3f800000, 0x3f800002, {.ulp = 1}));
    EXPECT_TRUE(equals(real, 1, 0, {.flushed = true}));
    EXPECT_FALSE(equals(real, 0x00800000, 0, {.flushed = true}));
    EXPECT_FALSE(equals(type("int"), 1, 2, {.ulp = 5}));
}

TEST(Fills, EdgesMeetEveryPair) {
    const ElementType& real = type("float");
    const std::size_t n = real.edges().size();
    const Bytes first = fill(real, n * n, YAML::Load("{edges: 0}"));
    const Bytes second = fill(real, n * n, YAML::Load("{edges: 1}"));
    std::set<std::pair<std::uint64_t, std::uint64_t>> pairs;
    for (std::size_t i = 0; i < n * n; ++i) pairs.insert({elementAt(first, real, i), elementAt(second, real, i)});
    EXPECT_EQ(pairs.size(), n * n);
}

TEST(Fills, RangesAreKept) {
    const Bytes bytes = fill(type("int"), 1000, YAML::Load("{random: [-3, 4]}"), 7);
    std::set<std::uint64_t> seen;
    for (std::size_t i = 0; i < 1000; ++i) seen.insert(elementAt(bytes, type("int"), i));
    EXPECT_EQ(seen.size(), 8u);
    EXPECT_THROW(fill(type("int"), 1, YAML::Load("{values: [1, 2]}")), std::runtime_error);
    EXPECT_THROW(fill(type("int"), 1, YAML::Load("{unheard: 1}")), std::runtime_error);
}

TEST(Cases, AllCanBeRead) {
    const auto files = caseFiles(ZETL_CORPUS);
    EXPECT_GE(files.size(), 20u);
    for (const auto& file : files) EXPECT_NO_THROW(readCase(file)) << file;
}

TEST(Cases, ThoseThatSayTooLittleAreRefused) {
    const auto directory = std::filesystem::temp_directory_path() / ("zetl-corpus-" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory);
    std::ofstream(directory / "empty.cl") << "kernel void k(global int* o) {}";
    std::ofstream(directory / "empty.yaml") << "launches:\n  - {kernel: k, global: [1], local: [1], reference: none, "
                                               "arguments: [{buffer: int, count: 1}]}\n";
    EXPECT_THROW(readCase(directory / "empty.yaml"), std::runtime_error);
    EXPECT_THROW(readCase(directory / "absent.yaml"), std::runtime_error);
    const auto refused = [&](const char* builds, const char* argument) {
        std::ofstream(directory / "empty.yaml") << fmt::format(
            "launches:\n  - {{kernel: k, global: [1], local: [1], {}arguments: [{{buffer: int, count: 1{}}}]}}\n",
            builds, argument);
        try {
            readCase(directory / "empty.yaml");
            return false;
        } catch (const std::runtime_error&) {
            return true;
        }
    };
    EXPECT_FALSE(refused("mistaken: {default: why}, ", ", mistaken: [1]"));
    EXPECT_TRUE(refused("mistaken: {default: why}, ", ""));
    EXPECT_TRUE(refused("", ", mistaken: [1]"));
    std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace zetl::kernels
