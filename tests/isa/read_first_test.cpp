// Which registers a program may read before it writes them: what need not be cleared for the next thread.
#include <gtest/gtest.h>

#include "assembler.h"
#include "emulator/isa/program.h"
#include "emulator/isa/state_layout.h"

namespace zetl::test {
namespace {

namespace isa = emulator::isa;
namespace layout = isa::layout;

bool placeReadFirst(const std::string& assembly, std::uint32_t place, std::uint32_t lanes = 32) {
    return isa::lower(assembleProgram(assembly))->readFirst(0, lanes).contains(place);
}
bool readsFirst(const std::string& assembly, unsigned grf, std::uint32_t lanes = 32) {
    return placeReadFirst(assembly, layout::kGrf + grf * layout::kRegisterBytes, lanes);
}

constexpr const char* kCopies =
    "mov (32|M0) r20.0<1>:d r10.0<1;1,0>:d\n"
    "add (32|M0) r30.0<1>:d r20.0<1;1,0>:d 1:w\n";

TEST(ReadFirst, IsWhatWasNotWritten) {
    EXPECT_TRUE(readsFirst(kCopies, 10));
    EXPECT_TRUE(readsFirst(kCopies, 11));
    EXPECT_FALSE(readsFirst(kCopies, 12));
    EXPECT_FALSE(readsFirst(kCopies, 20));
    EXPECT_FALSE(readsFirst(kCopies, 21));
    EXPECT_FALSE(readsFirst(kCopies, 30));
}

TEST(ReadFirst, WhoReadsWithoutMaskSeesLanesThatMayBeOff) {
    const std::string write = "mov (32|M0) r20.0<1>:d 0:w\n";
    const std::string read = "(W) mov (32|M0) r30.0<1>:d r20.0<1;1,0>:d";
    EXPECT_TRUE(readsFirst(write + read, 20, 0));
    EXPECT_TRUE(readsFirst(write + read, 20, 16));
    EXPECT_FALSE(readsFirst(write + read, 20, 32));
    EXPECT_FALSE(readsFirst("(W) mov (16|M0) r20.0<1>:d 0:w\n(W) mov (16|M0) r30.0<1>:d r20.0<1;1,0>:d", 20, 0));
}

TEST(ReadFirst, ALaneSeesWhatItHasWritten) {
    EXPECT_FALSE(readsFirst(kCopies, 20, 0));
    const std::string write = "mov (16|M0) r20.0<1>:d 0:w\n";
    EXPECT_TRUE(readsFirst(write + "mov (16|M0) r30.0<1>:d r20.0<0;1,0>:d", 20, 0)) << "lane 1 sees lane 0's";
    EXPECT_TRUE(readsFirst(write + "mov (16|M16) r30.0<1>:d r20.0<1;1,0>:d", 20, 0)) << "lane 16 sees lane 0's";
    EXPECT_TRUE(readsFirst(write + "mov (16|M0) r30.0<1>:d r20.1<1;1,0>:d", 20, 0)) << "lane 0 sees lane 1's";
    EXPECT_FALSE(readsFirst(write + "mov (16|M0) r30.0<1>:uw r20.0<2;1,0>:uw", 20, 0));
}

TEST(ReadFirst, PartsAndPredicatesDoNotWriteTheWhole) {
    const std::string read = "mov (16|M0) r30.0<1>:ud r20.0<1;1,0>:ud";
    EXPECT_TRUE(readsFirst("mov (16|M0) r20.0<1>:uw 0:w\n" + read, 20));
    EXPECT_TRUE(readsFirst("(f0.0) mov (16|M0) r20.0<1>:ud 0:w\n" + read, 20));
    EXPECT_FALSE(readsFirst("mov (16|M0) r20.0<1>:ud 0:w\n" + read, 20));
    EXPECT_FALSE(readsFirst("mov (16|M0) r20.0<1>:uw 0:w\nmov (16|M0) r20.16<1>:uw 0:w\n" + read, 20));
}

TEST(ReadFirst, WhatIsWrittenOnOneWayOnlyDoesNotCount) {
    const std::string branch = "(f0.0) goto (16|M0) L1 L1\n";
    const std::string write = "mov (16|M0) r20.0<1>:d 0:w\n";
    const std::string meet = "L1:\njoin (16|M0) L2\nL2:\n";
    const std::string read = "mov (16|M0) r30.0<1>:d r20.0<1;1,0>:d";
    EXPECT_TRUE(readsFirst(branch + write + meet + read, 20));
    EXPECT_TRUE(readsFirst(branch + "(W) " + write + meet + read, 20));
    EXPECT_FALSE(readsFirst(branch + meet + write + read, 20));
    EXPECT_FALSE(readsFirst(write + branch + meet + read, 20));
}

TEST(ReadFirst, BehindABranchLanesMayBeOff) {
    const std::string branch = "(f0.0) goto (16|M0) L1 L1\nL1:\njoin (16|M0) L2\nL2:\n";
    const std::string write = "mov (16|M0) r20.0<1>:d 0:w\n";
    const std::string read = "(W) mov (16|M0) r30.0<1>:d r20.0<1;1,0>:d";
    EXPECT_TRUE(readsFirst(branch + write + read, 20, 16));
    EXPECT_FALSE(readsFirst(write + branch + read, 20, 16));
    EXPECT_FALSE(readsFirst("(W&f0.0) jmpi L1\nL1:\n" + write + read, 20, 16)) << "all of them jump, or none";
}

TEST(ReadFirst, ALoopComesBackWithLess) {
    const std::string head = "mov (16|M0) r20.0<1>:d 0:w\nL0:\n";
    const std::string read = "mov (16|M0) r30.0<1>:d r20.0<1;1,0>:d\n";
    EXPECT_FALSE(readsFirst(head + read + "(W&f0.0) jmpi L0\n" + read, 20));
    EXPECT_TRUE(readsFirst("(W&f1.0) jmpi L0\n" + head + read + "(W&f0.0) jmpi L0\n" + read, 20));
}

TEST(ReadFirst, WaysThatMeetHaveWhatAllHave) {
    const std::string write = "mov (16|M0) r20.0<1>:d 0:w\n";
    const std::string read = "mov (16|M0) r30.0<1>:d r20.0<1;1,0>:d";
    const std::string apart = "(W&f0.0) jmpi L1\n" + write + "(W) jmpi L2\nL1:\n";
    EXPECT_TRUE(readsFirst(apart + "(W) mov (1|M0) r40.0<1>:d 0:w\nL2:\n" + read, 20));
    EXPECT_TRUE(readsFirst(apart + "(W) mov (16|M0) r20.0<1>:d 0:w\nL2:\n(W) " + read, 20, 0));
    EXPECT_FALSE(readsFirst(apart + "(W) mov (16|M0) r20.0<1>:d 0:w\nL2:\n" + read, 20, 0));
    EXPECT_TRUE(readsFirst(apart + "mov (16|M16) r20.0<1>:d 0:w\nL2:\n" + read, 20, 0));
}

TEST(ReadFirst, WhatComesBackToALoopIsFollowedOnceMore) {
    const std::string apart = "(f0.0) goto (16|M0) L2 L2\nL2:\njoin (16|M0) L3\nL3:\n";
    const std::string begin = "L0:\nmov (16|M0) r20.0<1>:d 0:w\n(W&f1.0) jmpi L1\nL1:\n";
    const std::string read = "(W) mov (16|M0) r30.0<1>:d r20.0<1;1,0>:d\n";
    EXPECT_TRUE(readsFirst(begin + read + apart + "(W&f0.0) jmpi L0\n", 20, 16));
    EXPECT_FALSE(readsFirst(begin + read + "(W&f0.0) jmpi L0\n" + apart, 20, 16));
}

TEST(ReadFirst, AWayBackFromBehindHasLess) {
    const std::string write = "mov (16|M0) r20.0<1>:d 0:w\n";
    const std::string read = "mov (16|M0) r30.0<1>:d r20.0<1;1,0>:d\n";
    EXPECT_TRUE(readsFirst(
        "(W&f0.0) jmpi L3\n" + write + "L1:\n(W&f1.0) jmpi L2\nL2:\n" + read + "(W) jmpi L4\nL3:\n(W) jmpi L1\nL4:\n",
        20));
}

TEST(ReadFirst, LanesThatLeaveMayGoToEitherTarget) {
    const std::string write = "mov (16|M0) r20.0<1>:d 0:w\n";
    const std::string read = "mov (16|M0) r30.0<1>:d r20.0<1;1,0>:d\n";
    for (const char* const targets : {"L1 L2", "L2 L1"})
        EXPECT_TRUE(readsFirst("(f0.0) goto (16|M0) " + std::string(targets) + "\nL1:\njoin (16|M0) L2\n" + write +
                                   "L2:\njoin (16|M0) L3\nL3:\n" + read,
                               20));
}

TEST(ReadFirst, OnlyLanesThatThereAreHaveWritten) {
    const std::string read = "(W) mov (16|M0) r30.0<1>:d r20.0<1;1,0>:d";
    EXPECT_TRUE(readsFirst("mov (16|M16) r20.0<1>:d 0:w\n" + read, 20, 16));
    EXPECT_FALSE(readsFirst("mov (16|M16) r20.0<1>:d 0:w\n" + read, 20, 32));
}

TEST(ReadFirst, WhereACallLeadsIsNotFollowed) {
    EXPECT_TRUE(
        readsFirst("mov (16|M0) r20.0<1>:d 0:w\ncall (16|M0) r40.0<1>:ud 16\n"
                   "mov (16|M0) r30.0<1>:d r20.0<1;1,0>:d",
                   20));
}

TEST(ReadFirst, AnAddressInARegisterMayBeAny) {
    EXPECT_TRUE(readsFirst("mov (16|M0) r20.0<1>:d r[a0.0]<1;1,0>:d", 77));
    EXPECT_TRUE(placeReadFirst("mov (16|M0) r20.0<1>:d r[a0.0]<1;1,0>:d", layout::kAddress));
    EXPECT_FALSE(placeReadFirst(kCopies, layout::kAddress));
}

TEST(ReadFirst, FlagsAndAccumulatorsCountAsRead) {
    EXPECT_FALSE(placeReadFirst(kCopies, layout::kFlags));
    EXPECT_TRUE(placeReadFirst("(f0.0) mov (16|M0) r20.0<1>:ud 0:w", layout::kFlags));
    EXPECT_FALSE(placeReadFirst(kCopies, layout::kAccumulator));
    EXPECT_TRUE(placeReadFirst("mach (16|M0) r20.0<1>:d r10.0<1;1,0>:d r11.0<1;1,0>:d", layout::kAccumulator));
}

TEST(ReadFirst, AMessageReadsItsPayloadAndWritesItsAnswer) {
    const std::string load = "send.ugm (16|M0) r20 r10 null:0 0x0 0x04100580\nmov (16|M0) r30.0<1>:d r20.0<1;1,0>:d";
    EXPECT_TRUE(readsFirst(load, 10));
    EXPECT_TRUE(readsFirst(load, 11));
    EXPECT_FALSE(readsFirst(load, 20));
    EXPECT_FALSE(readsFirst(load, 20, 0));
    EXPECT_TRUE(readsFirst(load + "\n(W) mov (16|M0) r30.0<1>:d r20.0<1;1,0>:d", 20, 0));
    const std::string addresses = "mov (8|M0) r10.0<1>:q 0:w\nmov (8|M8) r11.0<1>:q 0:w\n";
    EXPECT_FALSE(readsFirst(addresses + load, 10, 0));
    EXPECT_FALSE(readsFirst(addresses + load, 11, 0));
    EXPECT_TRUE(readsFirst("mov (8|M8) r10.0<1>:q 0:w\n" + load, 10, 0)) << "another lane's";
}

TEST(ReadFirst, AVectorLoadWritesAllItsComponents) {
    const std::string load = "send.slm (32|M0) r21 r52 null:0 0x0 0x04803500\n";  // four dwords a lane
    for (unsigned number = 21; number < 29; ++number) {
        const std::string from = "r" + std::to_string(number) + ".0";
        EXPECT_FALSE(readsFirst(load + "mov (16|M0) r60.0<1>:ud " + from + "<1;1,0>:ud", number, 32)) << from;
    }
    EXPECT_TRUE(readsFirst(load + "mov (16|M0) r60.0<1>:ud r29.0<1;1,0>:ud", 29, 32));
}

TEST(ReadFirst, AStoreReadsNoMoreThanItsLanesSend) {
    const std::string store = "send.ugm (32|M0) null r22 r40:2 0x0 0x08000584";  // a dword a lane
    EXPECT_TRUE(readsFirst(store, 22));
    EXPECT_TRUE(readsFirst(store, 25));
    EXPECT_FALSE(readsFirst(store, 26));
    EXPECT_TRUE(readsFirst(store, 40));
    EXPECT_TRUE(readsFirst(store, 41));
    EXPECT_FALSE(readsFirst(store, 42));
    EXPECT_TRUE(readsFirst("send.slm (16|M0) null r22 r40:2 0x0 0x04001504", 41)) << "two dwords a lane";
}

TEST(ReadFirst, AMessageOfOneLaneReadsItsElements) {
    const std::string store = "(W) send.slm (1|M0) null r10 r24:1 0x0 0x02008504";
    EXPECT_TRUE(readsFirst(store, 10));
    EXPECT_FALSE(readsFirst(store, 11));
    EXPECT_TRUE(readsFirst(store, 24));
    EXPECT_FALSE(readsFirst(store, 25));
    const std::string given = "(W) mov (1|M0) r10.0<1>:ud 0:w\n(W) mov (1|M0) r24.0<1>:ud 0:w\n";
    EXPECT_FALSE(readsFirst(given + store, 10));
    EXPECT_FALSE(readsFirst(given + store, 24));
}

TEST(Written, ACallWritesTwoDwords) {
    const auto written = isa::lower(assembleProgram("call (16|M0) r20.15<1>:ud 16"))->written();
    EXPECT_TRUE(written.contains(layout::kGrf + 20 * layout::kRegisterBytes));
    EXPECT_TRUE(written.contains(layout::kGrf + 21 * layout::kRegisterBytes));
    EXPECT_FALSE(written.contains(layout::kGrf + 22 * layout::kRegisterBytes));
}

TEST(ReadFirst, NothingIsKnownWhereNoInstructionBegins) {
    const auto program = isa::lower(assembleProgram(kCopies));
    EXPECT_TRUE(program->readFirst(4, 32).contains(layout::kGrf + 200 * layout::kRegisterBytes));
}

}  // namespace
}  // namespace zetl::test
