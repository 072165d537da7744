// What mach reads of an accumulator: more than 32 bits per lane, which are kept by lines that it may follow.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "emulator/isa/code.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kLanesOfTest = 16;
constexpr std::uint32_t kX = 0x89abcdef;
constexpr std::uint32_t kY = 0xfedcba98;
constexpr const char* kLow = "(W) mul (16|M0) acc0.0<1>:ud r10.0<1;1,0>:ud r14.0<2;1,0>:uw\n";
constexpr const char* kHigh = "(W) mach (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r14.0<1;1,0>:ud\n";
constexpr const char* kOther = "(W) mul (16|M0) acc0.0<1>:ud r15.0<1;1,0>:ud r14.0<2;1,0>:uw\n";

class WideAccumulator : public testing::Test {
  protected:
    /// By line of the program.
    std::vector<bool> wideLines(const std::string& assembly) {
        t.load(assembleProgram(assembly));
        return t.program().code().traits.wideAccumulator;
    }
    /// What mach leaves in r40 after that, whose first lanes execute the program.
    std::uint32_t highOf(const std::string& assembly, std::uint32_t lane = 0) {
        t.load(assembleProgram(assembly));
        t.set(10, std::vector<std::uint32_t>(kLanesOfTest, kX));
        t.set(14, std::vector<std::uint32_t>(kLanesOfTest, kY));
        t.set(15, std::vector<std::uint32_t>(kLanesOfTest, 3));
        t.setFlag(0, 0x00ff);
        EXPECT_EQ(t.resume(), isa::Status::done) << describe(t.thread().fault);
        return t.scalar<std::uint32_t>(40, lane);
    }
    static std::uint32_t highOf(std::uint32_t first) {  // whose low words were multiplied, where mach has kX
        return static_cast<std::uint32_t>(
            (std::uint64_t{first} * (kY & 0xffff) + (std::uint64_t{kX} * (kY >> 16) << 16)) >> 32);
    }
    LoneThread t;
};

TEST_F(WideAccumulator, IsKeptByTheLineThatMachFollows) {
    const std::string text = std::string(kOther) + kLow + kHigh + kLow;
    const std::vector<bool> wide = wideLines(text);
    EXPECT_EQ(std::vector<bool>(wide.begin(), wide.begin() + 4), (std::vector<bool>{false, true, false, false}));
    EXPECT_EQ(highOf(text), highOf(kX));
}

TEST_F(WideAccumulator, IsKeptByNoLineOfAProgramWithoutMach) {
    for (const bool wide : wideLines(std::string(kLow) + "macl (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r14.0<1;1,0>:ud"))
        EXPECT_FALSE(wide);
}

// Lanes that the second line leaves as they are.
TEST_F(WideAccumulator, IsKeptByALineThatIsOverwrittenInPart) {
    for (const char* part : {"(W&f0.0) mul (16|M0) acc0.0<1>:ud r15.0<1;1,0>:ud r14.0<2;1,0>:uw\n",
                             "(W) mul (8|M0) acc0.0<1>:ud r15.0<1;1,0>:ud r14.0<2;1,0>:uw\n"}) {
        SCOPED_TRACE(part);
        const std::string text = std::string(kLow) + part + kHigh;
        EXPECT_TRUE(wideLines(text)[0]);
        EXPECT_EQ(highOf(text, 3), highOf(3u));
        EXPECT_EQ(highOf(text, 12), highOf(kX));
    }
    EXPECT_TRUE(wideLines("mul (16|M0) acc1.0<1>:ud r15.0<1;1,0>:ud r14.0<2;1,0>:uw\n" + std::string(kLow) + kHigh)[0]);
}

TEST_F(WideAccumulator, IsKeptAcrossBranches) {
    const std::string forward = std::string(kLow) + "(W&f0.0) jmpi L1\n" + kOther + "L1:\n" + kHigh;
    EXPECT_TRUE(wideLines(forward)[0]);
    EXPECT_EQ(highOf(forward), highOf(kX));
    const std::string backward = "mov (16|M0) r41.0<1>:ud 0:w\n(W) jmpi L3\nL1:\n" + std::string(kHigh) +
                                 "(W) jmpi L2\nL3:\n" + kLow + "(W) jmpi L1\nL2:\n" + kOther;
    const std::vector<bool> wide = wideLines(backward);
    EXPECT_TRUE(wide[4]);
    EXPECT_FALSE(wide[6]);
    EXPECT_EQ(highOf(backward), highOf(kX));
}

TEST_F(WideAccumulator, IsKeptForFunctionsThatAreCalled) {
    const std::string text = std::string(kLow) + "call (16|M0) r60.0 L1\n(W) jmpi L2\nL1:\n" + kHigh +
                             "ret (16|M0) r60.0\nL2:\nmov (16|M0) r42.0<1>:ud 0:w";
    EXPECT_TRUE(wideLines(text)[0]);
    EXPECT_EQ(highOf(text), highOf(kX));
}

// A kernel with mach makes no difference to the other kernels of its module.
TEST_F(WideAccumulator, IsNotKeptByAKernelBesideOneWithMach) {
    const std::string kernel = std::string(kLow) + "macl (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud r14.0<1;1,0>:ud\n";
    const Code one = assembleProgram(kernel);
    Code both = one;
    const Code other = assembleProgram(std::string(kLow) + kHigh);
    both.insert(both.end(), other.begin(), other.end());
    t.load(both);
    const std::vector<bool>& wide = t.program().code().traits.wideAccumulator;
    EXPECT_FALSE(wide[0]);
    EXPECT_TRUE(wide[t.program().lineAt(0x10000 + static_cast<std::uint32_t>(one.size()))]);
}

/// As many lines as that, none of which overwrites another, and each of which leads to the one before.
TEST_F(WideAccumulator, IsFoundInTimeThatGrowsWithTheCode) {
    std::string text = "L0:\n";
    for (int i = 0; i < 3000; ++i)
        text += fmt::format(
            "(f0.0) mul (16|M0) acc0.0<1>:ud r10.0<1;1,0>:ud r14.0<2;1,0>:uw\nL{}:\n(W&f0.0) jmpi L{}\n", i + 1, i);
    const std::vector<bool> wide = wideLines(text + kHigh);
    EXPECT_TRUE(wide[0]);
    EXPECT_TRUE(wide[5998]);
}

}  // namespace
}  // namespace zetl::test
