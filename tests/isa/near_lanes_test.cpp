// Loads and stores of dwords whose lanes lie near each other, in another order than theirs: in local and global memory,
// at any place beside lines of 64 bytes and at the end of memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "lone_thread.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kNearLanes = 32;
constexpr std::uint32_t kNearBytes = 1024;
constexpr std::uint32_t kAsBefore = 0xcdcdcdcd;
constexpr std::uint32_t kAddresses = 10;
constexpr std::uint32_t kData = 50;

/// Where each of sixteen lanes lies, in bytes beside the place that the case gives.
struct NearPattern {
    const char* name;
    std::int32_t (*place)(std::int32_t lane);
};
constexpr NearPattern kPatterns[] = {
    {"every second", [](std::int32_t i) { return i * 8; }},
    {"two eights", [](std::int32_t i) { return (i % 8 + i / 8 * 16) * 4; }},
    {"pairs turned around", [](std::int32_t i) { return (i ^ 1) * 4; }},
    {"eights turned around", [](std::int32_t i) { return (i ^ 8) * 4; }},
    {"backwards", [](std::int32_t i) { return (15 - i) * 4; }},
    {"two in each", [](std::int32_t i) { return i / 2 * 4; }},
    {"all but one in one", [](std::int32_t i) { return i == 15 ? 64 : 0; }},
    {"the last further", [](std::int32_t i) { return i == 15 ? 128 : i * 8; }},
    {"one before", [](std::int32_t i) { return i == 3 ? -4 : i * 8; }},
    {"one between dwords", [](std::int32_t i) { return i == 5 ? 41 : i * 8; }},
    {"all between dwords", [](std::int32_t i) { return i * 8 + 2; }},
    {"one far away", [](std::int32_t i) { return i == 7 ? 256 : i * 4; }},
};

struct Space {
    const char* name;
    bool isGlobal;
    const char* load;
    const char* store;
};
constexpr Space kSpaces[] = {
    {"local", false, "send.slm (32|M0) r50 r10 null:0 0x0 0x04200500",
     "send.slm (32|M0) null r10 r50:2 0x0 0x04000504"},
    {"global", true, "send.ugm (32|M0) r50 r10 null:0 0x0 0x08200580",
     "send.ugm (32|M0) null r10 r50:2 0x0 0x08000584"},
};

class NearLanes : public testing::Test {
  protected:
    NearLanes() : area(t.allocate(kNearBytes)) { t.local.resize(kNearBytes); }

    /// False: it does not fit.
    [[nodiscard]] bool prepare(const Space& space, const NearPattern& pattern, std::uint32_t start) {
        for (std::uint32_t at = 0; at < kNearBytes; ++at)
            t.local[at] = area[at] = static_cast<std::byte>(at * 7 + (at >> 8));
        std::vector<std::uint64_t> global;
        std::vector<std::uint32_t> local;
        for (std::uint32_t lane = 0; lane < kNearLanes; ++lane) {
            constexpr std::uint32_t kSecondHalf = 128;  // where its lanes lie before those of the first
            const std::uint32_t at = start - lane / 16 * kSecondHalf;
            places[lane] = at + static_cast<std::uint32_t>(pattern.place(static_cast<std::int32_t>(lane % 16)));
            local.push_back(places[lane]);
            global.push_back(LoneThread::addressOf(area) + places[lane]);
        }
        space.isGlobal ? t.set(kAddresses, global) : t.set(kAddresses, local);
        return std::ranges::all_of(places, [](std::uint32_t place) { return place + 4 <= kNearBytes; });
    }
    static std::uint32_t valueOf(std::uint32_t lane) { return 0x01010101 * (lane + 1); }
    static std::uint32_t wordAt(const std::vector<std::byte>& memory, std::uint32_t place) {
        std::uint32_t word = 0;
        std::memcpy(&word, memory.data() + place, sizeof word);
        return word;
    }

    void checkLoad(const Space& space, const Code& code, std::uint32_t on) {
        t.load(code, on);
        t.set(kData, std::vector<std::uint32_t>(kNearLanes, kAsBefore));
        ASSERT_EQ(t.resume(), isa::Status::done) << describe(t.thread().fault);
        for (std::uint32_t lane = 0; lane < kNearLanes; ++lane) {
            const std::uint32_t there = wordAt(space.isGlobal ? area : t.local, places[lane]);
            EXPECT_EQ(t.scalar<std::uint32_t>(kData, lane), (on >> lane & 1) != 0 ? there : kAsBefore) << lane;
        }
    }
    void checkStore(const Space& space, const Code& code, std::uint32_t on) {
        std::vector<std::byte>& memory = space.isGlobal ? area : t.local;
        std::vector<std::byte> want = memory;
        t.load(code, on);
        std::vector<std::uint32_t> values;
        for (std::uint32_t lane = 0; lane < kNearLanes; ++lane) {
            values.push_back(valueOf(lane));
            if ((on >> lane & 1) != 0) std::memcpy(want.data() + places[lane], &values[lane], sizeof values[lane]);
        }
        t.set(kData, values);
        ASSERT_EQ(t.resume(), isa::Status::done) << describe(t.thread().fault);
        EXPECT_TRUE(memory == want);
    }

    LoneThread t;
    std::vector<std::byte>& area;
    std::array<std::uint32_t, kNearLanes> places{};
};

TEST_F(NearLanes, MoveWhatLiesWhereTheyDo) {
    for (const Space& space : kSpaces) {
        const Code load = assembleProgram(space.load);
        const Code store = assembleProgram(space.store);
        for (const NearPattern& pattern : kPatterns)
            for (const std::uint32_t start :
                 {256u, 260u, 316u, 318u, kNearBytes - 260, kNearBytes - 128, kNearBytes - 124, kNearBytes - 64})
                for (const std::uint32_t on : {~0u, 0xffffu, 0x5a3c8001u, 0xffff0000u, 0x7fff0001u, 0x00a08420u}) {
                    SCOPED_TRACE(fmt::format("{} {} from {}, lanes {:#x}", space.name, pattern.name, start, on));
                    if (!prepare(space, pattern, start)) continue;
                    ASSERT_NO_FATAL_FAILURE(checkLoad(space, load, on));
                    ASSERT_NO_FATAL_FAILURE(checkStore(space, store, on));
                    if (HasFailure()) return;
                }
    }
}

}  // namespace
}  // namespace zetl::test
