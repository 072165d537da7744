// dpas beyond what compilers emit: no C, lanes that are off, what is refused; exact sums of reals by a plain loop. The
// kernel corpus has the products.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
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
    float (*decode)(std::uint32_t);
    std::uint32_t (*narrow)(std::uint32_t) = nullptr;  ///< the bits of a float in it
};
std::uint32_t floatBits(int v) { return std::bit_cast<std::uint32_t>(static_cast<float>(v)); }
float fromFloatBits(std::uint32_t bits) { return std::bit_cast<float>(bits); }
constexpr RealType kRealTypes[] = {
    {"hf", 16, [](int v) -> std::uint32_t { return doubleToHalf(v); },
     [](std::uint32_t bits) { return static_cast<float>(halfToDouble(static_cast<std::uint16_t>(bits))); },
     [](std::uint32_t bits) -> std::uint32_t { return doubleToHalf(fromFloatBits(bits)); }},
    {"bf", 16, [](int v) { return floatBits(v) >> 16; }, [](std::uint32_t bits) { return fromFloatBits(bits << 16); },
     [](std::uint32_t bits) { return bits >> 16; }},
    {"tf32", 32, floatBits, fromFloatBits}};

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

/// What the elements of matrices are, as the bits of floats.
enum class Elements : std::uint8_t {
    any,       ///< all bits at random, thus denormals, infinities and NaNs, too
    moderate,  ///< between 2^-8 and 2^8, and zeros of both signs
    tiny,      ///< their products are denormals of f, and C is zero
    zeros      ///< of a row, or a column, all have the same sign
};
/// A dpas on reals of 16 bits, and its definition by a plain loop: products of two neighbours are added up first.
struct PairedStages {
    static constexpr std::size_t kRows = 8;
    static constexpr std::size_t kColumns = 16;
    static constexpr std::size_t kStages = 8;
    PairedStages(const RealType& type, Elements elements, std::mt19937& random)
        : b(kStages * kColumns), a(kRows * kStages), c(kRows * kColumns) {
        const auto any = [&] { return static_cast<std::uint32_t>(random()); };
        const auto sign = [&] { return (any() & 1) << 31; };
        const auto power = [&](std::uint32_t exponent) { return sign() | (exponent + any() % 8) << 23; };
        const auto draw = [&](std::size_t line) -> std::uint32_t {
            if (elements == Elements::zeros) return line % 2 != 0 ? 1u << 31 : 0;
            if (elements == Elements::tiny) return power(127 - 71) | (any() & 0x7fe000);
            return any() % 8 == 0 ? sign() : power(any() % 2 != 0 ? 119 : 127) | (any() & 0x7fe000);
        };
        const auto pair = [&](std::size_t line) {
            if (elements == Elements::any) return any();
            const std::uint32_t lower = type.narrow(draw(line));
            return lower | type.narrow(draw(line)) << 16;
        };
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = pair(i % kColumns);
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = pair(i / kStages);
        for (std::uint32_t& sum : c)
            sum = elements == Elements::any ? any() : elements == Elements::moderate ? draw(0) : sign();
    }
    std::vector<std::uint32_t> b;
    std::vector<std::uint32_t> a;
    std::vector<std::uint32_t> c;

    std::vector<std::uint32_t> sums(const RealType& type, std::size_t rows) const {
        std::vector<std::uint32_t> all;
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t column = 0; column < kColumns; ++column) {
                auto sum = std::bit_cast<float>(c[row * kColumns + column]);
                for (std::size_t k = 0; k < kStages; ++k) {
                    const std::uint32_t x = a[row * kStages + k];
                    const std::uint32_t y = b[k * kColumns + column];
                    const float upper = type.decode(x >> 16) * type.decode(y >> 16);
                    sum += std::fma(type.decode(x & 0xffff), type.decode(y & 0xffff), upper);
                }
                all.push_back(std::bit_cast<std::uint32_t>(sum));
            }
        return all;
    }
};
/// The same bits; which NaN it is may differ.
void expectEqualReals(const std::vector<std::uint32_t>& got, const std::vector<std::uint32_t>& want,
                      const std::string& what) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        const auto isNan = [](std::uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; };
        if (isNan(want[i]))
            EXPECT_TRUE(isNan(got[i])) << what << ", element " << i;
        else
            EXPECT_EQ(got[i], want[i]) << what << ", element " << i;
    }
}

std::string pairedMatrices(const RealType& type, std::size_t rows) {
    return std::string("dpas.8x") + std::to_string(rows) + " (16|M0) r40:f r60:f r20:" + type.name +
           " r30.0:" + type.name;
}
void expectStages(const RealType& type, std::size_t rows, const Code& code, const PairedStages& stages) {
    const auto want = stages.sums(type, rows);
    for (const isa::StepTable* table : usableTables()) {
        LoneThread t;
        t.load(code, 0xffff, {.base = 0x10000}, *table);
        t.set(20, stages.b);
        t.set(30, stages.a);
        t.set(60, stages.c);
        ASSERT_EQ(t.resume(), Status::done);
        expectEqualReals(t.get<std::uint32_t>(40, want.size()), want, pairedMatrices(type, rows) + ", " + table->name);
    }
}
TEST(Systolic, AStageAddsTheSumOfItsProductsOnEveryHost) {
    std::mt19937 random(3);
    for (const RealType& type : kRealTypes)
        for (std::size_t rows = 1; type.narrow != nullptr && rows <= PairedStages::kRows; ++rows) {
            const Code code = assembleProgram(pairedMatrices(type, rows));
            for (unsigned round = 0; round < 5; ++round)
                for (const Elements elements : {Elements::any, Elements::moderate, Elements::tiny, Elements::zeros})
                    expectStages(type, rows, code, PairedStages(type, elements, random));
        }
}

constexpr std::uint32_t kKeepAllDenormals = 0x4c0;
/// The modes of cr0.0: nearest, up, down, toward zero.
TEST(Systolic, EveryHostRoundsStagesAlike) {
    std::mt19937 random(4);
    for (const RealType& type : kRealTypes) {
        if (type.narrow == nullptr) continue;
        const Code code = assembleProgram(pairedMatrices(type, PairedStages::kRows));
        for (std::uint32_t mode = 0; mode < 4; ++mode) {
            const PairedStages stages(type, Elements::moderate, random);
            std::vector<std::uint32_t> first;
            for (const isa::StepTable* table : usableTables()) {
                LoneThread t;
                t.load(code, 0xffff, {.base = 0x10000}, *table);
                t.setControl(kKeepAllDenormals | mode << 4);
                t.set(20, stages.b);
                t.set(30, stages.a);
                t.set(60, stages.c);
                ASSERT_EQ(t.resume(), Status::done);
                const auto got = t.get<std::uint32_t>(40, stages.c.size());
                if (first.empty()) first = got;
                EXPECT_EQ(got, first) << type.name << ", mode " << mode << ", " << table->name;
            }
        }
    }
}

/// Bytes of either sign, and their product by a plain loop.
struct ByteMatrices {
    static constexpr std::size_t kDepth = 32;
    static constexpr std::size_t kRows = 8;
    static constexpr std::size_t kColumns = 16;
    explicit ByteMatrices(std::mt19937& random)
        : b(kDepth * kColumns), a(kRows * kDepth), c(kRows * kColumns, INT32_MAX - 7) {
        constexpr std::uint8_t kEdges[] = {0, 1, 127, 128, 255};
        const auto draw = [&] {
            return random() % 4 == 0 ? kEdges[random() % 5] : static_cast<std::uint8_t>(random());
        };
        std::ranges::generate(b, draw);
        std::ranges::generate(a, draw);
    }
    std::vector<std::uint8_t> b;
    std::vector<std::uint8_t> a;
    std::vector<std::int32_t> c;

    std::vector<std::int32_t> sums(std::size_t rows, bool signedB, bool signedA) const {
        const auto valueOf = [](std::uint8_t byte, bool isSigned) -> std::int32_t {
            return isSigned ? static_cast<std::int8_t>(byte) : byte;
        };
        std::vector<std::int32_t> all;
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t i = 0; i < kColumns; ++i) {
                auto sum = static_cast<std::uint32_t>(c[r * kColumns + i]);
                for (std::size_t k = 0; k < kDepth; ++k)
                    sum += static_cast<std::uint32_t>(valueOf(a[r * kDepth + k], signedA) *
                                                      valueOf(b[(k / 4 * kColumns + i) * 4 + k % 4], signedB));
                all.push_back(static_cast<std::int32_t>(sum));
            }
        return all;
    }
};

TEST(Systolic, ProductsOfBytesOfEitherSignAreThoseOfThePlainProductOnEveryHost) {
    std::mt19937 random(2);
    for (const std::size_t rows : {1u, 3u, 8u})
        for (const bool signedB : {false, true})
            for (const bool signedA : {false, true}) {
                const ByteMatrices m(random);
                const auto want = m.sums(rows, signedB, signedA);
                const std::string text = std::string("dpas.8x") + std::to_string(rows) +
                                         " (16|M0) r40:d r40:d r20:" + (signedB ? "b" : "ub") +
                                         " r30.0:" + (signedA ? "b" : "ub");
                const Code code = assembleProgram(text);
                for (const isa::StepTable* table : usableTables()) {
                    LoneThread t;
                    t.load(code, 0xffff, {.base = 0x10000}, *table);
                    t.set(20, m.b);
                    t.set(30, m.a);
                    t.set(40, m.c);
                    ASSERT_EQ(t.resume(), Status::done) << text;
                    EXPECT_EQ(t.get<std::int32_t>(40, want.size()), want) << text << ", " << table->name;
                }
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
