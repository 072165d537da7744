// Regions, register-indirect operands, strides, types in one instruction, masks and flags, on hand-assembled
// instructions.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "lone_thread.h"

namespace zetl::test {
namespace {

using isa::Status;
using Words = std::vector<std::uint32_t>;

Words counting(std::uint32_t first, std::size_t n = 16) {
    Words w(n);
    std::iota(w.begin(), w.end(), first);
    return w;
}
/// Runs one instruction on a thread that holds 0, 1, 2... in r10 and following registers, 100... in r20.
class Operands : public testing::Test {
  protected:
    Operands() {
        t.set(10, counting(0, 64));
        t.set(20, counting(100, 64));
    }
    void run(const char* assembly, std::uint32_t lanes = 0xffff) {
        ASSERT_EQ(t.run(assembleProgram(assembly), lanes), Status::done)
            << assembly << ": " << describe(t.thread().fault);
    }
    Words result(std::size_t n = 16) { return t.get<std::uint32_t>(40, n); }
    LoneThread t;
};

TEST_F(Operands, RegionsPickTheirElements) {
    run("mov (16|M0) r40.0<1>:ud r10.0<4;2,1>:ud");
    EXPECT_EQ(result(), (Words{0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29}));
    run("mov (16|M0) r40.0<1>:ud r10.3<0;1,0>:ud");
    EXPECT_EQ(result(), Words(16, 3));
    run("mov (16|M0) r40.0<1>:ud r10.0<2;1,0>:ud");
    EXPECT_EQ(result()[15], 30u);
    run("mov (8|M0) r40.0<1>:ud r10.0<0;4,1>:ud");
    EXPECT_EQ(result(8), (Words{0, 1, 2, 3, 0, 1, 2, 3}));
    run("add (16|M0) r40.0<1>:ud r10.0<8;8,1>:ud r20.1<0;2,1>:ud");
    EXPECT_EQ(result(4), (Words{101, 103, 103, 105}));
}

TEST_F(Operands, OperandsCrossRegisters) {
    run("mov (32|M0) r40.0<1>:ud r10.4<1;1,0>:ud", ~0u);
    EXPECT_EQ(result(32), counting(4, 32));
    run("mov (16|M0) r42.0<2>:ud r10.0<1;1,0>:ud");
    EXPECT_EQ(t.scalar<std::uint32_t>(43, 2), 9u);
    run("mov (16|M0) r44.0<1>:q r10.0<1;1,0>:d");
    EXPECT_EQ(t.scalar<std::uint64_t>(45, 7), 15u);
}

TEST_F(Operands, StridedDestinationsLeaveTheGapsAlone) {
    t.set(40, Words(64, 7));
    run("mov (16|M0) r40.1<2>:ud r10.0<1;1,0>:ud");
    EXPECT_EQ(result(4), (Words{7, 0, 7, 1}));
    run("mov (16|M0) r40.0<4>:w r10.0<2;1,0>:w");
    EXPECT_EQ(t.get<std::uint16_t>(40, 5), (std::vector<std::uint16_t>{0, 0, 0, 0, 1}));
}

TEST_F(Operands, SourcesAreReadBeforeTheDestinationIsWritten) {
    run("add (16|M0) r10.1<1>:ud r10.0<1;1,0>:ud 0:w");
    EXPECT_EQ(t.get<std::uint32_t>(10, 5), (Words{0, 0, 1, 2, 3}));
    run("mov (8|M0) r20.0<2>:ud r20.0<1;1,0>:ud");
    EXPECT_EQ(t.get<std::uint32_t>(20, 6), (Words{100, 101, 101, 103, 102, 105}));
    // Sixteen lanes' room, of which four are written, reaches into the source.
    run("add (16|M0) r41.0<1>:ud r10.0<1;1,0>:ud 1:w\n(W) mov (4|M0) r40.8<1>:d r41.0<1;1,0>:d");
    EXPECT_EQ(t.scalar<std::uint32_t>(40, 8), 1u);
    EXPECT_EQ(t.scalar<std::uint32_t>(40, 11), 3u);
    EXPECT_EQ(t.scalar<std::uint32_t>(41), 1u);
}

TEST_F(Operands, IndirectAddressing) {
    run("mov (1|M0) a0.0<1>:uw 648:uw\nmov (1|M0) a0.1<1>:uw 1280:uw\n"
        "mov (16|M0) r40.0<1>:ud r[a0.0,4]<1;1,0>:ud\nmov (8|M0) r41.0<1>:ud r[a0.1,-640]<0;1,0>:ud");
    EXPECT_EQ(result(), counting(3));
    EXPECT_EQ(t.scalar<std::uint32_t>(41), 0u);
}

TEST_F(Operands, IndirectPerLaneAndIndirectDestination) {
    std::vector<std::uint16_t> addresses(16);
    for (std::uint16_t i = 0; i < 16; ++i) addresses[i] = static_cast<std::uint16_t>(10 * 64 + (15 - i) * 4);
    t.set(50, addresses);
    run("mov (16|M0) a0.0<1>:uw r50.0<1;1,0>:uw\nmov (16|M0) r40.0<1>:ud r[a0.0]<1,0>:ud\n"
        "mov (1|M0) a0.0<1>:uw 2688:uw\nmov (16|M0) r[a0.0]<1>:ud r20.0<1;1,0>:ud");
    EXPECT_EQ(result(3), (Words{15, 14, 13}));
    EXPECT_EQ(t.get<std::uint32_t>(42, 16), counting(100));
}

// As generated code swaps neighbours: only the first address names the register, the others a place within it.
TEST_F(Operands, IndexedMovesPickWithinOneRegister) {
    t.set(9, counting(50));
    run("(W) mov (4|M0) a0.0<1>:uw 0x8C04:uv\n(W) add (4|M0) a0.4<1>:uw a0.0<4;4,1>:uw 16:w\n"
        "(W) add (4|M0) a0.0<1>:uw a0.0<4;4,1>:uw 576:w\n"
        "(W) movi (8|M0) r40.0<1>:ud r[a0.0]<8;8,1>:ud null<1;1,0>:ud");
    EXPECT_EQ(result(8), (Words{51, 50, 53, 52, 55, 54, 57, 56}));
}

// There are as many addresses.
TEST_F(Operands, IndexedMovesHaveSixteenLanesAtMost) {
    ASSERT_EQ(t.run(assembleProgram("(W) movi (16|M0) r40.0<1>:uw r[a0.0]<1,0>:uw null<1;1,0>:uw")), Status::done);
    ASSERT_EQ(t.run(assembleProgram("(W) movi (32|M0) r40.0<1>:uw r[a0.0]<1,0>:uw null<1;1,0>:uw")), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, isa::FaultKind::illegalInstruction);
}

TEST_F(Operands, VectorImmediates) {
    run("mov (8|M0) r40.0<1>:w 0x76543210:v");
    EXPECT_EQ(t.get<std::int16_t>(40, 8), (std::vector<std::int16_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    run("mov (8|M0) r40.0<1>:w 0xF8:v");
    EXPECT_EQ(t.get<std::int16_t>(40, 3), (std::vector<std::int16_t>{-8, -1, 0}));
    run("mov (8|M0) r40.0<1>:uw 0xF8:uv");
    EXPECT_EQ(t.get<std::int16_t>(40, 3), (std::vector<std::int16_t>{8, 15, 0}));
}

// As oneMKL adds the distance of imaginary parts to every second address.
TEST_F(Operands, VectorImmediatesLieAsTheirResultsDo) {
    run("mov (16|M0) r40.0<1>:ud 0x80000:uv");
    EXPECT_EQ(result(16), (Words{0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 8, 0}));
    run("mov (4|M0) r40.0<2>:w 0xF8765432:v");
    EXPECT_EQ(t.get<std::int16_t>(40, 7), (std::vector<std::int16_t>{2, 0, 4, 0, 6, 0, -8}));
    run("mov (4|M0) r40.0<1>:uq 0x76543210:uv");
    EXPECT_EQ(t.get<std::uint64_t>(40, 4), (std::vector<std::uint64_t>{0, 4, 0, 4}));
    run("mov (4|M0) r40.0<1>:f 0x30201000:vf");
    EXPECT_EQ(t.get<float>(40, 4), (std::vector<float>{0, 0.25F, 0.5F, 1}));
    run("mov (4|M0) r40.0<1>:df 0x30201000:vf");
    EXPECT_EQ(t.get<double>(40, 4), (std::vector<double>{0, 0.5, 0, 0.5}));
}

TEST_F(Operands, MovesOfEqualTypesKeepBits) {
    t.set(10, Words{0x7fa00001, 0x00000001, 0x80000000, 0xffffffff});  // a signalling NaN, a denormal
    t.setControl(0);
    run("mov (4|M0) r40.0<1>:f r10.0<1;1,0>:f");
    EXPECT_EQ(result(4), (Words{0x7fa00001, 1, 0x80000000, 0xffffffff}));
    t.setFlag(0, 0x5);
    run("(f0.0) sel (4|M0) r40.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f");
    EXPECT_EQ(result(4), (Words{0x7fa00001, 101, 0x80000000, 103}));
}

TEST_F(Operands, FloatToIntegerClampsAndNanIsZero) {
    t.set(10, std::vector<float>{-1.9f, 2.9f, 3e9f, -3e9f, NAN, 1e30f, 300.0f, -300.0f});
    run("mov (8|M0) r40.0<1>:d r10.0<1;1,0>:f\nmov (8|M0) r41.0<1>:ud r10.0<1;1,0>:f\nmov (8|M0) r42.0<1>:q "
        "r10.0<1;1,0>:f");
    EXPECT_EQ(t.get<std::int32_t>(40, 8),
              (std::vector<std::int32_t>{-1, 2, INT32_MAX, INT32_MIN, 0, INT32_MAX, 300, -300}));

    EXPECT_EQ(t.get<std::uint32_t>(41, 4), (Words{0, 2, 3000000000u, 0}));
    EXPECT_EQ(t.get<std::int64_t>(42, 6), (std::vector<std::int64_t>{-1, 2, 3000000000, -3000000000, 0, INT64_MAX}));
}

TEST_F(Operands, MaskedLanesKeepTheirValue) {
    t.set(40, Words(32, 7));
    run("mov (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud", 0x0101);
    EXPECT_EQ(result()[0], 0u);
    EXPECT_EQ(result()[8], 8u);
    EXPECT_EQ(result()[1], 7u);
    run("(W) mov (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud", 0x0101);
    EXPECT_EQ(result(), counting(0));
    t.set(40, Words(32, 7));
    run("mov (16|M16) r40.0<1>:ud r10.0<1;1,0>:ud", 0x00010000);  // the second half's lanes
    EXPECT_EQ(result(2), (Words{0, 7}));
}

TEST_F(Operands, PredicatesChooseLanesEvenWithoutMask) {
    t.set(40, Words(16, 7));
    t.setFlag(1, 0x0006);
    run("(f1.0) mov (16|M0) r40.0<1>:ud r10.0<1;1,0>:ud");
    EXPECT_EQ(result(4), (Words{7, 1, 2, 7}));
    run("(W&~f1.0) mov (16|M0) r40.0<1>:ud 9:w", 0);
    EXPECT_EQ(result(4), (Words{9, 1, 2, 9}));
    t.setFlag(0, 0x00020000);  // the upper half of f0 is f0.1
    run("(f0.1) mov (16|M0) r40.0<1>:ud 5:w");
    EXPECT_EQ(result(4), (Words{9, 5, 2, 9}));
    t.setFlag(2, 0x00020000);  // lanes of the second half use the upper bits
    run("(f2.0) mov (16|M16) r40.0<1>:ud 4:w", ~0u);
    EXPECT_EQ(result(4), (Words{9, 4, 2, 9}));
}

TEST_F(Operands, ComparisonsWriteOnlyEnabledFlagBits) {
    t.setFlag(0, 0xffffffff);
    run("cmp (16|M0) (lt)f0.0 null<1>:ud r10.0<1;1,0>:ud 4:w", 0x00ff);
    EXPECT_EQ(t.flag(0), 0xffffff0fu);
    run("cmp (16|M0) (ge)f0.0 r40.0<1>:d r10.0<1;1,0>:d 4:w");
    EXPECT_EQ(t.flag(0), 0xfffffff0u);
    EXPECT_EQ(result(6), (Words{0, 0, 0, 0, ~0u, ~0u}));
    t.set(40, Words(16, 7));
    t.setFlag(0, 0xf);
    run("(f0.0) cmp (16|M0) (gt)f0.0 r40.0<1>:ud r10.0<1;1,0>:ud 1:w");  // the old flag predicates
    EXPECT_EQ(result(6), (Words{0, 0, ~0u, ~0u, 7, 7}));
    EXPECT_EQ(t.flag(0), 0xcu);
}

TEST_F(Operands, NanComparisons) {
    t.set(10, std::vector<float>{1, NAN, 2, NAN});
    t.set(20, std::vector<float>{NAN, 1, 2, NAN});
    run("cmp (4|M0) (ne)f0.0 null<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f\ncmp (4|M0) (ge)f1.0 null<1>:f r10.0<1;1,0>:f "
        "r20.0<1;1,0>:f\n"
        "cmp (4|M0) (un)f2.0 null<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f\ncmpn (4|M0) (lt)f3.0 null<1>:f r10.0<1;1,0>:f "
        "r20.0<1;1,0>:f");
    EXPECT_EQ(t.flag(0) & 15, 0b1011u);
    EXPECT_EQ(t.flag(1) & 15, 0b0100u);
    EXPECT_EQ(t.flag(2) & 15, 0b1011u);
    EXPECT_EQ(t.flag(3) & 15, 0b1001u);
}

TEST_F(Operands, ArithmeticFlagsShowTheResultAsStored) {
    t.set(10, Words{0x80000000, 1, 0, 0x7fffffff});
    run("xor (4|M0) (lt)f0.0 null<1>:d r10.0<1;1,0>:d 0:w\nadd (4|M0) (eq)f1.0 r40.0<1>:ud r10.0<1;1,0>:ud 1:w\n"
        "add (4|M0) (lt)f2.0 r41.0<2>:w r10.0<2;1,0>:w 0:w");
    EXPECT_EQ(t.flag(0) & 15, 0b0001u);
    EXPECT_EQ(t.flag(1) & 15, 0b0000u);
    EXPECT_EQ(t.flag(2) & 15, 0b1000u);
}

TEST_F(Operands, CarryAndBorrowReachTheAccumulator) {
    t.set(10, Words{0xffffffff, 1});
    t.set(20, Words{1, 2});
    run("addc (2|M0) r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud\nmov (2|M0) r41.0<1>:ud acc0.0<1;1,0>:ud\n"
        "subb (2|M0) r42.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud\nmov (2|M0) r43.0<1>:ud acc0.0<1;1,0>:ud");
    EXPECT_EQ(result(2), (Words{0, 3}));
    EXPECT_EQ(t.get<std::uint32_t>(41, 2), (Words{1, 0}));
    EXPECT_EQ(t.get<std::uint32_t>(42, 2), (Words{0xfffffffe, 0xffffffff}));
    EXPECT_EQ(t.get<std::uint32_t>(43, 2), (Words{0, 1}));
}

class Products : public testing::TestWithParam<std::pair<std::int32_t, std::int32_t>> {};
TEST_P(Products, LowAndHighHalvesThroughTheAccumulator) {
    const auto [a, b] = GetParam();
    for (const bool isSigned : {true, false}) {
        LoneThread t;
        t.set(10, std::vector<std::int32_t>(16, a));
        t.set(20, std::vector<std::int32_t>(16, b));
        const std::string type = isSigned ? "d" : "ud";
        const std::string text = "mul (16|M0) acc0.0<1>:" + type + " r10.0<1;1,0>:" + type + " r20.0<2;1,0>:uw\n" +
                                 "macl (16|M0) r40.0<1>:" + type + " r10.0<1;1,0>:" + type + " r20.0<1;1,0>:" + type +
                                 "\n" + "mul (16|M0) acc0.0<1>:" + type + " r10.0<1;1,0>:" + type +
                                 " r20.0<2;1,0>:uw\nmach (16|M0) r42.0<1>:" + type + " r10.0<1;1,0>:" + type +
                                 " r20.0<1;1,0>:" + type;
        ASSERT_EQ(t.run(assembleProgram(text)), Status::done);
        const auto product = isSigned ? static_cast<std::uint64_t>(std::int64_t(a) * b)
                                      : std::uint64_t(std::uint32_t(a)) * std::uint32_t(b);
        EXPECT_EQ(t.scalar<std::uint32_t>(40, 3), static_cast<std::uint32_t>(product)) << a << " * " << b;
        EXPECT_EQ(t.scalar<std::uint32_t>(42, 3), static_cast<std::uint32_t>(product >> 32))
            << a << " * " << b << (isSigned ? " signed" : "");
    }
}
INSTANTIATE_TEST_SUITE_P(Edges, Products,
                         testing::Values(std::pair{3, 5}, std::pair{-3, 5}, std::pair{INT32_MIN, -1},
                                         std::pair{INT32_MAX, INT32_MAX}, std::pair{0x12345678, 0x7fff8000},
                                         std::pair{-1, -1}, std::pair{0x10000, 0x10000}));

TEST_F(Operands, RegistersOfTheArchitecture) {
    run("mov (1|M0) r40.0<1>:ud sr0.2<0;1,0>:ud\nmov (1|M0) r41.0<1>:ud ce0.0<0;1,0>:ud\nmov (1|M0) r42.0<1>:ud "
        "tm0.0<0;1,0>:ud\n"
        "mov (1|M0) r43.0<1>:ud cr0.0<0;1,0>:ud",
        0x0ff1);
    EXPECT_EQ(t.scalar<std::uint32_t>(40), 0x0ff1u);
    EXPECT_EQ(t.scalar<std::uint32_t>(41), 0x0ff1u);
    EXPECT_EQ(t.scalar<std::uint32_t>(42), 1234u);
    EXPECT_EQ(t.scalar<std::uint32_t>(43), 0x4c0u);
}

// As oneDNN's products do on Xe2, between two looks at what another group adds up.
TEST_F(Operands, ThreadsMayAskForAPauseAndWriteNothingElseOfTheTimestamp) {
    ASSERT_EQ(t.run(assembleProgram("(W) mov (1|M0) tm0.4<1>:ud 256:w\nmov (1|M0) r40.0<1>:ud tm0.0<0;1,0>:ud")),
              Status::done);
    EXPECT_EQ(t.scalar<std::uint32_t>(40), 1234u);
    ASSERT_EQ(t.run(assembleProgram("(W) mov (1|M0) tm0.0<1>:ud 256:w")), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, isa::FaultKind::illegalInstruction);
}

TEST_F(Operands, TheImplicitAccumulatorOfDoublesIsAsFarInAsTheDestination) {
    for (std::uint32_t i = 0; i < 8; ++i) t.thread().at<double>(isa::layout::kAccumulator + i * 8) = 100.0 + i;
    t.set(10, std::vector<double>(8, 3));
    t.set(20, std::vector<double>(8, 5));
    run("mac (1|M0) r40.1<1>:df r10.0<0;1,0>:df r20.0<0;1,0>:df");
    EXPECT_EQ(t.scalar<double>(40, 1), 116);
}

// f1 and f3 begin at odd dwords.
TEST_F(Operands, FlagRegistersHaveNoElementsAcrossTheirBoundary) {
    ASSERT_EQ(t.run(assembleProgram("add (1|M0) r40.0<1>:df f0.0<0;1,0>:df r10.0<0;1,0>:df")), Status::done);
    for (const char* assembly :
         {"add (1|M0) r40.0<1>:df f1.0<0;1,0>:df r10.0<0;1,0>:df", "mov (1|M0) r40.0<1>:f f3.0<0;1,0>:uq",
          "mov (1|M0) f1.0<1>:uq r10.0<0;1,0>:uq", "add (1|M0) f1.0<1>:df r10.0<0;1,0>:df r12.0<0;1,0>:df"}) {
        ASSERT_EQ(t.run(assembleProgram(assembly)), Status::faulted) << assembly;
        EXPECT_EQ(t.thread().fault.kind, isa::FaultKind::illegalInstruction) << assembly;
    }
}

TEST_F(Operands, BeyondTheRegisterFileIsIllegal) {
    ASSERT_EQ(t.run(assembleProgram("mov (16|M0) r254.0<1>:q r10.0<1;1,0>:q")), Status::done);
    ASSERT_EQ(t.run(assembleProgram("mov (16|M0) r255.0<1>:q r10.0<1;1,0>:q")), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, isa::FaultKind::illegalInstruction);
    EXPECT_EQ(t.thread().fault.ip, 0x10000u);
}

}  // namespace
}  // namespace zetl::test
