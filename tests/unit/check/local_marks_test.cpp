// What is remembered of local memory, beside a model of it that keeps everything.
#include "emulator/check/local_marks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

#include "emulator/check/shared_bytes.h"

namespace zetl::emulator::check {
namespace {

constexpr std::uint32_t kMarkedThreads = 5;
constexpr std::uint64_t kMarkedGranules = 48;
constexpr std::uint8_t kWholeGranules = 15;

Mark markedBy(std::uint32_t thread, std::uint32_t epoch) {
    Mark mark;
    mark.whose = Whose::thread;
    mark.bytes = kWholeGranules;
    mark.thread = static_cast<std::uint8_t>(thread);
    mark.epoch = static_cast<std::uint16_t>(epoch);
    return mark;
}

/// A group whose threads fence, or forget to, before they meet.
class MarkedGroup {
  public:
    explicit MarkedGroup(LocalMarks& marks) : marks_(marks) {}

    /// Granules of which the marks did not say that nothing is wrong.
    std::set<std::uint64_t> access(std::uint32_t thread, std::uint64_t first, std::uint64_t end, bool write) {
        std::set<std::uint64_t> unclear;
        const Mark own = markedBy(thread, epoch_);
        const auto first0 = *std::ranges::min_element(visible_);
        marks_.all(marks_.whole(own, first0, 1, write), first, end, [&](std::uint64_t at) {
            unclear.insert(at);
            if (write) {
                marks_.setWriter(at, own);
                return true;
            }
            Mark readers = marks_.readers(at, own);
            const bool isFirst = readers.whose == Whose::none || readers.epoch != epoch_;
            if (isFirst) readers = own;
            if (readers.thread != own.thread) readers.whose = Whose::severalThreads;
            marks_.setReaders(at, readers);
            return true;
        });
        return unclear;
    }
    /// What the model says of a granule, which then knows of the access.
    bool isWrong(std::uint32_t thread, std::uint64_t at, bool write) {
        Known& known = known_[at];
        const bool hidden = known.writer != thread && known.wrote &&
                            (known.writeEpoch == epoch_ || known.writeEpoch >= visible_[known.writer]);
        const bool others = known.readEpoch == epoch_ &&
                            std::ranges::any_of(known.readers, [&](std::uint32_t one) { return one != thread; });
        if (write) {
            known.wrote = true;
            known.writer = thread;
            known.writeEpoch = epoch_;
        } else {
            if (known.readEpoch != epoch_) known.readers.clear();
            known.readEpoch = epoch_;
            known.readers.insert(thread);
        }
        return hidden || (write && others);
    }
    void meet(std::uint32_t withoutFence) {
        for (std::uint32_t thread = 0; thread < kMarkedThreads; ++thread)
            if (thread != withoutFence) visible_[thread] = epoch_ + 1;
        ++epoch_;
    }

  private:
    struct Known {
        bool wrote = false;
        std::uint32_t writer = 0;
        std::uint32_t writeEpoch = 0;
        std::uint32_t readEpoch = ~0u;
        std::set<std::uint32_t> readers;
    };
    LocalMarks& marks_;
    std::uint32_t epoch_ = 0;
    std::array<std::uint32_t, kMarkedThreads> visible_{};
    std::array<Known, kMarkedGranules> known_{};
};

/// Many groups in one place: what one of them did says nothing of the next.
TEST(LocalMarks, NeverSettleWhatIsWrong) {
    const auto marks = LocalMarks::make(kMarkedGranules * kGranule);
    std::mt19937 random(1);
    const auto below = [&](std::uint64_t end) { return static_cast<std::uint32_t>(random() % end); };
    std::size_t wrong = 0;
    std::size_t unclear = 0;
    std::size_t all = 0;
    for (int groups = 0; groups < 60; ++groups) {
        MarkedGroup group(*marks);
        for (int step = 0; step < 200; ++step) {
            if (below(8) == 0) group.meet(below(2 * kMarkedThreads));
            const std::uint32_t thread = below(kMarkedThreads);
            const std::uint64_t first = below(kMarkedGranules);
            const std::uint64_t end =
                std::min<std::uint64_t>(kMarkedGranules, first + 1 + below(below(3) == 0 ? 32 : 3));
            const bool write = below(3) == 0;
            const std::set<std::uint64_t> told = group.access(thread, first, end, write);
            for (std::uint64_t at = first; at < end; ++at) {
                const bool isWrong = group.isWrong(thread, at, write);
                EXPECT_TRUE(!isWrong || told.contains(at)) << "group " << groups << " step " << step << " at " << at;
                wrong += isWrong ? 1 : 0;
            }
            unclear += told.size();
            all += end - first;
        }
        marks->begin();
    }
    EXPECT_GT(wrong, all / 100);
    EXPECT_LT(unclear, all) << "most accesses are settled";
}

TEST(LocalMarks, ReadByManyAreNotSettledBehindAWrite) {
    const auto marks = LocalMarks::make(kMarkedGranules * kGranule);
    MarkedGroup group(*marks);
    for (std::uint32_t epoch = 0; epoch < 3; ++epoch) {
        for (std::uint32_t thread = 0; thread < kMarkedThreads; ++thread)
            group.access(thread, 0, kMarkedGranules, false);
        EXPECT_TRUE(group.access(1, 0, kMarkedGranules, false).empty());
        EXPECT_EQ(group.access(2, 17, 18, true), std::set<std::uint64_t>{17});
        EXPECT_EQ(group.access(3, 16, 32, false), std::set<std::uint64_t>{17});
        EXPECT_EQ(group.access(4, 17, 18, false), std::set<std::uint64_t>{17});
        EXPECT_TRUE(group.access(4, 32, kMarkedGranules, false).empty());
        group.meet(kMarkedThreads);
    }
}

TEST(LocalMarks, OfAnotherGroupAreNone) {
    const auto marks = LocalMarks::make(64);
    for (int groups = 0; groups < 40; ++groups) {
        const Mark own = markedBy(3, 7);
        EXPECT_EQ(marks->writer(2, own).whose, Whose::none);
        EXPECT_EQ(marks->readers(2, own).whose, Whose::none);
        marks->setWriter(2, own);
        marks->setReaders(2, own);
        EXPECT_EQ(marks->writer(2, own).packed(), own.packed());
        EXPECT_EQ(marks->readers(2, own).packed(), own.packed());
        marks->begin();
    }
}

TEST(LocalMarks, BehindTheLastEpochSettleOnlyWhatIsAThreadsOwn) {
    const auto marks = LocalMarks::make(64);
    const auto last = Mark::kEpochMask;
    const auto settled = [&](std::uint32_t thread, bool write) {
        return marks->all(marks->whole(markedBy(thread, last), last, 1, write), 0, 1,
                          [](std::uint64_t) { return false; });
    };
    marks->setWriter(0, markedBy(1, last));
    marks->setReaders(0, markedBy(1, last));
    EXPECT_TRUE(settled(1, true));
    EXPECT_FALSE(settled(2, true));
    EXPECT_FALSE(settled(2, false));
}

TEST(LanesWithSharedBytes, AreThoseThatComparingEachPairFinds) {
    std::mt19937_64 random(2);
    for (int turn = 0; turn < 20000; ++turn) {
        isa::MemoryAccess access;
        access.bytesPerLane = 1u << random() % 5;
        if (random() % 4 == 0) access.bytesPerLane = 12;
        access.lanes = static_cast<std::uint32_t>(random()) | 1u;
        if (random() % 2 == 0) access.lanes &= 0xffff;
        const std::uint64_t unit = random() % 4 == 0 ? 1 : access.bytesPerLane;
        const std::uint64_t base = random() % 8 == 0 ? ~std::uint64_t{0} - 4096 : 1u << 20;
        for (std::uint64_t& address : access.address) {
            address = base + random() % 96 * unit;
            if (random() % 64 == 0) address = random();
        }
        bool shares = false;
        for (std::uint32_t a = 0; a < 32; ++a)
            for (std::uint32_t b = 0; b < a; ++b)
                shares |= (access.lanes >> a & 1) != 0 && (access.lanes >> b & 1) != 0 &&
                          (access.address[a] > access.address[b]
                               ? access.address[a] - access.address[b]
                               : access.address[b] - access.address[a]) < access.bytesPerLane;
        EXPECT_EQ(lanesWithSharedBytes(access, access.lanes).has_value(), shares) << "turn " << turn;
    }
}

}  // namespace
}  // namespace zetl::emulator::check
