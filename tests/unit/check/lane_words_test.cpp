// Words that lanes access in local memory, beside each lane looked at by itself.
#include "emulator/check/lane_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "emulator/check/local_marks.h"
#include "emulator/check/shared_bytes.h"

namespace zetl::emulator::check {
namespace {

constexpr std::uint32_t kLanes = 32;
constexpr std::uint32_t kLocalBytes = 1024;
constexpr std::uint32_t kPayload = 10 * isa::layout::kRegisterBytes;

/// A message with these offsets, to local memory.
struct LaneMessage {
    LaneMessage(std::uint32_t lanes, std::uint32_t bytes) {
        plan.shape.space = isa::MemorySpace::local;
        plan.shape.bytes = bytes;
        plan.shape.addressBytes = sizeof(std::uint32_t);
        plan.lanes.lanes = ~0u;
        plan.payload = kPayload;
        plan.isPlain = true;
        thread->active = lanes;
    }
    void setOffset(std::uint32_t lane, std::uint32_t offset) {
        thread->at<std::uint32_t>(kPayload + lane * sizeof offset) = offset;
        access.address[lane] = offset + static_cast<std::uint32_t>(plan.shape.offset);
    }
    std::optional<LaneWords> words() const { return LaneWords::of(*thread, plan, kLocalBytes); }
    bool has(std::uint32_t lane) const { return (thread->active >> lane & 1) != 0; }
    /// Granules of its lanes, each lane's in their order; nothing if one is not whole, or not within local memory.
    std::vector<std::uint32_t> expected() const {
        std::vector<std::uint32_t> granules;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            if (!has(lane)) continue;
            const std::uint64_t begin = access.address[lane];
            if (begin % kGranule != 0 || begin + plan.shape.bytes > kLocalBytes) return {};
            for (std::uint32_t i = 0; i < plan.shape.bytes / kGranule; ++i)
                granules.push_back(static_cast<std::uint32_t>(begin / kGranule) + i);
        }
        return granules;
    }

    std::unique_ptr<isa::Thread> thread = std::make_unique<isa::Thread>();
    isa::AccessPlan plan;
    isa::MemoryAccess access;
};

std::uint32_t someLanes(std::mt19937& random) {
    constexpr std::uint32_t kHalf = 0xffff;
    const auto some = static_cast<std::uint32_t>(random());
    return std::array{~0u, kHalf, some, some & kHalf}[random() % 4];
}

/// Ascending, or in any order.
LaneMessage someMessage(std::mt19937& random, std::uint32_t most) {
    LaneMessage message(someLanes(random), kGranule << random() % 3);
    if (random() % 4 == 0) message.plan.shape.offset = kGranule * (random() % 4);
    const bool ascends = random() % 2 == 0;
    std::uint32_t at = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        at += message.plan.shape.bytes * (random() % 8 == 0 ? 2 : 1);
        message.setOffset(lane,
                          ascends ? at % most : static_cast<std::uint32_t>(random() % most) / kGranule * kGranule);
    }
    return message;
}

TEST(LaneWords, AreThoseOfTheLanesThatAreOn) {
    std::mt19937 random(40);
    std::size_t known = 0;
    std::size_t apart = 0;
    for (int turn = 0; turn < 20000; ++turn) {
        LaneMessage message = someMessage(random, kLocalBytes - 64);
        const auto lane = static_cast<std::uint32_t>(random() % kLanes);
        if (random() % 4 == 0) message.setOffset(lane, kLocalBytes - static_cast<std::uint32_t>(random() % 32));
        if (random() % 16 == 0) message.setOffset(lane, ~0u - static_cast<std::uint32_t>(random() % 32));
        const auto expected = message.expected();
        const auto words = message.words();
        EXPECT_TRUE(!words || !expected.empty()) << turn;
        if (!words) continue;
        std::vector<std::uint32_t> granules;
        words->each([&](std::uint32_t granule) { granules.push_back(granule); });
        EXPECT_EQ(granules, expected) << turn;
        ++known;
        if (!words->areApart()) continue;
        ++apart;
        message.access.lanes = message.thread->active;
        message.access.bytesPerLane = message.plan.shape.bytes;
        EXPECT_FALSE(lanesWithSharedBytes(message.access, message.access.lanes)) << turn;
    }
    EXPECT_GT(known, 5000u);
    EXPECT_GT(apart, 1000u);
}

TEST(LaneWords, AreNoneOfMessagesOfAnotherForm) {
    const auto isKnown = [](auto&& change) {
        LaneMessage message(~0u, kGranule);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) message.setOffset(lane, lane * kGranule);
        change(message);
        return message.words().has_value();
    };
    EXPECT_TRUE(isKnown([](LaneMessage&) {}));
    EXPECT_FALSE(isKnown([](LaneMessage& one) { one.plan.isPlain = false; }));
    EXPECT_FALSE(isKnown([](LaneMessage& one) { one.plan.shape.block = true; }));
    EXPECT_FALSE(isKnown([](LaneMessage& one) { one.plan.shape.bytes = 2; }));
    EXPECT_FALSE(isKnown([](LaneMessage& one) { one.plan.shape.addressBytes = 8; }));
    EXPECT_FALSE(isKnown([](LaneMessage& one) { one.thread->active = 0; }));
}

bool areSame(const LocalMarks& a, const LocalMarks& b) {
    for (std::uint64_t at = 0; at < a.count(); ++at) {
        const Mark now;
        const bool same = a.writer(at, now).packed() == b.writer(at, now).packed() &&
                          a.readers(at, now).packed() == b.readers(at, now).packed() &&
                          a.writeLine(at) == b.writeLine(at) && a.readLine(at) == b.readLine(at);
        if (!same) return false;
    }
    return true;
}

/// Marks that settle words of a message do the same as for one word after the other.
TEST(LaneWords, AreSettledAsEachWordIs) {
    constexpr std::uint32_t kThreads = 3;
    std::mt19937 random(41);
    std::size_t settled = 0;
    std::size_t unclear = 0;
    for (int group = 0; group < 300; ++group) {
        const auto together = LocalMarks::make(kLocalBytes);
        const auto apart = LocalMarks::make(kLocalBytes);
        std::uint32_t epoch = 1;
        std::uint32_t visible = 1;
        for (std::uint32_t line = 1; line < 40; ++line) {
            if (random() % 3 == 0) visible = random() % 4 == 0 ? visible : epoch + 1;
            if (random() % 3 == 0) ++epoch;
            visible = std::min(visible, epoch);
            const LocalMarks::Own own{static_cast<std::uint32_t>(random() % kThreads), epoch, random() % 8 == 0};
            const auto words = someMessage(random, random() % 2 == 0 ? kLocalBytes / 8 : kLocalBytes - 64).words();
            if (!words) continue;
            const auto access = together->whole(own, visible, line, random() % 2 == 0, random() % 16 == 0);
            bool all = true;
            words->each([&](std::uint32_t at) { all = all && apart->one(access, at); });
            ASSERT_EQ(together->all(access, *words), all) << "group " << group << ", line " << line;
            ASSERT_TRUE(areSame(*together, *apart)) << "group " << group << ", line " << line;
            (all ? settled : unclear) += 1;
        }
    }
    EXPECT_GT(settled, 1000u);
    EXPECT_GT(unclear, 1000u);
}

}  // namespace
}  // namespace zetl::emulator::check
