// dpas beyond what compilers emit: no C, lanes that are off, what is refused; exact sums of reals by a plain loop. The
// kernel corpus has the products.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>

#include "half.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

using isa::FaultKind;
using isa::Status;

TEST(Systolic, WithoutCTheSumStartsAtZeroAndLanesThatAreOffKeepTheirs) {
    LoneThread t;
    t.set(20, std::vector<std::uint8_t>(8 * 64, 3));
    t.set(30, std::vector<std::uint8_t>(8 * 32, 2));
    t.set(40, std::vector<std::int32_t>(16 * 9, 7));
    ASSERT_EQ(t.run(assembleProgram("dpas.8x8 (16|M0) r40:d null:d r20:b r30.0:b"), 0xfffe), Status::done);
    for (std::uint32_t row = 0; row < 8; ++row) {
        EXPECT_EQ(t.scalar<std::int32_t>(40 + row, 0), 7);
        EXPECT_EQ(t.scalar<std::int32_t>(40 + row, 15), 32 * 6);
    }
    EXPECT_EQ(t.scalar<std::int32_t>(48, 3), 7);
}

TEST(Systolic, TheResultMayReplaceAnyOperand) {
    for (const char* assembly :
         {"dpas.8x1 (16|M0) r20:d null:d r20:b r30.0:b", "dpas.8x1 (16|M0) r30:d null:d r20:b r30.0:b"}) {
        LoneThread t;
        t.set(20, std::vector<std::uint8_t>(8 * 64, 255));
        t.set(30, std::vector<std::uint8_t>(32, 100));
        ASSERT_EQ(t.run(assembleProgram(assembly)), Status::done);
        EXPECT_EQ(t.get<std::int32_t>(assembly[18] == '2' ? 20 : 30, 16), std::vector<std::int32_t>(16, -3200));
    }
}

/// A type of dpas on reals, and the bits of a small whole number in it.
struct RealType {
    const char* name;
    unsigned bits;
    std::uint32_t (*encode)(int);
};
std::uint32_t floatBits(int v) { return std::bit_cast<std::uint32_t>(static_cast<float>(v)); }
constexpr RealType kRealTypes[] = {{"hf", 16, [](int v) -> std::uint32_t { return doubleToHalf(v); }},
                                   {"bf", 16, [](int v) { return floatBits(v) >> 16; }},
                                   {"tf32", 32, floatBits}};

/// Whole numbers whose sum is exact in any order: hardware's is not published.
struct Matrices {
    static constexpr int kRows = 8;
    static constexpr int kColumns = 16;
    Matrices(const RealType& type, std::mt19937& random)
        : inDword(static_cast<int>(32 / type.bits)), depth(8 * inDword), second(8 * kColumns), third(kRows * 8) {
        const auto draw = [&] { return static_cast<int>(random() % 17) - 8; };
        std::vector<std::vector<int>> left(kRows, std::vector<int>(static_cast<std::size_t>(depth)));
        std::vector<std::vector<int>> right(static_cast<std::size_t>(depth), std::vector<int>(kColumns));
        for (int row = 0; row < kRows; ++row)
            for (int k = 0; k < depth; ++k)
                third[row * 8 + k / inDword] |= type.encode(left[row][k] = draw()) << type.bits * (k % inDword) % 32;
        for (int k = 0; k < depth; ++k)
            for (int column = 0; column < kColumns; ++column)
                second[k / inDword * kColumns + column] |= type.encode(right[k][column] = draw())
                                                           << type.bits * (k % inDword) % 32;
        for (int row = 0; row < kRows; ++row)
            for (int column = 0; column < kColumns; ++column) {
                int sum = 0;
                for (int k = 0; k < depth; ++k) sum += left[row][k] * right[k][column];
                product.push_back(static_cast<float>(sum));
                addend.push_back(static_cast<float>(draw()) * 0.25f);
            }
    }
    int inDword;  ///< elements
    int depth;
    std::vector<std::uint32_t> second;  ///< a column in each lane, dword below dword
    std::vector<std::uint32_t> third;   ///< row after row
    std::vector<float> product;
    std::vector<float> addend;
};

TEST(Systolic, SumsOfRealsThatAreExactAreThoseOfThePlainProduct) {
    std::mt19937 random(1);
    for (const RealType& type : kRealTypes)
        for (std::size_t rows = 1; rows <= Matrices::kRows; ++rows)
            for (const bool adds : {false, true}) {
                const Matrices m(type, random);
                LoneThread t;
                t.set(20, m.second);
                t.set(30, m.third);
                t.set(60, m.addend);
                const std::string text = std::string("dpas.8x") + std::to_string(rows) + " (16|M0) r40:f " +
                                         (adds ? "r60:f" : "null:f") + " r20:" + type.name + " r30.0:" + type.name;
                ASSERT_EQ(t.run(assembleProgram(text)), Status::done) << text;
                std::vector<float> want(rows * Matrices::kColumns);
                for (std::size_t i = 0; i < want.size(); ++i) want[i] = m.product[i] + (adds ? m.addend[i] : 0);
                EXPECT_EQ(t.get<float>(40, want.size()), want) << text;
            }
}

TEST(Systolic, ProductsOfBytesOfEitherSignAreThoseOfThePlainProduct) {
    constexpr std::size_t kDepth = 32;
    constexpr std::size_t kRows = 8;
    constexpr std::size_t kColumns = 16;
    constexpr std::uint8_t kEdges[] = {0, 1, 127, 128, 255};
    std::mt19937 random(2);
    const auto draw = [&] { return random() % 4 == 0 ? kEdges[random() % 5] : static_cast<std::uint8_t>(random()); };
    const auto valueOf = [](std::uint8_t byte, bool isSigned) -> std::int32_t {
        return isSigned ? static_cast<std::int8_t>(byte) : byte;
    };
    for (const bool signedB : {false, true})
        for (const bool signedA : {false, true}) {
            std::vector<std::uint8_t> b(kDepth * kColumns);
            std::vector<std::uint8_t> a(kRows * kDepth);
            std::vector<std::int32_t> c(kRows * kColumns, INT32_MAX - 7);
            std::ranges::generate(b, draw);
            std::ranges::generate(a, draw);
            std::vector<std::int32_t> want;
            for (std::size_t r = 0; r < kRows; ++r)
                for (std::size_t i = 0; i < kColumns; ++i) {
                    auto sum = static_cast<std::uint32_t>(c[r * kColumns + i]);
                    for (std::size_t k = 0; k < kDepth; ++k)
                        sum += static_cast<std::uint32_t>(valueOf(a[r * kDepth + k], signedA) *
                                                          valueOf(b[(k / 4 * kColumns + i) * 4 + k % 4], signedB));
                    want.push_back(static_cast<std::int32_t>(sum));
                }
            LoneThread t;
            t.set(20, b);
            t.set(30, a);
            t.set(40, c);
            const std::string text = std::string("dpas.8x8 (16|M0) r40:d r40:d r20:") + (signedB ? "b" : "ub") +
                                     " r30.0:" + (signedA ? "b" : "ub");
            ASSERT_EQ(t.run(assembleProgram(text)), Status::done) << text;
            EXPECT_EQ(t.get<std::int32_t>(40, want.size()), want) << text;
        }
}

TEST(Systolic, OtherSizesAndTypesAreRefused) {
    LoneThread t;
    ASSERT_EQ(t.run(assembleProgram("dpas.4x2 (16|M0) r40:d r40:d r20:b r30.0:b")), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::unsupportedInstruction);
    EXPECT_STREQ(t.thread().fault.what, "dpas of this size");
    ASSERT_EQ(t.run(assembleProgram("dpas.8x2 (16|M0) r40:f r40:f r20:bf r30.0:hf")), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::illegalInstruction);
    ASSERT_EQ(t.run(assembleProgram("dpas.8x2 (16|M0) r40:d r40:d r20:b r30.2:b")), Status::faulted);
    EXPECT_STREQ(t.thread().fault.what, "misaligned register operand");
    ASSERT_EQ(t.run(assembleProgram("dpas.8x8 (16|M0) r252:d r40:d r20:b r30.0:b")), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::illegalInstruction);
}

}  // namespace
}  // namespace zetl::test
