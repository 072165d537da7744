// Flags that compilers combine by way of numbers.
#include "emulator/translate/plan/flag_logic.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "lone_thread.h"

namespace zetl::test {
namespace {

namespace translate = emulator::translate;

const std::string kOne = "(W) mov (1|M0) r30.0<1>:hf 0x1:hf\n";
const std::string kFirst = "(f1.0) sel (32|M0) r21.0<1>:uw r30.0<0;1,0>:uw 0x0:uw\n";
const std::string kSecond = "(~f2.0) sel (32|M0) r22.0<1>:uw r30.0<0;1,0>:uw 0x0:uw\n";
const std::string kBoth = "xor (32|M0) (ne)f0.0 null<1>:uw r21.0<1;1,0>:uw r22.0<1;1,0>:uw\n";

/// The block from the first line of a program on, in the version for lanes some of which may be off.
struct Block {
    explicit Block(const std::string& text) : program(isa::lower(assembleProgram(text), {.base = 0x10000})) {
        const auto& code = program->code();
        const translate::Survey survey = translate::surveyFrom(code, 0);
        const translate::LiveRegisters live(code, survey);
        logics =
            translate::FlagLogics(code, code.bodyOf[static_cast<int>(isa::Version::masked)], 0, survey, live, true);
    }
    std::unique_ptr<isa::Program> program;
    translate::FlagLogics logics;
};

bool isCombined(const std::string& text, isa::Line last) { return Block(text).logics.at(last) != nullptr; }

TEST(FlagLogic, IsWhatSelectionsAndALogicLineDo) {
    const Block block(kOne + kFirst + kSecond + kBoth);
    const translate::FlagLogic* const logic = block.logics.at(3);
    ASSERT_NE(logic, nullptr);
    EXPECT_EQ(logic->opcode, isa::Opcode::bitXor);
    EXPECT_EQ(logic->sources[0].number, 1);
    EXPECT_FALSE(logic->sources[0].inverted);
    EXPECT_EQ(logic->sources[1].number, 2);
    EXPECT_TRUE(logic->sources[1].inverted);
    EXPECT_FALSE(logic->inverted);
    EXPECT_TRUE(block.logics.isLeftOut(1));
    EXPECT_TRUE(block.logics.isLeftOut(2));
    EXPECT_FALSE(block.logics.isLeftOut(0));
    EXPECT_FALSE(block.logics.isLeftOut(3));
}

TEST(FlagLogic, NeedsANumberThatIsKnown) {
    EXPECT_FALSE(isCombined(kFirst + kSecond + kBoth, 2));
    EXPECT_FALSE(isCombined(kOne + "mov (16|M0) r30.0<1>:d 0:w\n" + kFirst + kSecond + kBoth, 4)) << "it has changed";
    EXPECT_FALSE(isCombined("(W) mov (1|M0) r30.0<1>:hf 0x0:hf\n" + kFirst + kSecond + kBoth, 3));
    const std::string two = "(W) mov (1|M0) r30.0<1>:hf 0x2:hf\n";
    EXPECT_TRUE(isCombined(two + kFirst + kSecond + kBoth, 3));
    EXPECT_FALSE(isCombined(kOne + kFirst + two + kSecond + kBoth, 4)) << "1 xor 2 is not 0";
}

TEST(FlagLogic, NeedsNumbersThatNobodyElseReads) {
    const std::string reads = "mov (32|M0) r40.0<1>:d r21.0<1;1,0>:uw\n";
    EXPECT_FALSE(isCombined(kOne + kFirst + kSecond + kBoth + reads, 3));
    EXPECT_FALSE(isCombined(kOne + kFirst + kSecond + reads + kBoth, 4));
    const std::string way = "(f0.0) goto (32|M0) L1 L1\nL1:\njoin (32|M0) L2\nL2:\n";
    EXPECT_FALSE(isCombined(kOne + kFirst + kSecond + kBoth + way + reads, 3));
    EXPECT_TRUE(isCombined(kOne + kFirst + kSecond + kBoth + way, 3));
}

TEST(FlagLogic, NeedsFlagsAndNumbersThatStay) {
    const std::string compares = "cmp (32|M0) (lt)f3.0 null<1>:d r40.0<1;1,0>:d 5:w\n";
    const std::string changes = "cmp (32|M0) (lt)f1.0 null<1>:d r40.0<1;1,0>:d 5:w\n";
    EXPECT_TRUE(isCombined(kOne + kFirst + compares + kSecond + kBoth, 4));
    EXPECT_FALSE(isCombined(kOne + kFirst + changes + kSecond + kBoth, 4));
    EXPECT_FALSE(isCombined(kOne + kFirst + kSecond + "mov (16|M0) r21.0<1>:d 3:w\n" + kBoth, 4));
    EXPECT_FALSE(isCombined(kOne + kFirst + kSecond + "(W) " + kBoth, 3)) << "of other lanes";
    EXPECT_FALSE(isCombined(kOne + kFirst + kSecond + "(W) jmpi 16\n" + kBoth, 4)) << "in another block";
}

}  // namespace
}  // namespace zetl::test
