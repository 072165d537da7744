// dpas beyond what compilers emit: no C, lanes that are off, what is refused. The kernel corpus has the products.
#include <gtest/gtest.h>

#include "lone_thread.h"

namespace zetl::test {
namespace {

using isa::FaultKind;
using isa::Status;

TEST(Systolic, WithoutCTheSumStartsAtZeroAndLanesThatAreOffKeepTheirs) {
    LoneThread t;
    t.set(20, std::vector<std::uint8_t>(8 * 64, 3));
    t.set(30, std::vector<std::uint8_t>(8 * 32, 2));
    t.set(40, std::vector<std::int32_t>(16 * 9, 7));
    ASSERT_EQ(t.run(assembleProgram("dpas.8x8 (16|M0) r40:d null:d r20:b r30.0:b"), 0xfffe), Status::done);
    for (std::uint32_t row = 0; row < 8; ++row) {
        EXPECT_EQ(t.scalar<std::int32_t>(40 + row, 0), 7);
        EXPECT_EQ(t.scalar<std::int32_t>(40 + row, 15), 32 * 6);
    }
    EXPECT_EQ(t.scalar<std::int32_t>(48, 3), 7);
}

TEST(Systolic, TheResultMayReplaceAnyOperand) {
    for (const char* assembly :
         {"dpas.8x1 (16|M0) r20:d null:d r20:b r30.0:b", "dpas.8x1 (16|M0) r30:d null:d r20:b r30.0:b"}) {
        LoneThread t;
        t.set(20, std::vector<std::uint8_t>(8 * 64, 255));
        t.set(30, std::vector<std::uint8_t>(32, 100));
        ASSERT_EQ(t.run(assembleProgram(assembly)), Status::done);
        EXPECT_EQ(t.get<std::int32_t>(assembly[18] == '2' ? 20 : 30, 16), std::vector<std::int32_t>(16, -3200));
    }
}

TEST(Systolic, OtherSizesAndTypesAreRefused) {
    LoneThread t;
    ASSERT_EQ(t.run(assembleProgram("dpas.4x2 (16|M0) r40:d r40:d r20:b r30.0:b")), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::unsupportedInstruction);
    EXPECT_STREQ(t.thread().fault.what, "dpas of this size");
    ASSERT_EQ(t.run(assembleProgram("dpas.8x2 (16|M0) r40:f r40:f r20:bf r30.0:hf")), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::illegalInstruction);
    ASSERT_EQ(t.run(assembleProgram("dpas.8x2 (16|M0) r40:d r40:d r20:b r30.2:b")), Status::faulted);
    EXPECT_STREQ(t.thread().fault.what, "misaligned register operand");
    ASSERT_EQ(t.run(assembleProgram("dpas.8x8 (16|M0) r252:d r40:d r20:b r30.0:b")), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, FaultKind::illegalInstruction);
}

}  // namespace
}  // namespace zetl::test
