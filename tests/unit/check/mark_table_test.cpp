// What is remembered of global memory, beside a list of the same by granules.
#include "emulator/check/mark_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <vector>

#include "emulator/check/shadow.h"

namespace zetl::emulator::check {
namespace {

constexpr std::uint64_t kBlocks = 3;
constexpr std::uint64_t kMarked = kBlocks * MarkTable::kBlock;
constexpr std::uint64_t kOneMark = 0x123456781;  // of a thread
constexpr std::uint64_t kOtherMark = 0x923456781;

struct Remembered {
    std::uint64_t mark = 0;
    isa::Line line = 0;
};

std::unique_ptr<Cells> cellsOfBlocks() { return Cells::make(kMarked * kGranule - 1); }

TEST(MarkTable, RemembersEachGranuleWhateverItShares) {
    const auto cells = cellsOfBlocks();
    ASSERT_NE(cells, nullptr);
    std::mt19937 random(7);
    std::array<std::vector<Remembered>, 2> model{std::vector<Remembered>(kMarked), std::vector<Remembered>(kMarked)};
    const std::array<std::uint64_t, 3> marks{kOneMark, kOtherMark, kOneMark + 8};
    for (int round = 0; round < 20000; ++round) {
        const bool write = random() % 2 != 0;
        MarkTable& table = cells->of(write);
        std::vector<Remembered>& known = model[write];
        const std::uint64_t granule = random() % kMarked;
        const std::uint64_t block = granule / MarkTable::kBlock;
        const Remembered now{marks[random() % marks.size()], static_cast<isa::Line>(random() % 3)};
        if (random() % 8 != 0) {
            table.set(granule, now.mark, now.line);
            known[granule] = now;
        } else if (table.join(block); !MarkTable::isApart(table.shared(block))) {
            table.setShared(block, now.mark, now.line);
            std::fill_n(known.begin() + static_cast<std::ptrdiff_t>(block * MarkTable::kBlock), MarkTable::kBlock, now);
        }
        for (std::uint64_t at = 0; at < kMarked; ++at) {
            ASSERT_EQ(table.mark(at), known[at].mark) << at;
            if (known[at].mark != 0) {
                ASSERT_EQ(table.line(at), known[at].line) << at;
            }
        }
    }
}

/// Granules that many threads read and nobody writes take the space of their readers only.
TEST(MarkTable, ReadersThatDifferLeaveTheirWritersTogether) {
    const auto cells = cellsOfBlocks();
    ASSERT_NE(cells, nullptr);
    cells->writers.setShared(1, kOneMark, 5);
    cells->readers.set(MarkTable::kBlock + 3, kOtherMark, 9);
    EXPECT_TRUE(MarkTable::isApart(cells->readers.shared(1)));
    EXPECT_EQ(cells->writers.shared(1), kOneMark);
    EXPECT_EQ(cells->readers.shared(0), 0u);
}

TEST(MarkTable, GranulesThatAgreeAgainShareTheirMark) {
    const auto cells = cellsOfBlocks();
    ASSERT_NE(cells, nullptr);
    for (std::uint64_t at = 0; at + 1 < MarkTable::kBlock; ++at) cells->writers.set(at, kOneMark, 4);
    cells->join(0);
    EXPECT_TRUE(MarkTable::isApart(cells->writers.shared(0)));
    cells->writers.set(MarkTable::kBlock - 1, kOneMark, 6);
    cells->join(0);
    EXPECT_TRUE(MarkTable::isApart(cells->writers.shared(0))) << "one line differs";
    cells->writers.set(MarkTable::kBlock - 1, kOneMark, 4);
    cells->join(0);
    EXPECT_EQ(cells->writers.shared(0), kOneMark);
    EXPECT_EQ(cells->writers.line(7), 4u);
    cells->clear();
    EXPECT_EQ(cells->writers.mark(7), 0u);
}

}  // namespace
}  // namespace zetl::emulator::check
