// What a line reads by the address register, as far as the lines before it say where that points to.
#include "emulator/translate/plan/indirect_reads.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "emulator/isa/program.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kIndirectBase = 0x10000;
/// The last line of each program here: a shuffle, as compilers write it.
constexpr const char* kShuffle = "mov (16|M0) r40.0<1>:ud r[a0.0]<1,0>:ud\n";

using Places = std::optional<std::pair<std::uint32_t, std::uint32_t>>;

/// The bytes of registers that the only indirect line of a program reads, from the first to behind the last.
Places readsOf(const std::string& text) {
    const auto program = isa::lower(assembleProgram(text), {.base = kIndirectBase});
    const auto& code = program->code();
    const auto found = emulator::translate::indirectReads(code, emulator::translate::surveyFrom(code, 0));
    if (found.empty()) return {};
    const isa::LaneBytes& bytes = found.begin()->second;
    return std::pair(bytes.begin, bytes.end);
}
Places reads(std::uint32_t begin, std::uint32_t end) { return std::pair(begin, end); }

/// Lanes of one register, a dword each, by the bytes in r36.
const std::string kOneRegister = std::string("add (16|M0) a0.0<1>:uw r36.0<1;1,0>:uw 0x180:uw\n") + kShuffle;
const std::string kLaneIds = "(W) mov (8|M0) r23.0<1>:w 0x76543210:v\n(W) add (8|M0) r23.8<1>:w r23.0<1;1,0>:w 8:w\n";
const std::string kToBytes = "shl (16|M0) r36.0<1>:uw r34.0<2;1,0>:uw 2:uw\n";

TEST(IndirectReads, FollowFromConstantsAndMasks) {
    EXPECT_EQ(readsOf(std::string("(W) mov (16|M0) a0.0<1>:uw 128:uw\n") + kShuffle), reads(128, 132));
    EXPECT_EQ(readsOf("and (16|M0) r34.0<1>:ud r20.0<1;1,0>:ud 15:uw\n" + kToBytes + kOneRegister), reads(384, 448));
    EXPECT_EQ(readsOf("mov (16|M0) r34.0<1>:d r20.0<1;1,0>:ub\n" + kToBytes + kOneRegister), reads(384, 1408));
    EXPECT_EQ(readsOf(kLaneIds + "xor (16|M0) r34.0<1>:d r23.0<1;1,0>:uw 5:w\n" + kToBytes + kOneRegister),
              reads(384, 448));
    EXPECT_EQ(readsOf("(W) shr (1|M0) r10.0<1>:ud r11.0<0;1,0>:ud 30:w\n"
                      "(W) shl (1|M0) a0.3<1>:uw r10.0<0;1,0>:uw 6:w\n"
                      "mov (16|M0) r40.0<1>:ud r[a0.3,256]<1;1,0>:ud\n"),
              reads(256, 512));
}

TEST(IndirectReads, AreAnyWhereItCannotBeTold) {
    EXPECT_EQ(readsOf(kShuffle), Places());
    EXPECT_EQ(readsOf(kOneRegister), Places()) << "what a thread begins with";
    EXPECT_EQ(readsOf("mov (16|M0) r36.0<1>:uw r20.0<1;1,0>:uw\n" + kOneRegister), Places());
    EXPECT_EQ(readsOf("mov (16|M0) r34.0<1>:d r20.0<1;1,0>:b\n" + kToBytes + kOneRegister), Places()) << "negative";
    EXPECT_EQ(readsOf("mov (16|M0) r36.0<1>:uw -4:w\n" + kOneRegister), Places());
    EXPECT_EQ(readsOf("and (16|M0) r34.0<1>:ud r20.0<1;1,0>:ud 15:uw\n"
                      "send.ugm (16|M0) r34 r60 null:0 0x0 0x04100580\n" +
                      kToBytes + kOneRegister),
              Places());
    EXPECT_EQ(readsOf("mov (16|M0) r36.0<1>:uw 4:uw\nmov (8|M0) r[a0.0]<1>:uw 9:uw\n" + kOneRegister), Places());
    EXPECT_EQ(readsOf("mov (16|M0) r36.0<1>:uw 0x8000:uw\n" + kOneRegister), Places()) << "round the end";
}

TEST(IndirectReads, AreThoseOfAllWays) {
    const std::string small = "(W) mov (16|M0) r36.0<1>:uw 4:uw\n";
    const std::string large = "(W) mov (16|M0) r36.0<1>:uw 128:uw\n";
    const std::string unknown = "(W) mov (16|M0) r36.0<1>:uw r20.0<1;1,0>:uw\n";
    EXPECT_EQ(readsOf(small + "(W&f0.0) jmpi L\n" + large + "L:\n" + kOneRegister), reads(388, 516));
    EXPECT_EQ(readsOf(small + "(f0.0) " + large.substr(4) + kOneRegister), reads(388, 516));
    EXPECT_EQ(readsOf(unknown + small + kOneRegister), reads(388, 392));
    EXPECT_EQ(readsOf(small + "Top:\n" + kOneRegister + unknown + "(W&f0.0) jmpi Top\n"), Places());
}

TEST(IndirectReads, OfLoopsAreKnownWhereNumbersDoNotGrow) {
    const auto loop = [](const std::string& step) {
        return "(W) mov (16|M0) r34.0<1>:ud 8:uw\nTop:\n" + kToBytes + kOneRegister + step + "(W&f0.0) jmpi Top\n";
    };
    EXPECT_EQ(readsOf(loop("(W) shr (16|M0) r34.0<1>:ud r34.0<1;1,0>:ud 1:w\n")), reads(384, 420));
    EXPECT_EQ(readsOf(loop("(W) mov (16|M0) r34.0<1>:ud r34.1<1;1,0>:ud\n")), Places());
    EXPECT_EQ(readsOf(loop("(W) add (16|M0) r34.0<1>:ud r34.0<1;1,0>:ud 1:w\n")), Places());
    EXPECT_EQ(readsOf(loop("(W) shl (16|M0) r34.0<1>:ud r34.0<1;1,0>:ud 1:w\n")), Places());
}

/// Lanes that were off did not write.
TEST(IndirectReads, OfLanesThatWereOffAreThoseOfBefore) {
    const std::string before = "(W) mov (16|M0) r36.0<1>:uw 128:uw\n";
    const std::string own = "mov (16|M0) r36.0<1>:uw 4:uw\n";
    const std::string meet = "L:\njoin (16|M0) E\nE:\n";
    EXPECT_EQ(readsOf(before + own + kOneRegister), reads(388, 392));
    EXPECT_EQ(readsOf(before + "(f0.0) goto (16|M0) L L\n" + own + meet + kOneRegister), reads(388, 516));
    EXPECT_EQ(readsOf("(f0.0) goto (16|M0) L L\n" + before + own + meet + kOneRegister), Places())
        << "lanes that were off have what was written without mask";
    EXPECT_EQ(readsOf(before + own + "(W) " + kOneRegister), reads(388, 516)) << "whatever lanes are on";
    EXPECT_EQ(readsOf(own + "(W) " + kOneRegister), Places());
}

}  // namespace
}  // namespace zetl::test
