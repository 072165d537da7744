// Which registers are wanted where.
#include "instrumentation/xe/liveness.h"

#include <gtest/gtest.h>

#include "assembled.h"

namespace zetl::instrumentation {
namespace {

class LivenessTest : public testing::Test {
  protected:
    void read(const MachineCode& bytes) {
        code_.emplace(isa::xe::kXeHpc, bytes);
        graph_.emplace(*code_, Entries{.kernel = {0}, .functions = {}});
        liveness_.emplace(*code_, *graph_);
    }
    bool live(std::uint32_t instruction, std::uint32_t r, std::uint32_t bytes = kRegisterBytes) const {
        return liveness_->before(instruction).meets({r * kRegisterBytes, bytes});
    }
    std::optional<DecodedCode> code_;
    std::optional<FlowGraph> graph_;
    std::optional<Liveness> liveness_;
};

TEST_F(LivenessTest, FromTheWriteToTheLastRead) {
    read(sequence({scalar(1, 9), scalar(2, 1), scalar(1, 2), end()}));
    EXPECT_TRUE(live(0, 9));
    EXPECT_FALSE(live(0, 1)) << "written before it is read";
    EXPECT_TRUE(live(1, 1));
    EXPECT_FALSE(live(2, 1));
    EXPECT_TRUE(live(2, 2));
}

TEST_F(LivenessTest, ByBytes) {
    read(sequence({scalar(1, 9), scalar(2, 1), end()}));
    EXPECT_TRUE(liveness_->before(1).holds(kRegisterBytes + 7));
    EXPECT_FALSE(liveness_->before(1).holds(kRegisterBytes + 8));
}

TEST_F(LivenessTest, MaskedWritesEndALifeOnlyWhereAllLanesAreOn) {
    read(sequence({masked(1, 9), masked(2, 1), end()}));
    EXPECT_FALSE(live(0, 1));
    // The lanes that wait at the join want what they have in r1.
    read(sequence({goTo(2, 2), masked(1, 9), join(1), masked(2, 1), end()}));
    EXPECT_TRUE(live(0, 1));
    EXPECT_TRUE(live(1, 1));
}

TEST_F(LivenessTest, AroundLoops) {
    // r1 is read at the head of the loop: it is wanted at its end.
    read(sequence({scalar(2, 1), scalar(3, 4), jump(-2, true), end()}));
    EXPECT_TRUE(live(1, 1));
    EXPECT_FALSE(live(3, 1));
}

TEST_F(LivenessTest, CodeOfVeryManyBlocksIsNotLookedInto) {
    MachineCode code;
    for (std::size_t i = 0; i <= FlowGraph::kMaxBlocks; ++i) {
        const auto next = jump(1);
        code.insert(code.end(), next.begin(), next.end());
    }
    const auto last = end();
    code.insert(code.end(), last.begin(), last.end());
    read(code);
    EXPECT_TRUE(live(0, 200)) << "everything counts as wanted";
    EXPECT_NE(graph_->obstacle(), "");
}

TEST_F(LivenessTest, UntouchedIsWhatNobodyNames) {
    read(sequence({scalar(1, 9), end()}));
    const RegisterSet untouched = liveness_->untouched();
    EXPECT_FALSE(untouched.meets({1 * kRegisterBytes, 8}));
    EXPECT_FALSE(untouched.meets({9 * kRegisterBytes, 8}));
    EXPECT_TRUE(untouched.holds(1 * kRegisterBytes + 8));
    EXPECT_TRUE(untouched.holds(200 * kRegisterBytes));
}

}  // namespace
}  // namespace zetl::instrumentation
