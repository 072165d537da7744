// Counts of lines as differences, and what they are by lines.
#include "emulator/machine/code/line_runs.h"

#include <gtest/gtest.h>

#include <random>

namespace zetl::emulator::machine {
namespace {

/// As isa::account() does.
void count(LineRuns& runs, isa::Line from, isa::Line to, std::int64_t times = 1) {
    runs.differences()[to] -= times;
    runs.differences()[from] += times;
}

std::vector<std::uint64_t> byLine(const std::vector<LineStretch>& stretches, std::size_t lines) {
    std::vector<std::uint64_t> all(lines);
    isa::Line last = 0;
    for (const LineStretch& stretch : stretches) {
        EXPECT_LE(last, stretch.begin);
        EXPECT_LT(stretch.begin, stretch.end);
        EXPECT_LE(stretch.end, lines);
        last = stretch.end;
        for (isa::Line line = stretch.begin; line < stretch.end; ++line) all[line] = stretch.executed;
    }
    return all;
}

TEST(LineRuns, AreWhatWasCounted) {
    std::mt19937 random(1);
    for (const std::size_t lines : {1u, 7u, 8u, 9u, 64u, 1435u}) {
        LineRuns runs(lines);
        EXPECT_TRUE(runs.stretches().empty());
        std::vector<std::uint64_t> expected(lines);
        for (int i = 0; i < 20; ++i) {
            const auto from = static_cast<isa::Line>(random() % lines);
            const auto to = static_cast<isa::Line>(from + 1 + random() % (lines - from));
            count(runs, from, to, i);
            for (isa::Line line = from; line < to; ++line) expected[line] += static_cast<std::uint64_t>(i);
            EXPECT_EQ(byLine(runs.stretches(), lines), expected) << lines;
        }
        EXPECT_EQ(byLine(runs.take(), lines), expected);
        EXPECT_TRUE(runs.stretches().empty());
        for (std::size_t line = 0; line <= lines; ++line) ASSERT_EQ(runs.differences()[line], 0) << line;
    }
}

// A thread that reads beside the writer may have seen the end of a run and not its beginning.
TEST(LineRuns, NothingIsCountedBeforeItsBeginningIs) {
    LineRuns runs(100);
    runs.differences()[40] -= 1;
    EXPECT_TRUE(runs.stretches().empty());
    count(runs, 50, 60);
    count(runs, 50, 60);
    EXPECT_EQ(byLine(runs.stretches(), 100)[55], 1u);
}

TEST(SpareLineRuns, AreClearWhetherTheyWereTakenOrNot) {
    SpareLineRuns spare;
    EXPECT_EQ(spare.take(), nullptr);
    for (const bool taken : {true, false}) {
        auto runs = std::make_unique<LineRuns>(20);
        count(*runs, 3, 20);
        EXPECT_EQ((taken ? runs->take() : runs->stretches()).size(), 1u);
        const LineRuns* const given = runs.get();
        spare.give(std::move(runs));
        runs = spare.take();
        ASSERT_EQ(runs.get(), given);
        EXPECT_TRUE(runs->stretches().empty());
        EXPECT_EQ(runs->differences()[20], 0);
    }
}

TEST(SpareLineRuns, AreFew) {
    SpareLineRuns spare;
    for (int i = 0; i < 100; ++i) spare.give(std::make_unique<LineRuns>(10));
    int kept = 0;
    while (spare.take()) ++kept;
    EXPECT_GT(kept, 0);
    EXPECT_LE(kept, 8);
}

}  // namespace
}  // namespace zetl::emulator::machine
