// Which programs may wait in a loop for what other groups write: groups of all others may be taken several at a time.
#include "emulator/translate/plan/polling_loops.h"

#include <gtest/gtest.h>

#include <string>

#include "assembler.h"
#include "emulator/isa/program.h"

namespace zetl::test {
namespace {

const std::string kAdd = "add (16|M0) r20.0<1>:d r20.0<1;1,0>:d 1:w\n";
const std::string kRead = "send.ugm (16|M0) r40 r60 null:0 0x0 0x04100580\n";
const std::string kWrite = "send.ugm (16|M0) null r60 r40:1 0x0 0x04000584\n";
const std::string kReadLocal = "send.slm (16|M0) r40 r70 null:0 0x0 0x02100500\n";

/// A branch over so many lines, forward or back, that some threads take.
std::string branch(int lines) { return "(W&f0.0) jmpi " + std::to_string(lines * 16) + "\n"; }

bool mayPoll(const std::string& text) {
    const auto program = emulator::isa::lower(assembleProgram(text));
    return emulator::translate::mayPoll(program->code(), 0);
}

TEST(PollingLoops, ReadWhatGroupsShare) {
    EXPECT_TRUE(mayPoll(kRead + branch(-1)));
    EXPECT_TRUE(mayPoll(kAdd + kRead + kAdd + branch(-3)));
    EXPECT_FALSE(mayPoll(kReadLocal + branch(-1))) << "of one group";
    EXPECT_FALSE(mayPoll(kWrite + branch(-1)));
    EXPECT_FALSE(mayPoll(kAdd + branch(-1)));
}

TEST(PollingLoops, DoNotContainWhatIsReadOnce) {
    EXPECT_FALSE(mayPoll(kRead));
    EXPECT_FALSE(mayPoll(kRead + kAdd + branch(-1) + kRead));
    EXPECT_FALSE(mayPoll(branch(2) + kRead + kAdd));
}

TEST(PollingLoops, MayGoBackInSeveralSteps) {
    EXPECT_TRUE(mayPoll(kAdd + branch(3) + kAdd + branch(-3) + kRead + branch(-3)));
    EXPECT_TRUE(mayPoll(branch(3) + kAdd + branch(-2) + kRead + branch(-3)));
}

TEST(PollingLoops, MayBeWhereverABranchLeads) {
    EXPECT_TRUE(mayPoll("call (16|M0) r4.2 32\n" + kAdd + kAdd));
    EXPECT_TRUE(mayPoll("ret (16|M0) r4.2\n"));
}

}  // namespace
}  // namespace zetl::test
