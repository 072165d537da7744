// Products of dwords in two lines, as compilers write them: result and accumulator, for every later reader of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lone_thread.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kLanesOfProduct = 16;
constexpr std::uint32_t kFactors[] = {0,          1,          2,          0xffff,     0x10000,    0x7fffffff,
                                      0x80000000, 0x80000001, 0xffff0000, 0xffffffff, 0x12345678, 0xaaaaaaab};
constexpr std::uint32_t kConstant = 0xaaaaaaab;
constexpr std::uint32_t kUntouched = 0xcdcdcdcd;      // in the registers that are written
constexpr std::uint32_t kPredicateBits = 0x0000a5c3;  // f0.0

std::uint32_t factor(std::uint32_t reg, std::uint32_t lane) {
    return kFactors[(lane * (reg == 10 ? 5 : 7) + lane / 12 + reg) % std::size(kFactors)];
}

enum class Second : std::uint8_t { lanes, one, constant };
enum class Behind : std::uint8_t { nothing, another, reader, readerAndAnother };
bool isRead(Behind b) { return b == Behind::reader || b == Behind::readerAndAnother; }
bool isOverwritten(Behind b) { return b == Behind::another || b == Behind::readerAndAnother; }

struct ProductCase {
    bool high;
    bool isSigned;
    Second y;
    Behind behind;
    const char* predicate;
    std::uint32_t lanes;  ///< that are on
};

class TwoLineProducts : public testing::Test {
  protected:
    /// r10 times the second source, to r40; where it is overwritten, r12 times another one, to r42.
    static std::string textOf(const ProductCase& c) {
        const char* const type = c.isSigned ? "d" : "ud";
        const auto whole = [&](std::uint32_t reg) {
            return c.y == Second::lanes ? fmt::format("r{}.0<1;1,0>:{}", reg, type)
                   : c.y == Second::one ? fmt::format("r14.3<0;1,0>:{}", type)
                                        : fmt::format("{:#x}:{}", kConstant, type);
        };
        const auto words = [&](std::uint32_t reg) {
            return c.y == Second::lanes ? fmt::format("r{}.0<2;1,0>:uw", reg)
                   : c.y == Second::one ? std::string("r14.6<0;1,0>:uw")
                                        : fmt::format("{:#x}:uw", kConstant & 0xffff);
        };
        const auto product = [&](std::uint32_t to, std::uint32_t x, std::uint32_t y) {
            return fmt::format("(W) mul (16|M0) acc0.0<1>:{0} r{1}.0<1;1,0>:{0} {2}\n", type, x, words(y)) +
                   fmt::format("{0}{1} (16|M0) r{2}.0<1>:{3} r{4}.0<1;1,0>:{3} {5}\n", c.predicate,
                               c.high ? "mach" : "macl", to, type, x, whole(y));
        };
        std::string text = product(40, 10, 14);
        if (isRead(c.behind)) text += fmt::format("(W) mov (16|M0) r44.0<1>:{0} acc0.0<1;1,0>:{0}\n", type);
        if (isOverwritten(c.behind)) text += product(42, 12, 15);
        return text;
    }
    static std::uint32_t second(const ProductCase& c, std::uint32_t lane, std::uint32_t reg) {
        return c.y == Second::lanes ? factor(reg, lane) : c.y == Second::one ? factor(14, 3) : kConstant;
    }
    static std::int64_t extended(const ProductCase& c, std::uint32_t value) {
        return c.isSigned ? std::int64_t{static_cast<std::int32_t>(value)} : std::int64_t{value};
    }
    static std::uint32_t onIn(const ProductCase& c) { return *c.predicate == 0 ? c.lanes : c.lanes & kPredicateBits; }

    /// What the line leaves: in a destination, and in the accumulator.
    struct Result {
        std::uint32_t destination;
        std::uint64_t accumulator;
    };
    static Result resultOf(const ProductCase& c, std::uint32_t lane, std::uint32_t x, std::uint32_t y) {
        const bool on = (onIn(c) >> lane & 1) != 0;
        const auto whole = static_cast<std::uint64_t>(extended(c, x)) * static_cast<std::uint64_t>(extended(c, y));
        const auto low = static_cast<std::uint64_t>(extended(c, x)) * (y & 0xffff);
        const auto half = static_cast<std::uint32_t>(c.high ? whole >> 32 : whole);
        return {on ? half : kUntouched, on && c.high ? whole : low};
    }

    void setFactors() {
        for (const std::uint32_t reg : {10u, 12u, 14u, 15u}) {
            std::vector<std::uint32_t> lanes(kLanesOfProduct);
            for (std::uint32_t i = 0; i < kLanesOfProduct; ++i) lanes[i] = factor(reg, i);
            t.set(reg, lanes);
        }
    }
    void check(const ProductCase& c, const isa::StepTable& table) {
        t.load(assembleProgram(textOf(c)), c.lanes, {.base = 0x10000}, table);
        setFactors();
        t.set(40, std::vector<std::uint32_t>(6 * kLanesOfProduct, kUntouched));
        std::memset(t.thread().state + isa::layout::kAccumulator, 0xcd,
                    isa::layout::kAccumulatorBytes + isa::layout::kWideAccumulatorBytes);
        t.setFlag(0, kPredicateBits);
        ASSERT_EQ(t.resume(), isa::Status::done) << describe(t.thread().fault);
        const bool another = isOverwritten(c.behind);
        for (std::uint32_t i = 0; i < kLanesOfProduct; ++i) {
            const Result first = resultOf(c, i, factor(10, i), second(c, i, 14));
            const Result last = another ? resultOf(c, i, factor(12, i), second(c, i, 15)) : first;
            EXPECT_EQ(t.scalar<std::uint32_t>(40, i), first.destination) << "lane " << i;
            EXPECT_EQ(t.scalar<std::uint32_t>(42, i), another ? last.destination : kUntouched) << "lane " << i;
            const auto read = static_cast<std::uint32_t>(first.accumulator);
            const auto left = static_cast<std::uint32_t>(last.accumulator);
            EXPECT_EQ(t.scalar<std::uint32_t>(44, i), isRead(c.behind) ? read : kUntouched) << "lane " << i;
            EXPECT_EQ(t.thread().at<std::uint32_t>(isa::layout::kAccumulator + i * 4), left) << "lane " << i;
        }
    }

    LoneThread t;
};

TEST_F(TwoLineProducts, ResultAndAccumulatorAreThoseOfTheLines) {
    for (const bool high : {false, true})
        for (const bool isSigned : {false, true})
            for (const Second y : {Second::lanes, Second::one, Second::constant})
                for (const Behind behind : {Behind::nothing, Behind::another, Behind::reader, Behind::readerAndAnother})
                    for (const char* predicate : {"", "(f0.0) "})
                        for (const std::uint32_t lanes : {0xffffu, 0x5a3cu})
                            for (const isa::StepTable* table : usableTables()) {
                                const ProductCase c{high, isSigned, y, behind, predicate, lanes};
                                SCOPED_TRACE(fmt::format("{}{}, lanes {:#x}", textOf(c), table->name, lanes));
                                ASSERT_NO_FATAL_FAILURE(check(c, *table));
                                if (testing::Test::HasFailure()) return;
                            }
}

std::uint32_t lowWords(std::uint32_t lane) { return factor(10, lane) * (factor(14, lane) & 0xffff); }
std::uint32_t highWords(std::uint32_t x, std::uint32_t y) { return x * (y >> 16) << 16; }

/// The second line is no product of the first's sources, and takes the accumulator as it is.
TEST_F(TwoLineProducts, LinesThatDoNotBelongTogetherAreTwo) {
    struct Pair {
        const char* first;
        const char* second;
        std::uint32_t (*value)(std::uint32_t lane);
    };
    static constexpr Pair kPairs[] = {
        {"(W) mul (16|M0) acc0.0<1>:ud r10.0<1;1,0>:ud r14.0<2;1,0>:uw",
         "macl (16|M0) r40.0<1>:ud r12.0<1;1,0>:ud r14.0<1;1,0>:ud",
         [](std::uint32_t i) { return lowWords(i) + highWords(factor(12, i), factor(14, i)); }},
        {"(W) mul (16|M0) acc0.0<1>:ud r10.0<1;1,0>:ud r14.0<2;1,0>:uw",
         "macl (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r15.0<1;1,0>:ud",
         [](std::uint32_t i) { return lowWords(i) + highWords(factor(10, i), factor(15, i)); }},
        {"(W) mul (16|M0) acc0.0<1>:ud r10.0<1;1,0>:ud r14.1<2;1,0>:uw",
         "macl (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r14.0<1;1,0>:ud",
         [](std::uint32_t i) {
             return factor(10, i) * (factor(14, i) >> 16) + highWords(factor(10, i), factor(14, i));
         }},
        {"(W) mul (16|M0) acc0.0<1>:ud r10.0<1;1,0>:ud 0x5678:uw",
         "macl (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud 0x12345679:ud",
         [](std::uint32_t i) { return factor(10, i) * 0x5678 + highWords(factor(10, i), 0x12345679); }},
        {"mov (16|M0) acc0.0<1>:ud r15.0<1;1,0>:ud\n"
         "(W) mul (1|M0) acc0.0<1>:ud r10.0<0;1,0>:ud r14.0<0;1,0>:uw",
         "macl (16|M0) r40.0<1>:ud r10.0<0;1,0>:ud r14.0<0;1,0>:ud",
         [](std::uint32_t i) {
             return (i == 0 ? lowWords(0) : factor(15, i)) + highWords(factor(10, 0), factor(14, 0));
         }},
        {"mov (16|M0) acc0.0<1>:ud r14.0<1;1,0>:ud", "macl (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r14.0<1;1,0>:ud",
         [](std::uint32_t i) { return factor(14, i) + highWords(factor(10, i), factor(14, i)); }},
    };
    for (const Pair& pair : kPairs)
        for (const isa::StepTable* table : usableTables()) {
            t.load(assembleProgram(fmt::format("{}\n{}\n", pair.first, pair.second)), 0xffff, {.base = 0x10000},
                   *table);
            setFactors();
            ASSERT_EQ(t.resume(), isa::Status::done) << describe(t.thread().fault);
            for (std::uint32_t i = 0; i < kLanesOfProduct; ++i)
                EXPECT_EQ(t.scalar<std::uint32_t>(40, i), pair.value(i))
                    << pair.first << "; " << pair.second << "; " << table->name << ", lane " << i;
        }
}

}  // namespace
}  // namespace zetl::test
