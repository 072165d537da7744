// Lines of which one leaves in a register of the host, or in a mask, what another reads: in lockstep.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lone_thread.h"

namespace zetl::test {
namespace {

void check(const std::string& text, std::uint32_t lanes = 0xffff) {
    SCOPED_TRACE(text);
    LoneThread t;
    t.load(assembleProgram(text), lanes);
    for (std::uint32_t at = 4 * 64; at < 128 * 64; at += 4)
        t.thread().at<std::uint32_t>(at) = at * 0x01030507u | 0x10001;
    EXPECT_EQ(t.resume(), isa::Status::done);
}

const std::string kNoFlag = "(W) mov (1|M0) f0.0<1>:ud 0x0:ud\n";
const std::string kWhereFlag = "(f0.0) mov (16|M0) r21.0<1>:d 2:w\n";

TEST(LinesTogether, FlagsThatSeveralLanesWroteArePredicates) {
    for (const char* const write : {
             "(W) and (2|M0) f0.0<1>:ud r10.0<1;1,0>:ud r12.0<1;1,0>:ud\n",
             "(W) mov (2|M0) f0.0<2>:uw r10.0<1;1,0>:uw\n",
             "(W) mov (2|M0) f0.0<1>:uw r10.0<1;1,0>:uw\n",
             "(W) mov (4|M0) f0.0<1>:ud r10.0<1;1,0>:ud\n",
             "(W) mov (4|M0) f0.0<1>:uw r10.0<1;1,0>:uw\n",
             "(W) mov (4|M0) f0.0<1>:ub r10.0<1;1,0>:ub\n",
             "(W) mov (4|M0) f0.0<2>:ub r10.0<1;1,0>:ub\n",
             "(W) mov (2|M0) f0.0<1>:uq r10.0<1;1,0>:uq\n",
             "(W) add (8|M0) f0.0<1>:uw r10.0<1;1,0>:uw r12.0<1;1,0>:uw\n",
             "mov (4|M0) f0.0<1>:ud r10.0<1;1,0>:ud\n",
             "mov (2|M0) f0.0<2>:uw r10.0<1;1,0>:uw\n",
         })
        for (const std::uint32_t lanes : {0xffffu, 0xffu, 0x3u, 0x5u}) {
            check(kNoFlag + write + kWhereFlag, lanes);
            check(kNoFlag + "(f0.0) mov (16|M0) r20.0<1>:d 1:w\n" + write + kWhereFlag, lanes);
            check(kNoFlag + write + "cmp (8|M0) (eq)f0.0 null<1>:d r10.0<1;1,0>:d r11.0<1;1,0>:d\n" + kWhereFlag,
                  lanes);
            check(kNoFlag + write + "(f0.0) sel (16|M0) r21.0<1>:d r10.0<1;1,0>:d r12.0<1;1,0>:d\n", lanes);
            check(kNoFlag + write + "(W) and (1|M0) r22.0<1>:ud f0.0<0;1,0>:ud f0.1<0;1,0>:uw\n", lanes);
        }
}

TEST(LinesTogether, ElementsAcrossTheEndOfTheRegistersAreOfTheAccumulatorToo) {
    const std::string accumulator = "mov (16|M0) acc0.0<1>:f r10.0<1;1,0>:f\n";
    const std::string address = "(W) mov (1|M0) a0.0<1>:uw 0x3ffe:uw\n";
    check(accumulator + address + "(W) mov (1|M0) r[a0.0]<1>:ud r12.0<0;1,0>:ud\n");
    check(accumulator + address + "(W) mov (1|M0) r20.0<1>:ud r[a0.0]<0;1,0>:ud\n");
    check(accumulator + "(W) mov (16|M0) a0.0<1>:uw 0x3ffe:uw\nmov (16|M0) r20.0<1>:ud r[a0.0]<1,0>:ud\n");
    check(accumulator + "(W) mov (1|M0) a0.0<1>:uw 0x3ff9:uw\n(W) mov (1|M0) r[a0.0]<1>:uq r12.0<0;1,0>:uq\n");
}

// A branch without mask turns on lanes that a join does not wake.
TEST(LinesTogether, AJoinWakesNoLaneBeyondTheCallMask) {
    for (const std::uint32_t lanes : {0xffu, 0x0fu, 0xf0f0u})
        for (const char* const taken : {"0xffff", "0xff", "0x0"})
            check(fmt::format("(W) mov (1|M0) f0.0<1>:ud 0x0:ud\n(W) mov (1|M0) f1.0<1>:ud {}:ud\n"
                              "(W&f0.0) goto (16|M0) L1 L1\n"
                              "(f1.0) goto (16|M0) L1 L1\n"
                              "mov (16|M0) r40.0<1>:d 1:w\n"
                              "L1:\njoin (16|M0) L2\n"
                              "L2:\nmov (16|M0) r41.0<1>:d 7:w\n",
                              taken),
                  lanes);
}

TEST(LinesTogether, PairsOfQwordsAreStoredByTheLanesThatAreOn) {
    for (const std::uint32_t lanes : {0xffff00ffu, 0x0000ff00u, 0x12345678u})
        for (const char* const before : {"", "mov (32|M0) r40.0<1>:d r42.0<1;1,0>:d\n"}) {
            SCOPED_TRACE(fmt::format("{:x} {}", lanes, before));
            LoneThread t;
            auto& memory = t.allocate(4096, true);
            t.load(assembleProgram(std::string(before) + "send.ugm (32|M0) null r12 r60:8 0x0 0x08001784\n"), lanes);
            std::vector<std::uint64_t> addresses(32);
            std::vector<std::uint64_t> data(64);
            for (std::uint64_t i = 0; i < data.size(); ++i) data[i] = 0x1111111100000001 + i;
            for (std::uint64_t i = 0; i < addresses.size(); ++i) addresses[i] = LoneThread::addressOf(memory) + 16 * i;
            t.set(12, addresses);
            t.set(60, data);
            EXPECT_EQ(t.resume(), isa::Status::done);
        }
}

TEST(LinesTogether, ShiftedNegativeQwordsAreMultipliedWhole) {
    for (const int by : {1, 4, 31, 32, 33}) {
        LoneThread t;
        t.load(assembleProgram(fmt::format("mov (16|M0) r40.0<1>:q r10.0<1;1,0>:d\n"
                                           "shr (16|M0) r44.0<1>:uq r40.0<1;1,0>:uq {}:w\n"
                                           "mul (16|M0) r48.0<1>:q r44.0<1;1,0>:q 3:w\n",
                                           by)),
               0xffff);
        std::vector<std::int32_t> values(16);
        for (int i = 0; i < 16; ++i) values[static_cast<std::size_t>(i)] = i % 2 != 0 ? -i * 100000 : i * 77777;
        t.set(10, values);
        EXPECT_EQ(t.resume(), isa::Status::done) << by;
    }
}

}  // namespace
}  // namespace zetl::test
