// Code whose waits are complete, and the same code with one of them taken out.
#include "emulator/check/missing_waits.h"

#include <gtest/gtest.h>

#include <string>

#include "assembler.h"

namespace zetl::test {
namespace {

using emulator::check::MissingWait;
using emulator::check::missingWaits;
using What = MissingWait::What;

std::vector<MissingWait> waitsMissingIn(const std::string& assembly) {
    return missingWaits(*emulator::isa::lower(assembleProgram(assembly)));
}

/// In the text, WAIT stands for the annotation that has to be there.
struct Waits {
    const char* name;
    const char* wait;
    const char* code;
    What what;
    std::uint32_t line;
    std::uint32_t other;
    std::uint32_t token;
    std::uint32_t registerNumber;
};

constexpr Waits kWaits[] = {
    {"a load's answer is read", "{$3.dst}",
     "send.ugm (16|M0) r12 r8 null:0 0x0 0x04100580 {$3}\n"
     "add (16|M0) r20.0<1>:d r12.0<1;1,0>:d 1:w WAIT\n",
     What::readsUnwritten, 1, 0, 3, 12},
    {"a load's answer is overwritten", "{$3.dst}",
     "send.ugm (16|M0) r12 r8 null:0 0x0 0x04100580 {$3}\n"
     "mov (16|M0) r12.0<1>:d 1:w WAIT\n",
     What::writesUnwritten, 1, 0, 3, 12},
    {"a load's addresses are overwritten", "{$3.src}",
     "send.ugm (16|M0) r12 r8 null:0 0x0 0x04100580 {$3}\n"
     "mov (16|M0) r9.0<1>:d 1:w WAIT\n",
     What::overwritesUnread, 1, 0, 3, 9},
    {"a store's data are overwritten", "{$31.src}",
     "send.ugm (16|M0) null r8 r20:1 0x0 0x04000584 {$31}\n"
     "mov (16|M0) r20.0<1>:d 1:w WAIT\n",
     What::overwritesUnread, 1, 0, 31, 20},
    {"a function's result is read", "{$5.dst}",
     "math.inv (16|M0) r12.0<1>:f r8.0<1;1,0>:f {$5}\n"
     "add (16|M0) r20.0<1>:f r12.0<1;1,0>:f r30.0<1;1,0>:f WAIT\n",
     What::readsUnwritten, 1, 0, 5, 12},
    {"a message sends a load's answer", "{$3.dst}",
     "send.ugm (16|M0) r12 r8 null:0 0x0 0x04100580 {$3}\n"
     "sync.nop null WAIT\n"
     "send.ugm (16|M0) null r8 r12:1 0x0 0x04000584 {$4}\n",
     What::readsUnwritten, 2, 0, 3, 12},
    {"behind a branch", "{$3.dst}",
     "send.ugm (16|M0) r12 r8 null:0 0x0 0x04100580 {$3}\n"
     "(W&f0.0) jmpi L1\n"
     "sync.nop null {$3.dst}\n"
     "L1:\nadd (16|M0) r20.0<1>:d r12.0<1;1,0>:d 1:w WAIT\n",
     What::readsUnwritten, 3, 0, 3, 12},
    {"in the next round of a loop", "{$3.src}",
     "L1:\nmov (16|M0) r8.0<1>:d 1:w WAIT\n"
     "send.ugm (16|M0) null r8 r20:1 0x0 0x04000584 {$3}\n"
     "(W&f0.0) jmpi L1\n",
     What::overwritesUnread, 0, 1, 3, 8},
};

std::string with(const Waits& one, const std::string& wait) {
    std::string code = one.code;
    const std::string word = "WAIT";
    return code.replace(code.find(word), word.size(), wait);
}

TEST(MissingWaits, AreFoundWhereAWaitIsTakenOut) {
    for (const Waits& one : kWaits) {
        EXPECT_TRUE(waitsMissingIn(with(one, one.wait)).empty()) << one.name;
        const auto found = waitsMissingIn(with(one, ""));
        ASSERT_EQ(found.size(), 1u) << one.name;
        EXPECT_EQ(found[0].what, one.what) << one.name;
        EXPECT_EQ(found[0].line, one.line) << one.name;
        EXPECT_EQ(found[0].other, one.other) << one.name;
        EXPECT_EQ(found[0].token, one.token) << one.name;
        EXPECT_EQ(found[0].registerNumber, one.registerNumber) << one.name;
    }
}

TEST(MissingWaits, AWaitForAnotherTokenIsNone) {
    for (const Waits& one : kWaits) EXPECT_EQ(waitsMissingIn(with(one, "{$9.dst}")).size(), 1u) << one.name;
}

TEST(MissingWaits, WhoeverTakesATokenWaitsForItsLastUse) {
    EXPECT_TRUE(waitsMissingIn("send.ugm (16|M0) r12 r8 null:0 0x0 0x04100580 {$3}\n"
                               "send.ugm (16|M0) r14 r8 null:0 0x0 0x04100580 {$3}\n"
                               "mov (16|M0) r20.0<1>:d r12.0<1;1,0>:d\n")
                    .empty());
}

TEST(MissingWaits, OneWaitMayStandForAll) {
    const std::string loads =
        "send.ugm (16|M0) r12 r8 null:0 0x0 0x04100580 {$3}\n"
        "send.ugm (16|M0) r14 r8 null:0 0x0 0x04100580 {$4}\n";
    const std::string reads =
        "mov (16|M0) r20.0<1>:d r12.0<1;1,0>:d\n"
        "mov (16|M0) r22.0<1>:d r14.0<1;1,0>:d\n";
    EXPECT_EQ(waitsMissingIn(loads + reads).size(), 2u);
    EXPECT_EQ(waitsMissingIn(loads + "sync.allrd null\n" + reads).size(), 2u);
    EXPECT_TRUE(waitsMissingIn(loads + "sync.allwr null\n" + reads).empty());
    EXPECT_EQ(waitsMissingIn(loads + "sync.allwr 0x8:ud\n" + reads).size(), 1u) << "of token 3 alone";
}

TEST(MissingWaits, AMoveToNowhereNeedsNone) {
    const std::string load = "send.ugm (16|M0) r12 r8 null:0 0x0 0x04100580 {$3}\n";
    EXPECT_TRUE(waitsMissingIn(load + "(W) mov (1|M0) null<1>:ud r12.0<0;1,0>:ud\n").empty());
    EXPECT_EQ(waitsMissingIn(load + "(W) mov (1|M0) (ne)f0.0 null<1>:ud r12.0<0;1,0>:ud\n").size(), 1u) << "its flags";
}

TEST(MissingWaits, OtherRegistersNeedNone) {
    EXPECT_TRUE(waitsMissingIn("send.ugm (16|M0) r12 r8 null:0 0x0 0x04100580 {$3}\n"
                               "mov (16|M0) r13.0<1>:d r11.0<1;1,0>:d\n"
                               "mov (16|M0) r20.0<1>:d r8.0<1;1,0>:d\n")
                    .empty());
}

}  // namespace
}  // namespace zetl::test
