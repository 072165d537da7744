// Memory messages on assembled instructions: layouts, masks, overlap of request and reply, faults.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <string>

#include "emulator/isa/observe.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

using isa::FaultKind;
using isa::Status;

class Messages : public testing::Test {
  protected:
    Messages() : area(t.allocate(4096)) {
        for (std::uint32_t i = 0; i < 1024; ++i) word(i) = i;
    }
    std::uint32_t& word(std::uint32_t i) { return reinterpret_cast<std::uint32_t*>(area.data())[i]; }
    std::uint64_t base() const { return LoneThread::addressOf(area); }
    /// A64 addresses in r10 and r12: base + offset of each lane.
    void addresses(const std::vector<std::uint64_t>& offsets) {
        std::vector<std::uint64_t> a;
        for (std::uint64_t o : offsets) a.push_back(base() + o);
        t.set(10, a);
    }
    static std::vector<std::uint64_t> steps(std::uint64_t step, std::size_t n = 16) {
        std::vector<std::uint64_t> v(n);
        for (std::size_t i = 0; i < n; ++i) v[i] = i * step;
        return v;
    }
    Status run(const std::string& assembly, std::uint32_t lanes = 0xffff) {
        return t.run(assembleProgram(assembly), lanes);
    }
    std::vector<std::uint32_t> result(std::uint32_t r = 40, std::size_t n = 16) { return t.get<std::uint32_t>(r, n); }
    static std::vector<std::uint32_t> counting(std::uint32_t first, std::uint32_t step, std::size_t n = 16) {
        std::vector<std::uint32_t> v(n);
        for (std::size_t i = 0; i < n; ++i) v[i] = first + static_cast<std::uint32_t>(i) * step;
        return v;
    }
    LoneThread t;
    std::vector<std::byte>& area;
};

// Descriptors: [24:20] response, [28:25] address registers, [8:7]=3 A64, [11:9] data, [14:12] vector.
TEST_F(Messages, LoadsInEveryAddressPattern) {
    const char* load = "send.ugm (16|M0) r40 r10 null:0 0x0 0x04100580";
    addresses(steps(4));
    ASSERT_EQ(run(load), Status::done);
    EXPECT_EQ(result(), counting(0, 1));
    addresses(std::vector<std::uint64_t>(16, 20));
    ASSERT_EQ(run(load), Status::done);
    EXPECT_EQ(result(), std::vector<std::uint32_t>(16, 5));
    addresses(steps(12));
    ASSERT_EQ(run(load), Status::done);
    EXPECT_EQ(result(), counting(0, 3));
}

TEST_F(Messages, DisabledLanesKeepTheirRegistersAndMayHoldAnything) {
    auto offsets = steps(4);
    offsets[3] = 1ull << 40;
    addresses(offsets);
    t.set(40, std::vector<std::uint32_t>(16, 77));
    ASSERT_EQ(run("send.ugm (16|M0) r40 r10 null:0 0x0 0x04100580", 0xfff7), Status::done);
    auto want = counting(0, 1);
    want[3] = 77;
    EXPECT_EQ(result(), want);
}

TEST_F(Messages, VectorsAreStructuresOfArraysAndMayOverwriteTheirAddresses) {
    addresses(steps(16));
    ASSERT_EQ(run("send.ugm (16|M0) r10 r10 null:0 0x0 0x04403580"), Status::done);
    for (std::uint32_t k = 0; k < 4; ++k) EXPECT_EQ(result(10 + k), counting(k, 4)) << k;
    addresses(steps(32));
    ASSERT_EQ(run("send.ugm (16|M0) r11 r10 null:0 0x0 0x04804580"), Status::done);
    for (std::uint32_t k = 0; k < 8; ++k) EXPECT_EQ(result(11 + k), counting(k, 8)) << k;
}

TEST_F(Messages, ComponentsOfFewLanesLieAsThoseOfSixteen) {
    addresses(steps(32, 4));
    ASSERT_EQ(run("(W) send.ugm (4|M0) r40 r10 null:0 0x0 0x04883780"), Status::done);
    for (std::uint32_t k = 0; k < 4; ++k)
        for (std::uint32_t lane = 0; lane < 4; ++lane)
            EXPECT_EQ(t.scalar<std::uint32_t>(40 + 2 * k, lane * 2), lane * 8 + k * 2) << k << ", lane " << lane;
    ASSERT_EQ(run("(W) mov (16|M0) r42.0<1>:ud 99:w\n(W) send.ugm (4|M0) null r10 r40:8 0x0 0x04003784"), Status::done);
    EXPECT_EQ(word(2), 99u) << "the second component comes from the third register";
}

// Translated, what a load of equal addresses compares with stays in registers of the host, and a load whose addresses
// run on has no use for it. The store leaves the distances of the second load's addresses there; the first time round
// the step finds the memory.
TEST_F(Messages, ALoadBehindOneWhoseAddressesRunOn) {
    addresses(steps(4));
    std::vector<std::uint64_t> triples;
    for (const std::uint64_t offset : steps(12)) triples.push_back(base() + offset);
    t.set(12, triples);
    for (std::uint32_t k = 0; k < 3; ++k) t.set(60 + k, counting(k, 3));
    ASSERT_EQ(run("mov (16|M0) r110.0<1>:d 0:w\n"
                  "send.ugm (16|M0) null r12 r60:3 0x0 0x04002584\n"
                  "jmpi 16\n"
                  "send.ugm (16|M0) r40 r10 null:0 0x0 0x04100580\n"
                  "send.ugm (16|M0) r42 r12 null:0 0x0 0x04201580\n"
                  "add (16|M0) r110.0<1>:d r110.0<1;1,0>:d 1:w\n"
                  "cmp (16|M0) (lt)f0.0 null<1>:d r110.0<1;1,0>:d 3:w\n"
                  "(f0.0) while (16|M0) -96"),
              Status::done);
    EXPECT_EQ(result(40), counting(0, 1));
    EXPECT_EQ(result(42), counting(0, 3));
    EXPECT_EQ(result(43), counting(1, 3));
}

TEST_F(Messages, NarrowAndWideElements) {
    addresses(steps(1));
    ASSERT_EQ(run("send.ugm (16|M0) r40 r10 null:0 0x0 0x04100980"), Status::done);  // d8u32
    EXPECT_EQ(result(40, 5), (std::vector<std::uint32_t>{0, 0, 0, 0, 1}));
    addresses(steps(2));
    ASSERT_EQ(run("send.ugm (16|M0) r40 r10 null:0 0x0 0x04100B80"), Status::done);  // d16u32
    EXPECT_EQ(result(40, 5), (std::vector<std::uint32_t>{0, 0, 1, 0, 2}));
    addresses(steps(8));
    ASSERT_EQ(run("send.ugm (16|M0) r40 r10 null:0 0x0 0x04200780"), Status::done);  // d64
    EXPECT_EQ(t.scalar<std::uint64_t>(41, 0), 16ull | 17ull << 32);
}

TEST_F(Messages, Stores) {
    addresses(steps(4));
    t.set(50, counting(500, 1));
    ASSERT_EQ(run("send.ugm (16|M0) null r10 r50:1 0x0 0x04000584"), Status::done);
    EXPECT_EQ(word(7), 507u);
    addresses(steps(12));
    ASSERT_EQ(run("send.ugm (16|M0) null r10 r50:1 0x0 0x04000584", 0x0002), Status::done);
    EXPECT_EQ(word(3), 501u);
    EXPECT_EQ(word(6), 506u);
    addresses(steps(1));
    ASSERT_EQ(run("send.ugm (16|M0) null r10 r50:1 0x0 0x04000984"), Status::done);  // d8u32: the low byte
    EXPECT_EQ(word(0), 0xf7f6f5f4u);
}

TEST_F(Messages, BlocksMoveContiguousRegisters) {
    addresses({64});
    ASSERT_EQ(run("(W) send.ugm (1|M0) r40 r10 null:0 0x0 0x0220D580"), Status::done);  // d32x16t
    EXPECT_EQ(result(), counting(16, 1));
    t.set(50, counting(900, 1));
    ASSERT_EQ(run("(W) send.ugm (1|M0) null r10 r50:1 0x0 0x0200D584"), Status::done);
    EXPECT_EQ(word(31), 915u);
}

TEST_F(Messages, StridedLanesLieAtADistanceFromOneBase) {
    const auto low = static_cast<std::uint32_t>(base());
    const auto high = static_cast<std::uint32_t>(base() >> 32);
    t.set(10, std::vector<std::uint32_t>{low, high, 12});
    ASSERT_EQ(run("send.ugm (16|M0) r40 r10 null:0 0x0 0x02100581"), Status::done);
    EXPECT_EQ(result(), counting(0, 3));
    t.set(50, counting(500, 1));
    ASSERT_EQ(run("send.ugm (16|M0) null r10 r50:1 0x0 0x02000585", 0x0002), Status::done);
    EXPECT_EQ(word(3), 501u);
    EXPECT_EQ(word(6), 6u);
}

TEST_F(Messages, LocalAddressesMayHaveSixteenBits) {
    reinterpret_cast<std::uint32_t*>(t.local.data())[5] = 55;
    t.set(10, std::vector<std::uint16_t>(16, 20));
    ASSERT_EQ(run("send.slm (16|M0) r40 r10 null:0 0x0 0x02100480"), Status::done);
    EXPECT_EQ(result(), std::vector<std::uint32_t>(16, 55));
    t.set(10, std::vector<std::uint16_t>{20, 9999});
    ASSERT_EQ(run("(W) send.slm (1|M0) r41 r10 null:0 0x0 0x02108480"), Status::done) << describe(t.thread().fault);
    EXPECT_EQ(t.scalar<std::uint32_t>(41), 55u) << "of a block";
}

TEST_F(Messages, TwoDimensionalBlocksAreCutOffAtTheirSurface) {
    const auto low = static_cast<std::uint32_t>(base());
    const auto high = static_cast<std::uint32_t>(base() >> 32);
    const auto block = [&](std::uint32_t x, std::uint32_t y) {  // 4 by 4 dwords of a surface of 16 by 8
        t.set(10, std::vector<std::uint32_t>{low, high, 63, 7, 63, x, y, 0x303});
    };
    block(2, 1);
    ASSERT_EQ(run("(W) send.ugm (1|M0) r40 r10 null:0 0x0 0x02100403"), Status::done);
    for (std::uint32_t y = 0; y < 4; ++y)
        for (std::uint32_t x = 0; x < 4; ++x) EXPECT_EQ(result()[y * 4 + x], (1 + y) * 16 + 2 + x);
    t.set(50, counting(900, 1));
    block(14, 6);
    ASSERT_EQ(run("(W) send.ugm (1|M0) null r10 r50:1 0x0 0x02000407"), Status::done);
    EXPECT_EQ(word(6 * 16 + 15), 901u);
    EXPECT_EQ(word(7 * 16 + 14), 904u);
    EXPECT_EQ(word(7 * 16), 7u * 16);
    EXPECT_EQ(word(8 * 16 + 14), 8u * 16 + 14);
    EXPECT_EQ(t.thread().traffic.globalWritten, 16u);
    block(std::uint32_t(-1), std::uint32_t(-1));
    ASSERT_EQ(run("(W) send.ugm (1|M0) r40 r10 null:0 0x0 0x02108403"), Status::done);  // transposed
    EXPECT_EQ(result(40, 8), (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 16, 32}));
    EXPECT_EQ(run("(W) send.ugm (1|M0) null r10 null:0 0x0 0x02000403"), Status::done);  // a prefetch
}

TEST_F(Messages, QuadsFollowTheirComponentMask) {
    addresses(steps(16));
    ASSERT_EQ(run("send.ugm (16|M0) r40 r10 null:0 0x0 0x04303582"), Status::done);  // .xy
    EXPECT_EQ(result(40), counting(0, 4));
    EXPECT_EQ(result(41), counting(1, 4));
    ASSERT_EQ(run("send.ugm (16|M0) r40 r10 null:0 0x0 0x0420A582"), Status::done);  // .yw
    EXPECT_EQ(result(40), counting(1, 4));
    EXPECT_EQ(result(41), counting(3, 4));
    t.set(50, counting(7000, 1));
    ASSERT_EQ(run("send.ugm (16|M0) null r10 r50:1 0x0 0x04008586"), Status::done);  // .w
    EXPECT_EQ(word(7), 7001u);
    EXPECT_EQ(word(6), 6u);
}

TEST_F(Messages, Atomics) {
    const struct {
        unsigned op;
        std::uint32_t old;
        std::uint32_t operand;
        std::uint32_t comparand;
        std::uint32_t want;
    } cases[] = {{0x08, 5, 0, 0, 6},
                 {0x09, 5, 0, 0, 4},
                 {0x0a, 5, 9, 0, 5},
                 {0x0b, 5, 9, 0, 9},
                 {0x0c, 5, 9, 0, 14},
                 {0x0d, 5, 9, 0, ~3u},
                 {0x0e, ~0u, 3, 0, ~0u},
                 {0x0f, ~0u, 3, 0, 3},
                 {0x10, ~0u, 3, 0, 3},
                 {0x11, ~0u, 3, 0, ~0u},
                 {0x18, 12, 10, 0, 8},
                 {0x19, 12, 10, 0, 14},
                 {0x1a, 12, 10, 0, 6},
                 {0x13, 0x3f800000, 0x40000000, 0, 0x40400000},
                 {0x14, 0x3f800000, 0x40000000, 0, 0xbf800000},
                 {0x15, 0x3f800000, 0xc0000000, 0, 0xc0000000},
                 {0x16, 0x3f800000, 0xc0000000, 0, 0x3f800000}};
    for (const auto& c : cases) {
        word(0) = c.old;
        addresses({0});
        t.set(50, std::vector<std::uint32_t>{c.operand});
        char text[120];
        snprintf(text, sizeof text, "send.ugm (16|M0) r40 r10 r50:1 0x0 0x%08X", 0x04100580u | c.op);
        ASSERT_EQ(run(text, 1), Status::done);
        EXPECT_EQ(word(0), c.want) << std::hex << c.op;
        EXPECT_EQ(t.scalar<std::uint32_t>(40), c.old) << std::hex << c.op;
    }
    for (const unsigned op : {0x12u, 0x17u}) {  // compare exchange: comparand, then the new value
        word(0) = 0x3f800000;
        addresses({0});
        t.set(50, std::vector<std::uint32_t>{0x3f800000});
        t.set(51, std::vector<std::uint32_t>{77});
        char text[120];
        snprintf(text, sizeof text, "send.ugm (16|M0) r40 r10 r50:2 0x0 0x%08X", 0x04100580u | op);
        ASSERT_EQ(run(text, 1), Status::done);
        EXPECT_EQ(word(0), 77u);
    }
}

TEST_F(Messages, AtomicsWithAddressesOf16Bits) {
    t.local.resize(256);
    const std::uint32_t before = 1000;
    std::memcpy(t.local.data() + 8, &before, sizeof before);
    std::vector<std::uint16_t> offsets(16, 8);
    offsets[5] = 0xfffc;  // of a lane that is off
    offsets[15] = 12;
    t.set(10, offsets);
    t.set(50, counting(1, 1));
    ASSERT_EQ(run("send.slm (16|M0) r40 r10 r50:1 0x0 0x0210048C", 0xffdf), Status::done);
    std::uint32_t sums[2];
    std::memcpy(sums, t.local.data() + 8, sizeof sums);
    EXPECT_EQ(sums[0], 1000u + 15 * 16 / 2 - 6);
    EXPECT_EQ(sums[1], 16u);
    EXPECT_EQ(result()[2], 1000u + 1 + 2);
    EXPECT_EQ(result()[15], 0u);
}

TEST_F(Messages, AtomicsOfManyLanesOnOneWordAllCount) {
    word(0) = 0;
    addresses(std::vector<std::uint64_t>(16, 0));
    t.set(50, std::vector<std::uint32_t>(16, 3));
    ASSERT_EQ(run("send.ugm (16|M0) r40 r10 r50:1 0x0 0x0410058C"), Status::done);
    EXPECT_EQ(word(0), 48u);
    EXPECT_EQ(result(), counting(0, 3));
    addresses({8});
    *reinterpret_cast<std::uint64_t*>(area.data() + 8) = 1ull << 40;
    t.set(50, std::vector<std::uint64_t>{1});
    ASSERT_EQ(run("send.ugm (16|M0) null r10 r50:2 0x0 0x0400078C", 1), Status::done);  // d64
    EXPECT_EQ(*reinterpret_cast<std::uint64_t*>(area.data() + 8), (1ull << 40) + 1);
}

TEST_F(Messages, AdditionsThatMeetInOneWordWithoutResultsAllCount) {
    const struct {
        unsigned descriptor;
        std::int64_t change;  ///< by a lane
    } cases[] = {{0x04000588, 1}, {0x04000589, -1}, {0x0400058C, 3}, {0x0400058D, -3},
                 {0x04000788, 1}, {0x04000789, -1}, {0x0400078C, 3}, {0x0400078D, -3}};
    for (const auto& c : cases) {
        const bool isLong = (c.descriptor & 0x200) != 0;
        for (const std::uint32_t on : {0xffffu, 0x7ffeu, 0x0010u, 0x8001u}) {
            for (const bool apart : {false, true}) {
                std::vector<std::uint64_t> places(16, 64);
                if (apart) places[4] = 128;  // between two that meet
                for (const std::uint64_t place : {64, 128}) std::memset(area.data() + place, 0, 8);
                addresses(places);
                isLong ? t.set(50, std::vector<std::uint64_t>(16, 3)) : t.set(50, std::vector<std::uint32_t>(16, 3));
                const bool takes = (c.descriptor & 4) != 0;
                char text[120];
                snprintf(text, sizeof text, "send.ugm (16|M0) null r10 %s 0x0 0x%08X",
                         !takes   ? "null:0"
                         : isLong ? "r50:2"
                                  : "r50:1",
                         c.descriptor);
                ASSERT_EQ(run(text, on), Status::done);
                const auto valueAt = [&](std::size_t place) {
                    std::int64_t value = 0;
                    std::memcpy(&value, area.data() + place, sizeof value);
                    return isLong ? value : static_cast<std::int32_t>(value);
                };
                const int other = apart ? static_cast<int>(on >> 4 & 1) : 0;
                EXPECT_EQ(valueAt(64), (std::popcount(on) - other) * c.change) << text << " " << on;
                EXPECT_EQ(valueAt(128), other * c.change) << text << " " << on;
            }
        }
    }
}

TEST_F(Messages, AdditionsOfALoopAreInMemoryForTheLoadBehindIt) {
    constexpr std::uint32_t kTimes = 5;
    const auto loop = [&](unsigned descriptor, const char* operand) {
        char text[500];
        snprintf(text, sizeof text,
                 "send.ugm (16|M0) null r10 %s 0x0 0x%08X\n"
                 "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 1:w\n"
                 "cmp (16|M0) (lt)f0.0 null<1>:d r40.0<1;1,0>:d %u:w\n"
                 "(f0.0) while (16|M0) -48\n"
                 "send.ugm (16|M0) r42 r10 null:0 0x0 0x04100580",
                 operand, descriptor, kTimes);
        return std::string(text);
    };
    // Lanes that meet, and lanes two thousand bytes apart.
    std::vector<std::uint64_t> places(16);
    for (std::uint64_t i = 0; i < 16; ++i) places[i] = i % 5 * 4 + (i % 2) * 2048;
    const auto lanesAt = [&](std::uint64_t place) { return std::uint32_t(std::ranges::count(places, place)); };
    addresses(places);
    for (const std::uint32_t change : {1u, ~0u, 3u, ~2u}) {
        for (std::uint32_t i = 0; i < 1024; ++i) word(i) = 100;
        t.set(40, std::vector<std::uint32_t>(16));
        t.set(50, std::vector<std::uint32_t>(16, 3));
        const bool takes = change == 3 || change == ~2u;
        const unsigned code = change == 1 ? 0x08 : change == ~0u ? 0x09 : change == 3 ? 0x0c : 0x0d;
        ASSERT_EQ(run(loop(0x04000580 | code, takes ? "r50:1" : "null:0").c_str()), Status::done);
        for (std::uint32_t i = 0; i < 16; ++i)
            EXPECT_EQ(t.get<std::uint32_t>(42, 16)[i], 100 + kTimes * lanesAt(places[i]) * change) << i;
    }
    // A fault behind them finds them done.
    for (std::uint32_t i = 0; i < 1024; ++i) word(i) = 0;
    t.set(40, std::vector<std::uint32_t>(16));
    t.set(60, std::vector<std::uint64_t>(16, 1ull << 40));
    const std::string faults = loop(0x04000588, "null:0") + "\nsend.ugm (16|M0) r42 r60 null:0 0x0 0x04100580";
    ASSERT_EQ(run(faults.c_str()), Status::faulted);
    EXPECT_EQ(word(0), kTimes * lanesAt(0));
}

TEST_F(Messages, LocalMemoryMasksTheTagAndChecksTheEnd) {
    auto a = counting(0x10000000, 4);
    t.set(10, a);
    t.set(50, counting(3, 1));
    ASSERT_EQ(run("send.slm (16|M0) null r10 r50:1 0x0 0x02000504\nsend.slm (16|M0) r40 r10 null:0 0x0 0x02100500"),
              Status::done);
    EXPECT_EQ(result(), counting(3, 1));
    a[9] = 4093;
    t.set(10, a);
    ASSERT_EQ(run("send.slm (16|M0) r40 r10 null:0 0x0 0x02100500"), Status::faulted);
    const isa::Fault& f = t.thread().fault;
    EXPECT_EQ(f.kind, FaultKind::localOverrun);
    EXPECT_EQ(f.lane, 9);
    EXPECT_EQ(f.address, 4093u);
    EXPECT_FALSE(f.write);
}

TEST_F(Messages, ScratchBlocksAndScratchSurfaces) {
    t.set(50, counting(40, 1));
    ASSERT_EQ(
        run("(W) send.dc0 (16|M0) null r0 r50:1 0x0 0x020F1004\n(W) send.dc0 (16|M0) r40 r0 null:0 0x0 0x021C1004"),
        Status::done);
    EXPECT_EQ(result(), counting(40, 1));
    EXPECT_EQ(reinterpret_cast<std::uint32_t*>(t.scratch.data())[32], 40u);
    ASSERT_EQ(run("(W) send.dc0 (16|M0) r40 r0 null:0 0x0 0x021C1FFF"), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::scratchOverrun);
    t.set(10, counting(128, 4));
    ASSERT_EQ(run("send.ugm (16|M0) r41 r10 null:0 a0.2 0x42100500"), Status::done);
    EXPECT_EQ(result(41), counting(40, 1));
}

/// As compiler 22.43 fills what it spilled last: the registers behind it are not used.
TEST_F(Messages, AFillMayEndBeyondScratchMemory) {
    std::ranges::fill(t.scratch, std::byte{7});
    t.set(42, counting(5, 1));
    const auto last = static_cast<unsigned>(t.scratch.size() / 32 - 4);
    const auto block = [&](unsigned descriptor, unsigned at, const char* registers) {
        return run(fmt::format("(W) send.dc0 (16|M0) {} 0x0 {:#x}", registers, descriptor + at).c_str());
    };
    ASSERT_EQ(block(0x024C3000, last, "r40 r0 null:0"), Status::done);
    EXPECT_EQ(result(41), std::vector<std::uint32_t>(16, 0x07070707));
    EXPECT_EQ(result(42), std::vector<std::uint32_t>(16, 0));
    EXPECT_EQ(block(0x024C3000, last + 4, "r40 r0 null:0"), Status::faulted);
    EXPECT_EQ(block(0x020F3000, last, "null r0 r40:4"), Status::faulted);
}

TEST_F(Messages, LegacyAtomicsOnLocalAndGlobalMemory) {
    t.set(10, std::vector<std::uint32_t>{16});
    t.set(50, std::vector<std::uint32_t>{5});
    ASSERT_EQ(run("(W) send.dc1 (1|M0) r40 r10 r50:1 0x0 0x0210A7FE"), Status::done);
    EXPECT_EQ(reinterpret_cast<std::uint32_t*>(t.local.data())[4], 5u);
    addresses({4});
    ASSERT_EQ(run("(W) send.dc1 (1|M0) r40 r10 r50:1 0x0 0x0414A7FF"), Status::done);
    EXPECT_EQ(word(1), 6u);
    EXPECT_EQ(t.scalar<std::uint32_t>(40), 1u);
}

TEST_F(Messages, LegacyAtomicsBehindAHeader) {
    t.set(9, std::vector<std::uint32_t>{400});
    t.set(10, std::vector<std::uint32_t>{16});
    t.set(50, std::vector<std::uint32_t>{5});
    ASSERT_EQ(run("(W) send.dc1 (1|M0) r40 r9 r50:1 0x0 0x0418A7FE"), Status::done);
    EXPECT_EQ(reinterpret_cast<std::uint32_t*>(t.local.data())[4], 5u);
    EXPECT_EQ(reinterpret_cast<std::uint32_t*>(t.local.data())[100], 0u);
}

TEST_F(Messages, LegacyAtomicsOfOtherSizes) {
    addresses({8, 16});
    t.set(50, std::vector<std::uint64_t>{0xffffffff, 1});
    ASSERT_EQ(run("(W) send.dc1 (2|M0) r40 r10 r50:2 0x0 0x0424B7FF"), Status::done) << describe(t.thread().fault);
    EXPECT_EQ(word(2), 1u) << "a carry: 2 and 2^32 - 1";
    EXPECT_EQ(word(3), 4u);
    EXPECT_EQ(t.scalar<std::uint64_t>(40, 1), 4u | 5ull << 32);
    auto* halves = reinterpret_cast<std::uint16_t*>(t.local.data());
    halves[7] = 0xffff;
    t.set(10, std::vector<std::uint32_t>{14});
    t.set(50, std::vector<std::uint32_t>{3});
    ASSERT_EQ(run("(W) send.dc1 (1|M0) r40 r10 r50:1 0x0 0x0210E7FE"), Status::done) << describe(t.thread().fault);
    EXPECT_EQ(halves[7], 2u);
    EXPECT_EQ(halves[8], 0u);
    EXPECT_EQ(t.scalar<std::uint32_t>(40), 0xffffu);
}

TEST_F(Messages, LegacyAtomicsOnReals) {
    auto* local = reinterpret_cast<float*>(t.local.data());
    const auto on = [&](const char* operation, float before, std::vector<float> operands) {
        local[4] = before;
        t.set(10, std::vector<std::uint32_t>{16});
        t.set(50, std::vector<float>{operands[0]});
        t.set(51, std::vector<float>{operands.back()});
        const std::string message = std::string("(W) send.dc1 (1|M0) r40 r10 r50:2 0x0 0x0216E") + operation + "FE";
        EXPECT_EQ(run(message.c_str()), Status::done) << describe(t.thread().fault);
        EXPECT_EQ(t.scalar<float>(40), before);
        return local[4];
    };
    EXPECT_EQ(on("1", -2.5f, {1.5f}), 1.5f);
    EXPECT_EQ(on("2", -2.5f, {1.5f}), -2.5f);
    EXPECT_EQ(on("3", 1.5f, {1.5f, 7.0f}), 7.0f) << "equal: exchanged";
    EXPECT_EQ(on("3", 2.5f, {1.5f, 7.0f}), 2.5f);
    EXPECT_EQ(on("4", -2.5f, {1.5f}), -1.0f);
    EXPECT_EQ(on("5", -2.5f, {1.5f}), -4.0f);
    addresses({8});
    *reinterpret_cast<double*>(area.data() + 8) = 0.25;
    t.set(50, std::vector<double>{1e-17 + 2});
    ASSERT_EQ(run("(W) send.dc1 (1|M0) r40 r10 r50:2 0x0 0x042766FF"), Status::done) << describe(t.thread().fault);
    EXPECT_EQ(*reinterpret_cast<double*>(area.data() + 8), 2.25);
    *reinterpret_cast<std::uint16_t*>(area.data() + 8) = 0x3c00;
    t.set(50, std::vector<std::uint32_t>{0x4000});
    ASSERT_EQ(run("(W) send.dc1 (1|M0) r40 r10 r50:1 0x0 0x0417A4FF"), Status::done) << describe(t.thread().fault);
    EXPECT_EQ(*reinterpret_cast<std::uint16_t*>(area.data() + 8), 0x4200) << "1 and 2, of 16 bits";
}

// One instruction, first a load and then an atomic addition: its descriptor is in a register.
TEST_F(Messages, DescriptorsMayBeInRegisters) {
    addresses(steps(4));
    t.set(50, std::vector<std::uint32_t>(16, 5));
    t.set(42, std::vector<std::uint32_t>(16, 0));
    ASSERT_EQ(run("(W) mov (1|M0) r5.0<1>:ud 0x04100580:ud\n"
                  "AGAIN:\n"
                  "(W) mov (1|M0) a0.0<1>:ud r5.0<0;1,0>:ud\n"
                  "send.ugm (16|M0) r40 r10 r50:1 0x0 a0.0\n"
                  "add (16|M0) r42.0<1>:ud r42.0<1;1,0>:ud r40.0<1;1,0>:ud\n"
                  "(W) cmp (1|M0) (eq)f0.0 null<1>:ud r5.0<0;1,0>:ud 0x04100580:ud\n"
                  "(W) mov (1|M0) r5.0<1>:ud 0x0410058C:ud\n"
                  "(W&f0.0) jmpi AGAIN"),
              Status::done)
        << describe(t.thread().fault);
    EXPECT_EQ(result(42), counting(0, 2)) << "the loaded values and, the same, the old ones";
    for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(word(i), i + 5);
    EXPECT_EQ(t.thread().traffic.globalRead, 2 * 64u);
}

TEST_F(Messages, AccessesWithADescriptorInARegisterAreSeenAndFault) {
    addresses(steps(1ull << 40));
    ASSERT_EQ(run("(W) mov (1|M0) a0.0<1>:ud 0x04200780:ud\nsend.ugm (16|M0) r40 r10 null:0 0x0 a0.0", 0xfffe),
              Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::pageFault);
    EXPECT_EQ(t.thread().fault.ip, 0x10010u);
    EXPECT_EQ(t.thread().fault.lane, 1);
    const auto access = isa::accessOf(t.thread(), 1);
    ASSERT_TRUE(access);
    EXPECT_EQ(access->bytesPerLane, 8u);
    EXPECT_EQ(access->address[2], base() + (2ull << 40));
}

TEST_F(Messages, AKernelCannotFillTheHostWithDescriptors) {
    addresses(steps(4));
    ASSERT_EQ(run("(W) mov (1|M0) a0.0<1>:ud 0x04000580:ud\n"
                  "AGAIN:\n"
                  "send.ugm (16|M0) r40 r10 null:0 0x0 a0.0\n"
                  "(W) add (1|M0) a0.0<1>:ud a0.0<0;1,0>:ud 0x20000:ud\n"
                  "(W) jmpi AGAIN"),
              Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::unsupportedMessage);
    EXPECT_NE(std::string(t.thread().fault.what).find("too many descriptors"), std::string::npos)
        << t.thread().fault.what;
}

// A load beyond the end of local memory has read its first lanes when it fails; its reply covers its addresses.
TEST_F(Messages, AnAccessThatFailedCanBeRepeated) {
    t.local.assign(128, std::byte{});
    for (std::uint32_t i = 0; i < 32; ++i) reinterpret_cast<std::uint32_t*>(t.local.data())[i] = i * 7;
    t.set(10, counting(0, 4, 32));
    auto whole = t.local;
    t.local.resize(100);
    ASSERT_EQ(run("send.slm (32|M0) r10 r10 null:0 0x0 0x04200500", 0x7fffffff), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::localOverrun);
    t.thread().local = whole;
    t.thread().retry();
    ASSERT_EQ(t.resume(), Status::done);
    EXPECT_EQ(result(10, 31), counting(0, 7, 31));
    EXPECT_EQ(t.scalar<std::uint32_t>(11, 15), 31u * 4);
    EXPECT_EQ(t.thread().at<std::uint32_t>(isa::layout::kControl + 4) & 1 << 16, 0u);
}

// The data ports' older messages, on local memory (surface 0xFE) and by 64-bit address.
TEST_F(Messages, LegacyScatteredBytesAndBlocksOfLocalMemory) {
    auto* local = reinterpret_cast<std::uint32_t*>(t.local.data());
    for (std::uint32_t i = 0; i < t.local.size() / 4; ++i) local[i] = 0x10000 * i + i;
    t.set(10, counting(0, 6));
    ASSERT_EQ(run("send.dc0 (16|M0) r40 r10 null:0 0x0 0x021105FE\nsend.dc0 (16|M0) r41 r9 null:0 0x0 0x041909FE"),
              Status::done);
    for (std::uint32_t i = 0; i < 16; ++i) {
        std::uint32_t raw;
        std::memcpy(&raw, t.local.data() + i * 6, 4);
        EXPECT_EQ(t.scalar<std::uint32_t>(40, i), raw & 0xffff) << i;
        EXPECT_EQ(t.scalar<std::uint32_t>(41, i), raw) << i << ": behind a header";
    }
    t.set(10, counting(0, 8));
    t.set(50, counting(700, 1));
    ASSERT_EQ(run("send.dc0 (16|M0) null r10 r50:1 0x0 0x020309FE", 0x00ff), Status::done);
    EXPECT_EQ(local[14], 707u);
    EXPECT_EQ(local[16], 0x100010u);
    t.set(11, std::vector<std::uint32_t>{9, 9, 4, 9});
    ASSERT_EQ(
        run("(W) send.dc0 (16|M0) r40 r11 null:0 0x0 0x021803FE\n(W) send.dc0 (16|M0) r41 r11 null:0 0x0 0x021843FE\n"
            "(W) send.dc0 (16|M0) null r11 r50:1 0x0 0x020A02FE\n(W) send.dc0 (16|M0) r42 r11 null:0 0x0 0x0219C0FE"),
        Status::done)
        << describe(t.thread().fault);
    EXPECT_EQ(t.scalar<std::uint32_t>(40, 15), 31u * 0x10001) << "four octets of words from offset 64";
    EXPECT_EQ(t.scalar<std::uint32_t>(41, 15), 16u * 0x10001) << "from byte 4";
    EXPECT_EQ(local[23], 707u);
    EXPECT_EQ(local[24], 24u * 0x10001);
}

// Their addresses count dwords.
TEST_F(Messages, LegacyScatteredDwordsOfLocalMemory) {
    auto* local = reinterpret_cast<std::uint32_t*>(t.local.data());
    for (std::uint32_t i = 0; i < 64; ++i) local[i] = i * 3;
    t.set(10, counting(1, 2));
    ASSERT_EQ(run("send.dc0 (16|M0) r40 r10 null:0 0x0 0x0210C3FE\nsend.dc0 (16|M0) r41 r9 null:0 0x0 0x0418C3FE"),
              Status::done)
        << describe(t.thread().fault);
    EXPECT_EQ(result(40), counting(3, 6));
    EXPECT_EQ(result(41), counting(3, 6)) << "behind a header";
    t.set(50, counting(700, 1));
    ASSERT_EQ(run("send.dc0 (16|M0) null r10 r50:1 0x0 0x0202C3FE", 0x7fff), Status::done);
    EXPECT_EQ(local[1], 700u);
    EXPECT_EQ(local[29], 714u);
    EXPECT_EQ(local[31], 93u);
    t.set(10, counting(1020, 1));
    ASSERT_EQ(run("send.dc0 (16|M0) r40 r10 null:0 0x0 0x0210C3FE"), Status::faulted);
    EXPECT_EQ(t.thread().fault.address, 4096u);
    EXPECT_EQ(t.thread().fault.lane, 4);
}

TEST_F(Messages, LegacyUntypedAndScatteredMessages) {
    auto* local = reinterpret_cast<std::uint32_t*>(t.local.data());
    for (std::uint32_t i = 0; i < 64; ++i) local[i] = i * 3;
    t.set(10, counting(0, 16));
    ASSERT_EQ(run("send.dc1 (16|M0) r40 r10 null:0 0x0 0x023052FE"), Status::done) << describe(t.thread().fault);
    EXPECT_EQ(result(40), counting(0, 12));
    EXPECT_EQ(result(41), counting(6, 12)) << "the second component is masked off";
    EXPECT_EQ(result(42), counting(9, 12));
    addresses(steps(16));
    ASSERT_EQ(run("send.dc1 (16|M0) r40 r10 null:0 0x0 0x04145EFF\nsend.dc1 (16|M0) r42 r10 null:0 0x0 0x044406FF"),
              Status::done)
        << describe(t.thread().fault);
    EXPECT_EQ(result(40), counting(0, 4));
    EXPECT_EQ(t.scalar<std::uint64_t>(42, 1), 4u | 5ull << 32);
    EXPECT_EQ(t.scalar<std::uint64_t>(44, 1), 6u | 7ull << 32);
    t.set(50, counting(900, 1, 32));
    ASSERT_EQ(run("send.dc1 (16|M0) null r10 r50:2 0x0 0x04065CFF", 0x7fff), Status::done);
    EXPECT_EQ(word(4), 901u);
    EXPECT_EQ(word(5), 917u);
    EXPECT_EQ(word(60), 60u);
    ASSERT_EQ(run("send.dc1 (16|M0) null r10 r50:1 0x0 0x040681FF"), Status::done);
    EXPECT_EQ(word(60), 915u);
    t.set(12, std::vector<std::uint64_t>{base() + 400});
    ASSERT_EQ(
        run("(W) send.dc1 (16|M0) r40 r12 null:0 0x0 0x021D03FF\n(W) send.dc1 (16|M0) null r12 r50:1 0x0 0x020D42FF"),
        Status::done)
        << describe(t.thread().fault);
    EXPECT_EQ(result(40), counting(100, 1));
    EXPECT_EQ(word(107), 907u);
    EXPECT_EQ(word(108), 108u);
}

TEST_F(Messages, PageFaultsNameTheLaneAndTheAddress) {
    auto offsets = steps(4);
    offsets[11] = 4094;
    addresses(offsets);
    ASSERT_EQ(run("send.ugm (16|M0) r40 r10 null:0 0x0 0x04100580"), Status::faulted);
    const isa::Fault f = t.thread().fault;
    EXPECT_EQ(f.kind, FaultKind::pageFault);
    EXPECT_EQ(f.lane, 11);
    EXPECT_EQ(f.address, base() + 4094);
    EXPECT_EQ(f.bytes, 4u);
    EXPECT_EQ(f.ip, 0x10000u);
    EXPECT_NE(describe(f).find("page fault: 4-byte read"), std::string::npos) << describe(f);
    EXPECT_NE(t.thread().at<std::uint32_t>(isa::layout::kControl + 4) & 1 << 16, 0u);
}

TEST_F(Messages, WritesToReadOnlyMemoryFault) {
    const auto& fixed = t.allocate(64, false);
    t.set(10, std::vector<std::uint64_t>(16, LoneThread::addressOf(fixed)));
    ASSERT_EQ(run("send.ugm (16|M0) r40 r10 null:0 0x0 0x04100580"), Status::done);
    ASSERT_EQ(run("send.ugm (16|M0) null r10 r40:1 0x0 0x04000584"), Status::faulted);
    EXPECT_TRUE(t.thread().fault.write);
}

TEST_F(Messages, MisalignedAtomicsFault) {
    addresses(std::vector<std::uint64_t>(16, 2));
    ASSERT_EQ(run("send.ugm (16|M0) r40 r10 r50:1 0x0 0x0410058C"), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::misaligned);
}

TEST_F(Messages, PrefetchesTouchNothing) {
    addresses(steps(1ull << 40));
    EXPECT_EQ(run("send.ugm (16|M0) null r10 null:0 0x0 0x04000580"), Status::done);
}

TEST_F(Messages, UnsupportedFormsAreRefusedByName) {
    const struct {
        const char* assembly;
        const char* name;
    } cases[] = {
        {"send.smpl (16|M0) r40 r10 null:0 0x0 0x02100000", "send.smpl"},
        {"send.tgm (16|M0) r40 r10 null:0 0x0 0x04100580", "send.tgm"},
        {"(W) mov (1|M0) a0.0<1>:ud 0x62100500:ud\n(W) mov (1|M0) a0.2<1>:ud 0x03000000:ud\n"
         "send.ugm (16|M0) r40 r10 null:0 a0.2 a0.0",
         "binding table"},
        {"send.smpl (16|M0) r40 r10 null:0 0x0 a0.0", "send.smpl"},
        {"send.ugm (16|M0) r40 r10 null:0 0x03000000 0x62100500", "binding table"},
        {"send.dc0 (16|M0) r40 r10 null:0 0x0 0x02110AFF", "send.dc0 of this type"},
        {"(W) send.dc1 (16|M0) r40 r10 null:0 0x0 0x021D1AFF", "send.dc1 other than"},  // sixteens of words
        {"send.gtwy (1|M0) null r10 null:0 0x0 0x02000002", "other than barrier"},
        {"send.ugm (32|M0) null r10 null:0 0x0 0x08000584", "null data"},
        {"(W) send.ugm (1|M0) r40 r10 null:0 0x0 0x02100783", "packs elements of 32 bits or more"},  // d64
        {"(W) send.ugm (1|M0) r40 r10 null:0 0x0 0x02100583", "packs elements of 32 bits or more"},  // d32
        {"(W) send.ugm (1|M0) r40 r10 null:0 0x0 0x02100F83", "block2d of this element size"},
        {"(W) send.ugm (1|M0) r40 r10 null:0 0x0 0x62100503", "block2d of a surface"},
        {"(W) send.ugm (1|M0) null r10 r40:1 0x0 0x02000387", "stores packed"},
        {"(W) send.ugm (1|M0) null r10 r40:1 0x0 0x02008507", "stores packed or transposed"},
        {"send.ugm (16|M0) r40 r10 null:0 0x0 0x04100582", "without components"},
        {"send.ugm (16|M0) r40 r10 null:0 0x0 0x04100F80", "with this element size"},
        {"send.ugm (16|M0) r40 r10 r50:1 0x0 0x0410038C", "atomic on elements of this size"},  // d16
        {"send.ugm (16|M0) r40 r10 r50:1 0x0 0x04100D8C", "atomic on elements of this size"},  // upper halves
        {"send.ugm (16|M0) r40 r10 r50:1 0x0 0x0410158C", "atomic on vectors"},
        {"send.ugm (32|M0) r40 r10 null:0 0x0 0x0820058C", "null data"},
    };
    for (const auto& c : cases) {
        ASSERT_EQ(run(c.assembly), Status::faulted) << c.assembly;
        EXPECT_EQ(t.thread().fault.kind, FaultKind::unsupportedMessage) << c.assembly;
        EXPECT_NE(std::string(t.thread().fault.what).find(c.name), std::string::npos) << t.thread().fault.what;
    }
}

TEST_F(Messages, WhatIsRefusedAccessesNoMemory) {
    t.load(
        assembleProgram("(W) send.ugm (1|M0) r40 r10 null:0 0x0 0x02100783\n"
                        "(W) send.ugm (1|M0) r40 r10 null:0 0x0 0x02100F03\n"
                        "send.ugm (16|M0) r40 r10 null:0 0x0 0x04100582"));
    for (isa::Line line = 0; line < 3; ++line) EXPECT_FALSE(isa::accessOf(t.thread(), line)) << line;
}

TEST_F(Messages, BehindAHeaderInTheLastRegisterThereAreNoAddresses) {
    ASSERT_EQ(run("send.dc1 (16|M0) r40 r255 null:0 0x0 0x061C4E00"), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::illegalInstruction);
}

// A block of 256 x 256 bytes takes as long as tens of thousands of instructions.
constexpr std::int64_t kTurn = 1 << 16;
const std::string kLargeBlock = "(W) send.ugm (1|M0) r40 r10 null:0 0x0 0x02100103\n";
std::vector<std::uint32_t> largeSurface(LoneThread& t) {
    const std::uint64_t at = LoneThread::addressOf(t.allocate(1 << 16));
    const auto high = static_cast<std::uint32_t>(at >> 32);
    return {static_cast<std::uint32_t>(at), high, 255, 255, 255, 0, 0, 0x000fffff};
}

TEST_F(Messages, ManyElementsTakeMuchOfTheQuantum) {
    const std::vector<std::uint32_t> payload = largeSurface(t);
    const std::string& block = kLargeBlock;
    for (const std::string& code : {"L0:\n" + block + "(W) jmpi L0\n", block + block + block + block + block + block}) {
        t.thread().reset();
        t.load(assembleProgram(code));
        t.set(10, payload);
        isa::resume(t.thread(), kTurn);
        EXPECT_EQ(t.thread().status, Status::paused) << code;
        EXPECT_LE(t.thread().executed, 5u) << code;
    }
    while (t.thread().status == Status::paused) isa::resume(t.thread(), kTurn);
    EXPECT_EQ(t.thread().status, Status::done);
    EXPECT_EQ(t.thread().executed, t.program().lineCount());
}

// A pause is invisible to the program: each line is reported once, and a single step ends behind it.
TEST_F(Messages, ManyElementsAreMovedOnce) {
    struct Teller : isa::LineObserver {
        void beforeLine(isa::Thread&, isa::Line) noexcept override { ++told; }
        std::uint32_t told = 0;
    } teller;
    const std::vector<std::uint32_t> payload = largeSurface(t);
    const std::string descriptor = "(W) mov (1|M0) a0.0<1>:ud 0x02100103:ud\n";
    const std::string deferred = "(W) send.ugm (1|M0) r40 r10 null:0 0x0 a0.0\n";
    t.load(assembleProgram(descriptor + kLargeBlock + deferred + kLargeBlock + deferred + kLargeBlock));
    for (isa::Line line = 0; line < t.program().lineCount(); ++line) t.program().watch(line, teller);
    t.set(10, payload);
    std::uint32_t pauses = 0;
    for (isa::resume(t.thread(), kTurn); t.thread().status == Status::paused; ++pauses) isa::resume(t.thread(), kTurn);
    EXPECT_EQ(t.thread().status, Status::done);
    EXPECT_GE(pauses, 2u);
    EXPECT_EQ(teller.told, t.program().lineCount());

    t.thread().reset();
    t.load(assembleProgram(descriptor + kLargeBlock + deferred));
    t.set(10, payload);
    for (isa::Line line = 1; line < 4; ++line) {
        t.thread().at<std::uint32_t>(isa::layout::kControl + 4) |= 1u << 31;
        isa::resume(t.thread(), 1);
        EXPECT_EQ(t.thread().status, Status::breakpoint) << line;
        EXPECT_EQ(t.thread().ip(), t.program().ipOf(line));
    }
}

TEST_F(Messages, AtomicsAndVectorsOfManyLanesTakeMoreOfTheQuantum) {
    const auto executedOf = [&](const char* message) {
        t.thread().reset();
        t.load(assembleProgram("L0:\n" + std::string(message) + "\n(W) jmpi L0\n"), ~0u);
        t.set(10, std::vector<std::uint64_t>(32, base()));
        isa::resume(t.thread(), 10000);
        EXPECT_EQ(t.thread().status, Status::paused) << message;
        return t.thread().executed;
    };
    EXPECT_GE(executedOf("send.ugm (32|M0) r40 r10 null:0 0x0 0x08200580"), 10000u);
    EXPECT_LE(executedOf("send.ugm (32|M0) r40 r10 null:0 0x0 0x08804780"), 1000u);  // eight qwords each
    EXPECT_LE(executedOf("send.ugm (32|M0) null r10 r50:2 0x0 0x0800058C"), 1000u);  // additions
    EXPECT_LE(executedOf("(W) mov (1|M0) a0.0<1>:ud 0x0800058C:ud\n"
                         "send.ugm (32|M0) null r10 r50:2 0x0 a0.0"),
              1000u);
}

TEST_F(Messages, TrafficIsCounted) {
    addresses(steps(4));
    ASSERT_EQ(
        run("send.ugm (16|M0) r40 r10 null:0 0x0 0x04100580\nsend.ugm (16|M0) null r10 r40:1 0x0 0x04000584", 0x00ff),
        Status::done);
    EXPECT_EQ(t.thread().traffic.globalRead, 32u);
    EXPECT_EQ(t.thread().traffic.globalWritten, 32u);
}

}  // namespace
}  // namespace zetl::test
