// What the debugger knows of registers from machine code alone.
#include "core/code_flow.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/elf_image.h"
#include "core/register_check.h"
#include "isa/xe/architecture.h"
#include "unit/instrumentation/assembled.h"

namespace zetl::debugger {
namespace {

using instrumentation::branch;
using instrumentation::ByteRange;
using instrumentation::end;
using instrumentation::jump;
using instrumentation::masked;
using instrumentation::maskedSum;
using instrumentation::scalar;
using instrumentation::sequence;

/// Sixteen numbers of 32 bits.
constexpr ByteRange numbersIn(std::uint32_t number) {
    return {number * isa::xe::kRegisterBytes, isa::xe::kRegisterBytes};
}
/// That of one lane.
constexpr ByteRange numberIn(std::uint32_t number, std::uint32_t lane = 0) {
    return {number * isa::xe::kRegisterBytes + 4 * lane, 4};
}

CodeFlow flowOf(const instrumentation::MachineCode& code) { return {isa::xe::kXeHpc, code}; }

/// r10 before a loop of three instructions, 1 to 3; r11 and r12 in it.
CodeFlow loop() {
    return flowOf(sequence({masked(10, 20), masked(30, 12), masked(12, 10), jump(-2, true), masked(31, 10), end()}));
}

TEST(CodeFlow, KnowsWhatComesBeforeAnInstructionIsReachedForTheFirstTime) {
    const auto flow = loop();
    EXPECT_EQ(flow.lastWriters(1, numbersIn(12)), std::vector<std::uint32_t>{2}) << "by the turn before";
    EXPECT_FALSE(flow.comeBefore({2}, 1)) << "which there is none of at first";
    EXPECT_TRUE(flow.comeBefore({2}, 4));
    EXPECT_TRUE(flow.comeBefore({2, 0}, 1));
    EXPECT_FALSE(flow.comeBefore({}, 4));
}

TEST(CodeFlow, KnowsWhetherARegisterIsNeeded) {
    const auto flow = loop();
    EXPECT_TRUE(flow.isReadFrom(1, numbersIn(10)));
    EXPECT_TRUE(flow.isReadFrom(4, numbersIn(10)));
    EXPECT_FALSE(flow.isReadFrom(5, numbersIn(10)));
    EXPECT_FALSE(flow.isReadFrom(0, numbersIn(10))) << "it is written first";
    EXPECT_TRUE(flow.isReadFrom(2, numbersIn(20)) == false && flow.isReadFrom(0, numbersIn(20)));
}

TEST(CodeFlow, KnowsWhatMayBeExecutedLater) {
    const auto flow = loop();
    EXPECT_TRUE(flow.leads(0, 4));
    EXPECT_TRUE(flow.leads(2, 1)) << "a turn later";
    EXPECT_TRUE(flow.leads(2, 2));
    EXPECT_FALSE(flow.leads(0, 0));
    EXPECT_FALSE(flow.leads(4, 2));
}

TEST(CodeFlow, WritersThatOneInstructionReadsComputeOneValue) {
    // Both sides of a branch write r10, and r11 is given to something else behind it.
    const auto flow = flowOf(sequence({jump(3, true), masked(10, 20), jump(2), masked(10, 21), masked(30, 10),
                                       masked(10, 22), masked(31, 10), end()}));
    const auto isFirst = [](std::uint32_t each) { return each == 1; };
    EXPECT_TRUE(flow.meets(3, numbersIn(10), isFirst));
    EXPECT_FALSE(flow.meets(5, numbersIn(10), isFirst)) << "no instruction reads it beside the first one's value";
    EXPECT_FALSE(flow.meets(1, numbersIn(10), isFirst)) << "another one";
}

TEST(CodeFlow, PartsOfARegisterAreNotItsValue) {
    // The second writer leaves half of r10 as it was.
    const auto flow = flowOf(sequence({masked(10, 20), scalar(10, 21), masked(30, 10), end()}));
    const auto isFirst = [](std::uint32_t each) { return each == 0; };
    EXPECT_EQ(flow.lastWriters(2, numbersIn(10)), (std::vector<std::uint32_t>{0, 1}));
    EXPECT_FALSE(flow.meets(1, numbersIn(10), isFirst));
}

/// Of code without lines: what instructions alone show about a variable.
class RegisterDoubt : public testing::Test {
  protected:
    std::string doubtOf(const instrumentation::MachineCode& code, std::uint32_t now, ByteRange bytes,
                        std::uint64_t first = 0, std::optional<std::uint32_t> pitch = std::nullopt,
                        bool isRunning = true, const Type* type = nullptr) {
        const auto flow = flowOf(code);
        const LocationQuestion question{.flow = flow,
                                        .debug = debug_,
                                        .now = now,
                                        .isRunning = isRunning,
                                        .first = first,
                                        .end = code.size(),
                                        .localIds = {isa::xe::kRegisterBytes, 3 * isa::xe::kRegisterBytes},
                                        .given = 4 * isa::xe::kRegisterBytes,
                                        .linesOfOthers = {},
                                        .type = type,
                                        .lines = lines_};
        return RegisterCheck(question, bytes, pitch).doubt();
    }

    static std::vector<std::uint8_t> emptyFile() {
        Elf64_Ehdr header{};
        std::memcpy(header.e_ident, ELFMAG, SELFMAG);
        header.e_ident[EI_CLASS] = ELFCLASS64;
        header.e_ident[EI_DATA] = ELFDATA2LSB;
        header.e_ident[EI_VERSION] = EV_CURRENT;
        header.e_version = EV_CURRENT;
        header.e_ehsize = sizeof header;
        std::vector<std::uint8_t> bytes(sizeof header);
        std::memcpy(bytes.data(), &header, sizeof header);
        return bytes;
    }

    const ElfImage image_{emptyFile()};
    const DebugInfo debug_{image_};
    const AssigningLines lines_{};
};

TEST_F(RegisterDoubt, NoInstructionHasWrittenIt) {
    const auto code = sequence({masked(30, 10), masked(10, 20), masked(31, 10), end()});
    EXPECT_EQ(doubtOf(code, 0, numberIn(10)), "no instruction has written r10 before");
    EXPECT_EQ(doubtOf(code, 2, numberIn(10)), "");
    EXPECT_EQ(doubtOf(code, 0, numberIn(2)), "") << "threads start with it";
}

TEST_F(RegisterDoubt, AFloatIsNoSumOfWholeNumbers) {
    const Type real{Type::Kind::floating, "float", 4, 0, nullptr, {}, {}};
    const Type whole{Type::Kind::integer, "int", 4, 0, nullptr, {}, {}};
    const auto of = [&](const instrumentation::MachineCode& writer, const Type& type) {
        return doubtOf(sequence({writer, masked(30, 10), end()}), 1, numberIn(10), 0, std::nullopt, true, &type);
    };
    EXPECT_EQ(of(maskedSum(10, 20), real), "r10 holds a number of another kind, which the instruction at 0x0 computed");
    EXPECT_EQ(of(maskedSum(10, 20), whole), "");
    EXPECT_EQ(of(masked(10, 20), real), "") << "a move says nothing about the kind";
}

TEST_F(RegisterDoubt, TheThreadsHeaderIsNoVariableButForTheGroup) {
    const auto code = sequence({masked(10, 0), masked(30, 10), end()});
    EXPECT_EQ(doubtOf(code, 1, numberIn(10, 0)), "r10 holds a part of the thread's header");
    EXPECT_EQ(doubtOf(code, 1, numberIn(10, 1)), "") << "the group's number";
    EXPECT_EQ(doubtOf(sequence({masked(10, 20), masked(30, 10), end()}), 1, numberIn(10, 0)), "");
}

TEST_F(RegisterDoubt, NothingNeedsWhatWasThereBefore) {
    constexpr std::uint64_t kSecond = 16;
    EXPECT_EQ(doubtOf(sequence({masked(10, 20), masked(30, 21), end()}), 1, numberIn(10), kSecond),
              "no instruction needs what the instruction at 0x0 wrote to r10");
    EXPECT_EQ(doubtOf(sequence({masked(10, 20), masked(30, 10), end()}), 1, numberIn(10), kSecond), "");
}

TEST_F(RegisterDoubt, RegistersThatLanesShareFollowThoseThatRun) {
    // Lanes leave the loop of instructions 1 and 2 at different times and wait behind it.
    constexpr std::uint8_t kWhile = 0x27;
    const auto code = sequence({scalar(10, 20), scalar(10, 10), branch(kWhile, -1, 0, true), scalar(30, 10), end()});
    const std::string doubt = "lanes share r10, and the instruction at 0x10 wrote it for those that ran";
    EXPECT_EQ(doubtOf(code, 3, numberIn(10), 0, 0), doubt);
    EXPECT_EQ(doubtOf(code, 2, numberIn(10), 0, 0, false), doubt);
    EXPECT_NE(doubtOf(code, 2, numberIn(10), 0, 0), doubt) << "a lane that runs";
    EXPECT_NE(doubtOf(code, 3, numberIn(10), 0, 4), doubt) << "each lane has a number of its own";
}

TEST_F(RegisterDoubt, WhatItHeldWhereTheRangeBeganStaysRight) {
    // A loop's counter: both its writers are read in the loop, whose range begins there.
    const auto loop = sequence({masked(10, 20), masked(30, 10), masked(10, 31), jump(-2, true), masked(31, 10), end()});
    EXPECT_EQ(doubtOf(loop, 3, numberIn(10), 16), "");
    // Something else is written to it, and nothing reads both.
    const auto other = sequence({masked(10, 20), masked(30, 10), masked(10, 31), masked(31, 10), end()});
    EXPECT_EQ(doubtOf(other, 3, numberIn(10), 16), "r10 was written by the instruction at 0x20 since");
}

}  // namespace
}  // namespace zetl::debugger
