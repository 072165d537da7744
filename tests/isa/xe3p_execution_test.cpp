// What came with Xe3P, executed: general messages, registers beyond the 256th, new instructions. The words were
// assembled by libiga64 2.40.14.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "emulator/isa/observe.h"
#include "isa/xe/architecture.h"
#include "lone_thread.h"

namespace zetl::test::xe3p {
namespace {

namespace xe = zetl::isa::xe;
using isa::Status;
using Words = std::array<std::uint64_t, 2>;

constexpr Words kLoadScaled{0x140011060010c133, 0x10000000f0000a0c};     // load.ugm.d32.a32u [s0.16+0x4*src0]
constexpr Words kLoadSigned{0x140011060010c133, 0x50000000f0000a0c};     // load.ugm.d32.a32s [s0.16+0x4*src0]
constexpr Words kLoadMoved{0x140000020010c133, 0x90000000f1000a14};      // load.ugm.d32.a64 [src0+0x10]
constexpr Words kLoadMovedBack{0x14ff00f20010c133, 0x90000003ffc00a17};  // load.ugm.d32.a64 [src0-0x4]
constexpr Words kLocal{0x140000020010c133, 0x10000000e1000a0c};          // load.slm.d32.a32 [src0+0x10]
constexpr Words kStore{0x000011040010c133, 0x10041e0cf0000a0c};          // store.ugm.d32.a32u [s0.16+0x4*src0]
constexpr Words kGatheredStore{0x000011040010c133, 0x10040000f0006010};  // the same from r[s0.0]:2
constexpr Words kScratch{0x140038060010c133, 0xd0000001f0000a0c};        // load.ugm.d32.a32 surf[s0.56][src0+0x8]
constexpr Words kAddBrain{0x140000020010c133, 0xa8211e0cf0000a14};       // atomic_bfadd.ugm.d16u32.a64 [src0]
constexpr Words kBlock{0x140010068000c133, 0x16800000f0280a0c};          // load.ugm.d32x16t.a32u [s0.16+src0]
constexpr Words kBarrier{0x000000008000c133, 0x008400003000000c};        // signal barrier, payload r0
constexpr Words kNamedBarrier{0x000000008000c133, 0x000500003000020c};   // signal named barrier, payload r2
constexpr Words kReserved{0x140000020010c133, 0x903e0000f0000a14};       // operation 0x3E
constexpr Words kNoSize{0x140000020010c133, 0xb8000000f0000a14};         // load.ugm.d??.a64
constexpr Words kThreeScaled{0x140011060010c133, 0x11000000f0000a0c};    // load.ugm.d32x3.a32u [s0.16+0xC*src0]
constexpr Words kBySurface{0x140038060010c133, 0xd0000000f0400a0c};      // load.ugm.d32.a32 surf[s0.56,1][src0]
constexpr Words kSampler{0x140038060010c133, 0x0798000020000a0c};        // sample_lz
constexpr Words kLoadHigh{0x0a0000020010c135, 0x90000e04f0000c14};       // load.ugm.d32.a64, r268 to r266
constexpr Words kToHigh{0x2c05022000100061, 0x0000000100100a04};         // mov (16) r300:ud r10:ud
constexpr Words kFromHigh{0x1405022000100061, 0x0000000200102c04};       // mov (16) r20:ud r300:ud
constexpr Words kProduct{0x140506600010005f, 0x00000c0406100a04};        // mullh (16) r20:d r10:d r12:d
constexpr Words kUnsigned{0x140502200010005f, 0x00000c0402100a04};       // mullh (16) r20:ud r10:ud r12:ud
constexpr Words kByConstant{0x140582200010005f, 0x9249249302100a04};     // mullh (16) r20:ud r10:ud 0x92492493:ud
constexpr Words kByNegative{0x140586600010005f, 0xfffffff906100a04};     // mullh (16) r20:d r10:d -7:d
constexpr Words kByNibbles{0x1405022000100050, 0x00000c0460100a04};      // shfl.idx4 (16) r20:ud r10:ud r12<4;1,0>:ub
constexpr Words kByWords{0x1405022000100050, 0x00000c0461100a04};        // shfl.idx4 (16) r20:ud r10:ud r12<2;1,0>:uw
constexpr Words kShuffleUp{0x1405022000100050, 0x00000c0400100a04};      // shfl.up
constexpr Words kRegister32{0x1405022000100039, 0x00000c0402100a04};     // lfsr.b32 (16) r20:ud r10:ud r12:ud
constexpr Words kRegister8{0x1405022000100039, 0x00000c0422100a04};      // lfsr.b8v4
constexpr Words kTanh{0x140502a000100038, 0x0000000090100a04};           // math.tanh (16) r20:f r10:f
constexpr Words kSigmoid{0x140502a000100038, 0x00000000a0100a04};        // math.sigm (16) r20:f r10:f
constexpr Words kDownscale{0x1404022800100055, 0x00010c0402d20a04};  // dnscl.bftoe2m1.mode0.rne (16) r20 r10 r12 null
constexpr Words kToHf8{0x140509c000100061, 0x0000000000100a04};      // mov (16) r20:hf8 r10:hf
constexpr Words kFromHf8{0x14050c9000100061, 0x0000000000100a04};    // mov (16) r20:hf r10:hf8
constexpr Words kMatrixOfFours{0x140702a000100059, 0x1e040a0400a00000};  // dpas.8x1 (16) r20:f null r10:e2m1 r30:e2m1
constexpr Words kMatrixOfBytes{0x140702a000100059, 0x1e040a0400040000};  // dpas.8x1 (16) r20:f null r10:bf8 r30:hf8
constexpr Words kScaledMatrix{0x14076aac0010005c, 0x321c280475050002};   // bdpas.8x8 r20:f null r40:bf r50:bf r60 r61
constexpr Words kEnd{0x000000018000c133, 0x000000003000000c};            // end of thread

constexpr std::uint32_t kBase = isa::layout::kScalar + 16;  // s0.16, in bytes

struct LastAccess : isa::LineObserver {
    void beforeLine(isa::Thread& t, isa::Line line) noexcept override { last = isa::accessOf(t, line); }
    std::optional<isa::MemoryAccess> last;
};

class Xe3P : public testing::Test {
  protected:
    Xe3P() : area_(t.allocate(4096)) {
        for (std::uint32_t i = 0; i < 1024; ++i) std::memcpy(&area_[i * 4], &i, sizeof i);
        for (std::vector<std::byte>* each : {&t.local, &t.scratch})
            for (std::uint32_t i = 0; i < 1024; ++i) std::memcpy(each->data() + i * 4, &i, sizeof i);
    }
    std::uint64_t base() const { return LoneThread::addressOf(area_); }
    std::uint32_t word(std::uint32_t i) const {
        std::uint32_t value;
        std::memcpy(&value, &area_[i * 4], sizeof value);
        return value;
    }
    template <class T>
    void lanes(std::uint32_t number, T first, T step) {
        std::vector<T> all(16);
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<T>(first + static_cast<T>(i) * step);
        t.set(number, all);
    }
    void setBase(std::uint64_t address) { t.thread().at<std::uint64_t>(kBase) = address; }
    Status run(const Words& words, bool observed = false, std::uint32_t registers = 0) {
        Code code(2 * sizeof words);
        std::memcpy(code.data(), words.data(), sizeof words);
        std::memcpy(code.data() + sizeof words, kEnd.data(), sizeof kEnd);
        t.load(code, lanes_, {.architecture = &xe::kXe3P, .base = 0x10000, .registers = registers});
        if (observed) t.program().watch(0, accesses);
        return t.resume();
    }
    void expectRefusal(const Words& words, const char* name, std::uint32_t registers = 0) {
        ASSERT_EQ(run(words, false, registers), Status::faulted) << name;
        EXPECT_NE(describe(t.thread().fault).find(name), std::string::npos) << describe(t.thread().fault);
    }
    void expectSuccessive(std::uint32_t first) {
        const auto result = t.get<std::uint32_t>(20, 16);
        for (std::uint32_t i = 0; i < result.size(); ++i) EXPECT_EQ(result[i], first + i);
    }

    LoneThread t;
    LastAccess accesses;
    std::uint32_t lanes_ = 0xffff;  ///< that are on

  private:
    std::vector<std::byte>& area_;
};

TEST_F(Xe3P, OffsetsAreScaledAndAddedToABase) {
    lanes<std::uint32_t>(10, 8, 1);
    setBase(base());
    ASSERT_EQ(run(kLoadScaled, true), Status::done);
    expectSuccessive(8);
    ASSERT_TRUE(accesses.last);
    EXPECT_EQ(accesses.last->address[3], base() + 4 * 11);
    EXPECT_EQ(t.scalar<std::uint32_t>(10), 8u) << "the payload stays as it was";
}

TEST_F(Xe3P, OffsetsMayBeSigned) {
    lanes<std::uint32_t>(10, 0u - 16, 1);
    setBase(base() + 128);
    ASSERT_EQ(run(kLoadSigned, true), Status::done);
    expectSuccessive(128 / 4 - 16);
    EXPECT_EQ(accesses.last->address[0], base() + 128 - 64);
    setBase(base() + 128 - (std::uint64_t{1} << 34));  // what is not signed goes the other way
    ASSERT_EQ(run(kLoadScaled), Status::done);
    expectSuccessive(128 / 4 - 16);
}

TEST_F(Xe3P, DescriptorsMoveAddressesByElements) {
    lanes<std::uint64_t>(10, base() + 256, 4);
    ASSERT_EQ(run(kLoadMoved), Status::done);
    expectSuccessive(256 / 4 + 4);
    ASSERT_EQ(run(kLoadMovedBack), Status::done);
    expectSuccessive(256 / 4 - 1);
    lanes<std::uint32_t>(10, 64, 4);
    ASSERT_EQ(run(kLocal), Status::done);
    expectSuccessive((64 + 16) / 4);
    ASSERT_EQ(run(kScratch), Status::done);
    expectSuccessive((64 + 8) / 4);
}

TEST_F(Xe3P, BlocksAreLoadedFromABase) {
    t.set(10, std::vector<std::uint32_t>{128});
    setBase(base() + 64);
    ASSERT_EQ(run(kBlock, true), Status::done);
    expectSuccessive((128 + 64) / 4);
    EXPECT_EQ(accesses.last->address[0], base() + 192);
}

TEST_F(Xe3P, StoresTakePayloadsFromRegistersThatS0Names) {
    lanes<std::uint32_t>(10, 0, 1);
    lanes<std::uint32_t>(30, 1000, 1);
    setBase(base());
    ASSERT_EQ(run(kStore), Status::done);
    EXPECT_EQ(word(15), 1015u);
    lanes<std::uint32_t>(200, 32, 1);
    lanes<std::uint32_t>(7, 2000, 1);
    t.thread().at<std::uint16_t>(isa::layout::kScalar) = 200 | 7 << 8;
    ASSERT_EQ(run(kGatheredStore, true), Status::done);
    EXPECT_EQ(word(32), 2000u);
    EXPECT_EQ(word(47), 2015u);
    EXPECT_EQ(accesses.last->address[1], base() + 33 * 4);
}

TEST_F(Xe3P, AtomicsKnowBf) {
    lanes<std::uint64_t>(10, base(), 4);
    const std::uint32_t one = 0x3f80;  // 1 in bf
    t.set(30, std::vector<std::uint32_t>(16, one));
    std::memcpy(reinterpret_cast<void*>(base()), &one, sizeof one);
    ASSERT_EQ(run(kAddBrain), Status::done);
    EXPECT_EQ(t.scalar<std::uint32_t>(20), one) << "the former value";
    EXPECT_EQ(word(0) & 0xffff, 0x4000u) << "2 in bf";
}

TEST_F(Xe3P, BarriersTakeTheirNumbersFromR0) {
    t.set(0, std::vector<std::uint32_t>{0, 0, 3 | 8u << 24});
    ASSERT_EQ(run(kBarrier), Status::done);
    ASSERT_EQ(t.signals.size(), 1u);
    EXPECT_EQ(t.signals[0].id, 0u) << "not the thread's number";
    EXPECT_EQ(t.signals[0].producers, 8u);
    EXPECT_EQ(t.signals[0].consumers, 8u);
    t.set(2, std::vector<std::uint32_t>{0, 0, 0x02020005});
    ASSERT_EQ(run(kNamedBarrier), Status::done);
    EXPECT_EQ(t.signals.back().id, 5u);
    EXPECT_EQ(t.signals.back().producers, 2u);
}

TEST_F(Xe3P, RegistersBeyondThe256thAreThere) {
    lanes<std::uint32_t>(10, 5, 7);
    ASSERT_EQ(run(kToHigh), Status::done);
    EXPECT_EQ(t.scalar<std::uint32_t>(300, 1), 12u);
    ASSERT_EQ(run(kFromHigh), Status::done);
    EXPECT_EQ(t.scalar<std::uint32_t>(20, 15), 5u + 15 * 7);
    lanes<std::uint64_t>(268, base(), 4);
    ASSERT_EQ(run(kLoadHigh), Status::done);
    EXPECT_EQ(t.scalar<std::uint32_t>(266, 9), word(9));
}

TEST_F(Xe3P, AKernelHasTheRegistersOfItsPartOfTheCode) {
    setBase(base());
    lanes<std::uint32_t>(10, 5, 7);
    Code code(3 * sizeof kToHigh);
    std::memcpy(code.data(), kToHigh.data(), sizeof kToHigh);
    std::memcpy(code.data() + sizeof kToHigh, kFromHigh.data(), sizeof kFromHigh);
    std::memcpy(code.data() + 2 * sizeof kToHigh, kEnd.data(), sizeof kEnd);
    const auto runWith = [&](std::vector<emulator::isa::RegisterLimit> limits) {
        t.load(code, 0xffff, {.architecture = &xe::kXe3P, .base = 0x10000, .limits = std::move(limits)});
        return t.resume();
    };
    EXPECT_EQ(runWith({{0, 512}, {sizeof kToHigh, 512}}), Status::done);
    EXPECT_EQ(runWith({{sizeof kToHigh * 2, 32}}), Status::done) << "what ends the thread names none beyond";
    ASSERT_EQ(runWith({{0, 512}, {sizeof kToHigh, 256}}), Status::faulted);
    EXPECT_EQ(t.thread().fault.ip, 0x10000 + sizeof kToHigh);
    EXPECT_NE(describe(t.thread().fault).find("beyond the register file"), std::string::npos);
    ASSERT_EQ(runWith({{0, 256}, {sizeof kToHigh, 512}}), Status::faulted);
    EXPECT_EQ(t.thread().fault.ip, 0x10000u);
}

TEST_F(Xe3P, WhatIsNotThereIsRefusedByName) {
    setBase(base());
    expectRefusal(kReserved, "reserved operation");
    expectRefusal(kNoSize, "element size");
    expectRefusal(kThreeScaled, "no power of two");
    expectRefusal(kBySurface, "surface by index");
    expectRefusal(kSampler, "send.smpl");
    expectRefusal(kShuffleUp, "shfl by other than tables");
    expectRefusal(kFromHigh, "beyond the register file", 256);
    expectRefusal(kLoadHigh, "beyond the register file", 256);
    Words beyond = kGatheredStore;  // more registers than s0 has numbers for
    beyond[1] |= 31ull << 3 | 31ull << 35;
    expectRefusal(beyond, "beyond s0");
    Words little = kGatheredStore;  // fewer than the message needs
    little[1] = (little[1] & ~0xf8ull) | 1 << 3;
    expectRefusal(little, "shorter than the message");
}

TEST_F(Xe3P, LongProductsHaveTwoRegisters) {
    const std::vector<std::uint32_t> a{3, 0u - 5, 0x80000000, 0xffffffff, 0x7fffffff, 1u << 16};
    const std::vector<std::uint32_t> b{7, 9, 0x80000000, 0xffffffff, 0x7fffffff, 1u << 17};
    t.set(10, a);
    t.set(12, b);
    ASSERT_EQ(run(kProduct), Status::done);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto want = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a[i])} *
                                                     std::int64_t{static_cast<std::int32_t>(b[i])});
        EXPECT_EQ(t.get<std::uint32_t>(20, 16)[i], static_cast<std::uint32_t>(want)) << i;
        EXPECT_EQ(t.get<std::uint32_t>(21, 16)[i], static_cast<std::uint32_t>(want >> 32)) << i;
    }
    ASSERT_EQ(run(kUnsigned), Status::done);
    for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_EQ(t.get<std::uint32_t>(21, 16)[i], static_cast<std::uint32_t>(std::uint64_t{a[i]} * b[i] >> 32)) << i;
}

TEST_F(Xe3P, ProductsWithConstantsHaveBothHalvesToo) {
    const std::vector<std::uint32_t> a{0, 1, 7, 0x7fffffff, 0x80000000, 0xffffffff, 0x12345678, 3};
    for (const std::uint32_t lanes : {0xffffu, 0xa5c3u}) {
        const auto check = [&](const Words& words, auto product) {
            lanes_ = lanes;
            t.set(10, a);
            t.set(20, std::vector<std::uint64_t>(16, 0x5555555555555555));
            ASSERT_EQ(run(words), Status::done) << describe(t.thread().fault);
            for (std::size_t i = 0; i < a.size(); ++i) {
                const std::uint64_t want = (lanes >> i & 1) != 0 ? product(a[i]) : 0x5555555555555555;
                EXPECT_EQ(t.get<std::uint32_t>(20, 16)[i], static_cast<std::uint32_t>(want)) << i;
                EXPECT_EQ(t.get<std::uint32_t>(21, 16)[i], static_cast<std::uint32_t>(want >> 32)) << i;
            }
        };
        check(kByConstant, [](std::uint32_t x) { return std::uint64_t{x} * 0x92492493; });
        check(kByNegative, [](std::uint32_t x) {
            return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(x)} * -7);
        });
    }
}

TEST_F(Xe3P, TablesAreLookedUpByFourBits) {
    lanes<std::uint32_t>(10, 0x01010101u, 0x01010101u);  // entry i: four bytes of i + 1
    std::vector<std::uint32_t> index(16);
    for (std::uint32_t i = 0; i < 16; ++i) index[i] = i | (15 - i) << 4 | 2u << 8 | 3u << 12;
    t.set(12, index);
    ASSERT_EQ(run(kByNibbles), Status::done);
    EXPECT_EQ(t.scalar<std::uint32_t>(20, 2), 0x0e0e0303u);
    ASSERT_EQ(run(kByWords), Status::done);
    EXPECT_EQ(t.scalar<std::uint32_t>(20, 2), 0x04030e03u);
}

TEST_F(Xe3P, ShiftRegistersGoOneStep) {
    t.set(10, std::vector<std::uint32_t>(16, 0x80000003));
    t.set(12, std::vector<std::uint32_t>(16, 0xa0b0c0d0));
    ASSERT_EQ(run(kRegister32), Status::done);
    EXPECT_EQ(t.scalar<std::uint32_t>(20), 0x40000001u ^ 0xa0b0c0d0u);
    ASSERT_EQ(run(kRegister8), Status::done);
    EXPECT_EQ(t.scalar<std::uint32_t>(20), 0x40000000u | (0x01u ^ 0xd0u));
}

TEST_F(Xe3P, TheMathUnitHasTwoMoreFunctions) {
    t.set(10, std::vector<float>(16, 0.75f));
    ASSERT_EQ(run(kTanh), Status::done);
    EXPECT_NEAR(t.scalar<float>(20), std::tanh(0.75f), 1e-6);
    ASSERT_EQ(run(kSigmoid), Status::done);
    EXPECT_NEAR(t.scalar<float>(20), 1 / (1 + std::exp(-0.75f)), 1e-6);
}

std::uint32_t pair(float low, float high) {
    std::uint32_t l;
    std::uint32_t h;
    std::memcpy(&l, &low, sizeof l);
    std::memcpy(&h, &high, sizeof h);
    return l >> 16 | (h & 0xffff0000);
}
TEST_F(Xe3P, FourBitsAreRoundedAndPlaced) {
    t.set(10, std::vector<std::uint32_t>(16, pair(0.6f, -2.4f)));   // b 0.5, a -2
    t.set(12, std::vector<std::uint32_t>(16, pair(5.0f, 100.0f)));  // d 4 (even), c 6
    ASSERT_EQ(run(kDownscale), Status::done);
    EXPECT_EQ(t.scalar<std::uint32_t>(20), 0x007600c1u);
}

TEST_F(Xe3P, Hf8IsConverted) {
    const std::vector<std::uint16_t> halves{0x3c00, 0xc500, 0x5f00, 0x5f80, 0x1800, 0x7e00};  // 1 -5 448 480 2^-9 NaN
    t.set(10, halves);
    ASSERT_EQ(run(kToHf8), Status::done);
    EXPECT_EQ(t.get<std::uint8_t>(20, 6), (std::vector<std::uint8_t>{0x38, 0xca, 0x7e, 0x7f, 0x01, 0x7f}));
    t.set(10, std::vector<std::uint8_t>{0x38, 0xca, 0x7e, 0x01});
    ASSERT_EQ(run(kFromHf8), Status::done);
    EXPECT_EQ(t.get<std::uint16_t>(20, 4), (std::vector<std::uint16_t>{0x3c00, 0xc500, 0x5f00, 0x1800}));
}

TEST_F(Xe3P, MatricesOfSmallNumbersAreMultiplied) {
    for (std::uint32_t i = 0; i < 8; ++i) t.set(10 + i, std::vector<std::uint32_t>(16, 0x22222222));  // all 1
    t.set(30, std::vector<std::uint32_t>(8, 0x55555555));                                             // all 3
    ASSERT_EQ(run(kMatrixOfFours), Status::done);
    EXPECT_EQ(t.scalar<float>(20, 15), 64 * 3.0f);
    for (std::uint32_t i = 0; i < 8; ++i) t.set(10 + i, std::vector<std::uint32_t>(16, 0x3c3c3c3c));  // all 1
    t.set(30, std::vector<std::uint32_t>(8, 0x38384040));                                             // 1 and 2
    ASSERT_EQ(run(kMatrixOfBytes), Status::done);
    EXPECT_EQ(t.scalar<float>(20, 3), 16 * 1.0f + 16 * 2.0f);
}

TEST_F(Xe3P, RowsAndColumnsHaveScales) {
    for (std::uint32_t i = 0; i < 8; ++i) t.set(40 + i, std::vector<std::uint32_t>(16, 0x3f803f80));
    for (std::uint32_t i = 0; i < 4; ++i) t.set(50 + i, std::vector<std::uint32_t>(16, 0x3f803f80));
    std::vector<std::uint8_t> columns(64, 127);
    std::vector<std::uint8_t> rows(64, 127);
    columns[3] = 128;  // twice
    rows[2] = 125;     // a quarter
    t.set(60, columns);
    t.set(61, rows);
    ASSERT_EQ(run(kScaledMatrix), Status::done);
    EXPECT_EQ(t.scalar<float>(20, 0), 16.0f);
    EXPECT_EQ(t.scalar<float>(20, 3), 32.0f);
    EXPECT_EQ(t.scalar<float>(22, 0), 4.0f);
    EXPECT_EQ(t.scalar<float>(22, 3), 8.0f);
}

}  // namespace
}  // namespace zetl::test::xe3p
