// Messages of Xe2, whose extended descriptor moves the addresses. The words were assembled by libiga64 2.40.14.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/isa/observe.h"
#include "isa/xe/architecture.h"
#include "isa/xe/decode.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

using isa::Status;
using MessageWords = std::array<std::uint64_t, 2>;

struct LastAccess : isa::LineObserver {
    void beforeLine(isa::Thread& t, isa::Line line) noexcept override { last = isa::accessOf(t, line); }
    std::optional<isa::MemoryAccess> last;
};

/// One message, whose addresses are in r10, data in r30 and result in r20.
class Xe2Messages : public testing::Test {
  protected:
    Xe2Messages() : area_(t.allocate(4096)) {
        for (std::uint32_t i = 0; i < 1024; ++i) std::memcpy(&area_[i * 4], &i, sizeof i);
        for (std::vector<std::byte>* each : {&t.local, &t.scratch, &t.payload})
            for (std::uint32_t i = 0; i < 1024; ++i) std::memcpy(each->data() + i * 4, &i, sizeof i);
    }
    std::uint64_t base() const { return LoneThread::addressOf(area_); }
    std::uint32_t word(std::uint32_t i) const {
        std::uint32_t value;
        std::memcpy(&value, &area_[i * 4], sizeof value);
        return value;
    }
    /// Addresses of sixteen lanes, four bytes from one to the next.
    template <class Address>
    void addresses(Address first) {
        std::vector<Address> all(16);
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Address>(first + i * 4);
        t.set(10, all);
    }
    Status run(const MessageWords& message, bool observed = false) {
        Code code(sizeof message);
        std::memcpy(code.data(), message.data(), sizeof message);
        const Code end = assembleProgram("nop");  // and what ends the thread: the same words on Xe2
        code.insert(code.end(), end.begin(), end.end());
        t.load(code, 0xffff, {.architecture = &zetl::isa::xe::kXe2, .base = 0x10000});
        if (observed) t.program().watch(0, accesses);
        return t.resume();
    }
    /// The result's first lane, if all lanes got successive words.
    std::uint32_t firstOfSuccessive() {
        const auto result = t.get<std::uint32_t>(20, 16);
        for (std::uint32_t i = 1; i < result.size(); ++i) EXPECT_EQ(result[i], result[0] + i);
        return result[0];
    }

    LoneThread t;
    LastAccess accesses;

  private:
    std::vector<std::byte>& area_;
};

constexpr MessageWords kXe2Load{0x1414200000100031, 0x00000000fb000a24};       // load.ugm.d32.a64.flat[A+0x200]
constexpr MessageWords kXe2LoadBack{0x1414fff000100031, 0xf0000003fb000a27};   // load.ugm.d32.a64.flat[A-0x1]
constexpr MessageWords kXe2Local{0x1414200000100031, 0x00000000ea000a14};      // load.slm.d32.a32.flat[A+0x200]
constexpr MessageWords kXe2Atomic{0x1414003000100031, 0x00001e0cfb180a24};     // atomic_iadd.ugm.d32.a64.flat[A+0x3]
constexpr MessageWords kXe2Arguments{0x140c010080000031, 0xf4340003fa000a8f};  // load.ugm.d32x16t.a32.bti[255][A+0x10]
constexpr MessageWords kXe2Scratch{0x1416008000100031, 0x04000000fa000a14};    // load.ugm.d32.a32.ss[a0.0][A+0x8]
constexpr MessageWords kXe2Strided{0x1414003000100031, 0x00080000fb020a24};    // load_strided.ugm.d32x3.a64.flat[A+0x3]
constexpr MessageWords kXe2Block2d{0x1444003000000031,
                                   0x00000000f8060a0c};  // load_block2d.ugm.d32.a64.flat[A+(0x3,0x0)]

TEST_F(Xe2Messages, FlatAddressesAreMovedForwardsAndBackwards) {
    addresses(base());
    ASSERT_EQ(run(kXe2Load), Status::done);
    EXPECT_EQ(firstOfSuccessive(), 0x200u / 4);
    addresses(base() + 0x101);
    ASSERT_EQ(run(kXe2LoadBack), Status::done);
    EXPECT_EQ(firstOfSuccessive(), 0x100u / 4);
}

TEST_F(Xe2Messages, AddressesInRegistersStayAsTheyWere) {
    addresses(base());
    ASSERT_EQ(run(kXe2Load), Status::done);
    EXPECT_EQ(t.scalar<std::uint64_t>(10), base());
}

TEST_F(Xe2Messages, LocalAndScratchAddressesAreMoved) {
    addresses<std::uint32_t>(64);
    ASSERT_EQ(run(kXe2Local), Status::done);
    EXPECT_EQ(firstOfSuccessive(), (64u + 0x200) / 4);
    t.thread().at<std::uint32_t>(isa::layout::kAddress) = 64;
    ASSERT_EQ(run(kXe2Scratch), Status::done);
    EXPECT_EQ(firstOfSuccessive(), (64u + 8) / 4);
    addresses<std::uint32_t>(0u - 8);
    ASSERT_EQ(run(kXe2Scratch), Status::done) << "in 32 bits";
    EXPECT_EQ(firstOfSuccessive(), 0u);
}

TEST_F(Xe2Messages, BlocksOfArgumentsAreMoved) {
    addresses<std::uint32_t>(128);
    ASSERT_EQ(run(kXe2Arguments), Status::done);
    EXPECT_EQ(firstOfSuccessive(), (128u + 0x10) / 4);
}

TEST_F(Xe2Messages, AtomicsAreMoved) {
    addresses(base() + 256 - 3);
    t.set(30, std::vector<std::uint32_t>(16, 100));
    ASSERT_EQ(run(kXe2Atomic), Status::done);
    EXPECT_EQ(firstOfSuccessive(), 256u / 4);
    EXPECT_EQ(word(256 / 4), 256u / 4 + 100);
}

TEST_F(Xe2Messages, StridedAddressesAreMoved) {
    t.set(10, std::vector<std::uint64_t>{base() + 256 - 3, 12});
    ASSERT_EQ(run(kXe2Strided), Status::done);
    const auto result = t.get<std::uint32_t>(20, 16);
    for (std::uint32_t i = 0; i < result.size(); ++i) EXPECT_EQ(result[i], 256u / 4 + i * 3);
}

TEST_F(Xe2Messages, FaultsAndObserversHaveTheMovedAddress) {
    addresses(base());
    ASSERT_EQ(run(kXe2Load, true), Status::done);
    ASSERT_TRUE(accesses.last);
    EXPECT_EQ(accesses.last->address[1], base() + 0x204);
    addresses<std::uint32_t>(0u - 8);
    ASSERT_EQ(run(kXe2Scratch, true), Status::done);
    EXPECT_EQ(accesses.last->address[0], 0u);
    addresses(base() + 4096 - 0x200 - 32);
    ASSERT_EQ(run(kXe2Load), Status::faulted);
    EXPECT_EQ(t.thread().fault.address, base() + 4096);
}

// A surface of 8 columns and 100 rows of dwords, each of which holds its number; blocks of 4 columns and 2 rows.
TEST_F(Xe2Messages, BlocksOfTwoDimensionsAreMoved) {
    constexpr std::uint32_t kRow = 32;
    const auto describe = [&](std::uint32_t x, std::uint32_t y) {
        const auto low = static_cast<std::uint32_t>(base());
        const auto high = static_cast<std::uint32_t>(base() >> 32);
        t.set(10, std::vector<std::uint32_t>{low, high, kRow - 1, 99, kRow - 1, x, y, 1 << 8 | 3});
    };
    describe(1, 5);
    ASSERT_EQ(run(kXe2Block2d, true), Status::done);
    const auto result = t.get<std::uint32_t>(20, 8);
    for (std::uint32_t i = 0; i < result.size(); ++i) EXPECT_EQ(result[i], (5 + i / 4) * 8 + 1 + 3 + i % 4);
    ASSERT_TRUE(accesses.last);
    EXPECT_EQ(accesses.last->address[0], base() + 5 * kRow + (1 + 3) * 4);
    describe(0u - 5, 98);
    ASSERT_EQ(run(kXe2Block2d, true), Status::done);
    EXPECT_EQ(t.get<std::uint32_t>(20, 4), (std::vector<std::uint32_t>{0, 0, 98 * 8, 98 * 8 + 1}))
        << "from column -2 on";
    constexpr MessageWords kUp{0x1444803000000031, 0xf0000003f8060a0f};  // load_block2d.ugm.d32.a64.flat[A+(0x3,-0x2)]
    describe(0, 6);
    ASSERT_EQ(run(kUp), Status::done);
    EXPECT_EQ(t.get<std::uint32_t>(20, 1)[0], 4u * 8 + 3);
}

// msg0.0: the sub-slice, beside sr0.0. Xe-HPC has it in sr0.0 alone.
TEST_F(Xe2Messages, ThreadsReadTheirSubSlice) {
    constexpr MessageWords kFirst{0x1405822080000065, 0x00ff00ff01005000};   // and (1) r20:ud msg0.0:ud 0xFF:uw
    constexpr MessageWords kBeyond{0x1405022080000061, 0x0000000000005030};  // mov (1) r20:ud msg0.3:ud
    t.thread().at<std::uint32_t>(isa::layout::kMessage) = 0x312;
    ASSERT_EQ(run(kFirst), Status::done);
    EXPECT_EQ(t.scalar<std::uint32_t>(20), 0x12u);
    ASSERT_EQ(run(kBeyond), Status::faulted) << "it has three dwords";
    Code code(sizeof kFirst);
    std::memcpy(code.data(), kFirst.data(), sizeof kFirst);
    ASSERT_EQ(t.run(code), Status::faulted);
    EXPECT_NE(describe(t.thread().fault).find("architecture register 5"), std::string::npos);
}

// On Xe-HPC the same bits mean nothing.
TEST_F(Xe2Messages, XeHpcKnowsNoOffset) {
    const auto code = std::as_bytes(std::span(kXe2Load));
    EXPECT_EQ(zetl::isa::xe::decode(zetl::isa::xe::kXeHpc, code, 0)->message.addressOffset, 0);
    EXPECT_EQ(zetl::isa::xe::decode(zetl::isa::xe::kXe2, code, 0)->message.addressOffset, 0x200);
}

}  // namespace
}  // namespace zetl::test
