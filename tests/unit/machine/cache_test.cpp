// The model's caches, with whatever vectors, beside a list a set; the numbers of its lines.
#include "emulator/machine/model/cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <ostream>
#include <random>
#include <set>
#include <vector>

#include "emulator/machine/model/line_numbers.h"
#include "emulator/machine/model/roomy_cache.h"

namespace zetl::emulator::machine {
namespace {

using cache_set::Vectors;

/// What a cache is: sets of lines, the latest used first, and whether they were changed.
class Reference {
  public:
    Reference(std::uint32_t sets, std::uint32_t ways) : sets_(sets), ways_(ways) {}

    Cache::Result access(std::uint32_t line, bool changes) {
        auto& set = all_[line % sets_];
        const auto found = std::ranges::find(set, line, &Line::number);
        if (found != set.end()) {
            found->changed = found->changed || changes;
            set.splice(set.begin(), set, found);
            return {.hit = true};
        }
        set.push_front({line, changes});
        if (set.size() <= ways_) return {};
        const Line former = set.back();
        set.pop_back();
        return {.hit = false, .wroteBack = former.changed, .former = former.number};
    }
    bool touch(std::uint32_t line) {
        const auto& set = all_[line % sets_];
        return std::ranges::find(set, line, &Line::number) != set.end() && access(line, false).hit;
    }
    void drop(std::uint32_t line) {
        all_[line % sets_].remove_if([&](const Line& other) { return other.number == line; });
    }
    void clear() { all_.clear(); }

  private:
    struct Line {
        std::uint32_t number;
        bool changed;
    };
    std::uint32_t sets_;
    std::uint32_t ways_;
    std::map<std::uint32_t, std::list<Line>> all_;
};

struct CacheCase {
    std::uint32_t sets;
    std::uint32_t ways;
    Vectors vectors;
};

/// So that the tests have names.
void PrintTo(const CacheCase& is, std::ostream* out) {
    constexpr const char* kVectors[] = {"loop", "quarters", "whole"};
    *out << is.sets << " sets of " << is.ways << " by " << kVectors[static_cast<int>(is.vectors)];
}

class Caches : public testing::TestWithParam<CacheCase> {};

void expectSame(const Cache::Result& is, const Cache::Result& expected) {
    ASSERT_EQ(is.hit, expected.hit);
    ASSERT_EQ(is.wroteBack, expected.wroteBack);
    if (!expected.wroteBack) return;
    ASSERT_EQ(is.former, expected.former);
}

TEST_P(Caches, DoWhatListsDo) {
    const auto [sets, ways, vectors] = GetParam();
    if (vectors == Vectors::whole && cache_set::widest() != Vectors::whole) GTEST_SKIP() << "the host has no AVX-512";
    Cache cache({std::uint64_t{sets} * ways * 64, 64, ways}, vectors);
    Reference reference(sets, ways);
    std::mt19937 random(7);
    std::uint64_t hits = 0;
    for (int round = 0; round < 20000; ++round) {
        std::vector<std::uint32_t> lines(1 + random() % Cache::kTogether);
        for (std::uint32_t& line : lines) line = random() % (sets * ways * 3 / 2);
        const std::uint32_t what = random() % 64;
        if (what < 16) {
            const bool writes = what % 2 == 0;
            const auto use = writes ? Cache::Use::write : Cache::Use::read;
            for (const std::uint32_t line : lines) expectSame(cache.access(line, use), reference.access(line, writes));
        } else if (what < 62) {
            std::uint64_t expected = 0;
            for (std::size_t i = 0; i < lines.size(); ++i) {
                const bool hit = what < 40 ? reference.access(lines[i], false).hit : reference.touch(lines[i]);
                expected |= std::uint64_t{hit} << i;
            }
            ASSERT_EQ(what < 40 ? cache.read(lines) : cache.touch(lines), expected) << round;
            hits += expected != 0;
        } else if (what == 62) {
            cache.drop(lines[0]);
            reference.drop(lines[0]);
        } else {
            cache.clear();
            reference.clear();
        }
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(hits, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Caches,
                         testing::Values(CacheCase{4, 16, Vectors::none}, CacheCase{4, 16, Vectors::quarters},
                                         CacheCase{4, 16, Vectors::whole}, CacheCase{7, 16, Vectors::quarters},
                                         CacheCase{7, 16, Vectors::whole}, CacheCase{5, 3, Vectors::whole}));

TEST(Cache, ACopyHasWhatTheOriginalHad) {
    Cache cache({1 << 14, 64, 16});
    cache.access(3, Cache::Use::read);
    Cache copy = cache;
    cache.clear();
    EXPECT_TRUE(copy.access(3, Cache::Use::read).hit);
    EXPECT_FALSE(cache.access(3, Cache::Use::read).hit);
}

/// Whether all lines fit at once, or lines come for which others make room.
TEST(RoomyCache, DoesWhatACacheDoes) {
    constexpr std::uint32_t kSets = 7;
    constexpr std::uint32_t kWays = 4;
    constexpr Cache::Shape kShape{std::uint64_t{kSets} * kWays * 64, 64, kWays};
    RoomyCache cache(kShape);
    Reference reference(kSets, kWays);
    std::mt19937 random(7);
    std::uint64_t writtenBack = 0;
    for (int round = 0; round < 400; ++round) {
        const std::uint32_t lines = kSets * kWays * (round % 3 == 0 ? 2 : 1);
        for (int i = 0; i < 200; ++i) {
            const std::uint32_t line = random() % (i < 100 ? kSets * kWays : lines);
            const bool writes = random() % 2 == 0;
            const auto expected = reference.access(line, writes);
            expectSame(cache.access(line, writes ? Cache::Use::write : Cache::Use::read), expected);
            if (HasFatalFailure()) return;
            writtenBack += expected.wroteBack;
        }
        if (random() % 2 == 0) continue;
        cache.clear();
        reference.clear();
    }
    EXPECT_GT(writtenBack, 1000u);
}

TEST(RoomyCache, ACopyHasWhatTheOriginalHad) {
    RoomyCache cache({1 << 14, 64, 16});
    cache.access(3, Cache::Use::read);
    RoomyCache copy = cache;
    cache.clear();
    EXPECT_TRUE(copy.access(3, Cache::Use::read).hit);
    EXPECT_FALSE(cache.access(3, Cache::Use::read).hit);
}

constexpr std::uint64_t kBlockBytes = 65536;
constexpr std::uint32_t kBlockLines = 1024;

TEST(LineNumbers, FollowTheOrderInWhichBlocksAreMet) {
    LineNumbers numbers(64, nullptr);
    std::vector<std::uint64_t> blocks(5000);
    for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = (i * 7919 + 12) % 10007 << 20;
    for (std::size_t i = 0; i < blocks.size(); ++i)
        ASSERT_EQ(numbers.of(blocks[i] + kBlockBytes - 64), (i + 1) * kBlockLines - 1);
    for (std::size_t i = blocks.size(); i-- > 0;) ASSERT_EQ(numbers.of(blocks[i] + 64), i * kBlockLines + 1);
    numbers.clear();
    EXPECT_EQ(numbers.of(blocks[17]), 0u);
}

/// Which set of a first-level cache a line belongs to must not depend on who comes first, nor on the host's addresses.
TEST(LineNumbers, PlacesInABlockAreThoseInTheAllocation) {
    const auto placesOf = [](std::uint64_t begin, bool backwards) {
        LineNumbers numbers(64, [&](std::uint64_t) { return LineNumbers::Home{begin, false}; });
        constexpr std::size_t kLines = 8 * kBlockLines;
        std::vector<std::uint32_t> places(kLines);
        std::set<std::uint32_t> all;
        for (std::size_t i = 0; i < kLines; ++i) {
            const std::size_t line = backwards ? kLines - 1 - i : i;
            const auto number = numbers.of(begin + line * 64);
            places[line] = number % kBlockLines;
            all.insert(number);
        }
        EXPECT_EQ(all.size(), kLines) << "no two lines have one number";
        return places;
    };
    const auto first = placesOf(0x10000, false);
    EXPECT_EQ(first[kBlockLines + 5], 5u);
    EXPECT_EQ(placesOf(0x10000, true), first);
    EXPECT_EQ(placesOf(0x7f0000003000, true), first) << "in the middle of a block of addresses";
}

TEST(LineNumbers, MemoryThatIsAllocatedAnewKeepsItsNumbers) {
    std::uint64_t begin = 0x10000;
    LineNumbers numbers(64, [&](std::uint64_t) { return LineNumbers::Home{begin, false}; });
    std::set<std::uint32_t> all;
    const auto take = [&](std::uint64_t first, std::size_t pages) {
        for (std::size_t i = 0; i < pages; ++i) all.insert(numbers.of(first + i * 4096));
    };
    take(begin, 20);
    begin = 0x13000;
    numbers.lookAgain();
    take(begin, 64);
    EXPECT_EQ(all.size(), 3u + 64u) << "each page has one number";
}

TEST(LineNumbers, AskWhoseAPageIsOnceARound) {
    std::map<std::uint64_t, int> asked;
    bool host = false;
    LineNumbers numbers(64, [&](std::uint64_t address) {
        ++asked[address >> 12];
        return LineNumbers::Home{0, host};
    });
    for (int i = 0; i < 3; ++i)
        for (const std::uint64_t page : {1, 2}) numbers.of(page << 12);
    EXPECT_EQ(asked, (std::map<std::uint64_t, int>{{1, 1}, {2, 1}}));
    host = true;
    EXPECT_FALSE(numbers.isHost(numbers.of(1 << 12)));
    numbers.lookAgain();
    EXPECT_TRUE(numbers.isHost(numbers.of(1 << 12)));
    EXPECT_EQ(asked, (std::map<std::uint64_t, int>{{1, 2}, {2, 1}}));
}

TEST(LineNumbers, AreTheSameIfTheSizesOfAllocationsAreKnown) {
    constexpr std::uint64_t kApart = 1 << 28;
    constexpr std::uint64_t kBytes = 300'000;
    LineNumbers sized(64, [](std::uint64_t address) {
        return LineNumbers::Home{.begin = address / kApart * kApart + 4096, .bytes = kBytes};
    });
    LineNumbers others(64, [](std::uint64_t address) {
        return LineNumbers::Home{.begin = address / kApart * kApart + 4096, .bytes = 0};
    });
    std::uint32_t state = 1;
    for (int i = 0; i < 20'000; ++i) {
        state = state * 1664525u + 1013904223u;
        const std::uint64_t allocation = 1 + (state >> 16) % 6;
        const std::uint64_t address = allocation * kApart + 4096 + (state >> 8) % kBytes;
        ASSERT_EQ(sized.of(address), others.of(address)) << i;
        if (i % 5000 != 0) continue;
        sized.lookAgain();
        others.lookAgain();
    }
}

TEST(LineNumbers, AskForAnAllocationOnceARound) {
    int asked = 0;
    LineNumbers numbers(64, [&](std::uint64_t address) {
        ++asked;
        return LineNumbers::Home{.begin = address & ~std::uint64_t{0xffff}, .bytes = 0x10000};
    });
    for (std::uint64_t page = 0; page < 16; ++page)
        for (const std::uint64_t allocation : {1, 2, 3}) numbers.of(allocation << 20 | page << 12);
    EXPECT_EQ(asked, 3);
    numbers.lookAgain();
    numbers.of(1 << 20);
    EXPECT_EQ(asked, 4) << "it may be another one now";
}

}  // namespace
}  // namespace zetl::emulator::machine
