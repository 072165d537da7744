#include "compiler/command.h"

#include <gtest/gtest.h>

namespace zetl::compiler {
namespace {

const Bytes kFirst{1, 2, 3};
const Bytes kEmpty;

Command example() {
    return {.library = "lib.so",
            .seconds = 7,
            .arguments = {"compile", ""},
            .olderOptions = "-more",
            .files = {{"a", kFirst}, {"", kEmpty}}};
}

TEST(CompilerCommand, SurvivesPacking) {
    const Bytes bytes = pack(example());
    const auto copy = unpackCommand(bytes);
    ASSERT_TRUE(copy);
    EXPECT_EQ(copy->library, "lib.so");
    EXPECT_EQ(copy->seconds, 7u);
    EXPECT_EQ(copy->arguments, example().arguments);
    EXPECT_EQ(copy->olderOptions, "-more");
    ASSERT_EQ(copy->files.size(), 2u);
    EXPECT_EQ(copy->files[0].name, "a");
    EXPECT_TRUE(std::ranges::equal(copy->files[0].bytes, kFirst));
    EXPECT_TRUE(copy->files[1].bytes.empty());
}

TEST(CompilerCommand, AnswersSurvivePacking) {
    const auto copy = unpackAnswer(pack(Answer{"why", -5, "log", kFirst, "which"}));
    ASSERT_TRUE(copy);
    EXPECT_EQ(copy->missing, "why");
    EXPECT_EQ(copy->code, -5);
    EXPECT_EQ(copy->log, "log");
    EXPECT_EQ(copy->output, kFirst);
    EXPECT_EQ(copy->compiler, "which");
}

TEST(CompilerCommand, EveryShorterFormIsRefused) {
    const Bytes command = pack(example());
    const Bytes answer = pack(Answer{"", 0, "log", kFirst});
    for (std::size_t size = 0; size < command.size(); ++size)
        EXPECT_FALSE(unpackCommand(std::span(command).first(size))) << size;
    for (std::size_t size = 0; size < answer.size(); ++size)
        EXPECT_FALSE(unpackAnswer(std::span(answer).first(size))) << size;
}

}  // namespace
}  // namespace zetl::compiler
