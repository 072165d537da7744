// Atomics that leave memory as it is, as those of threads that wait, alone and beside lanes that change it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lone_thread.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kLanesOfAtomic = 16;
constexpr std::uint32_t kUnchangedValue = 0x40490fdb;

struct Unchanging {
    std::uint32_t operation;
    std::uint32_t operand;
    std::uint32_t newValue;  ///< of compare and exchange, whose operand is compared
    std::uint32_t changing;  ///< an operand that changes the value
    std::uint32_t (*changed)(std::uint32_t);
    bool takesTwo = false;
};
constexpr Unchanging kUnchanging[] = {
    {0x19, 0, 0, 0x80000000, [](std::uint32_t v) { return v | 0x80000000; }},  // or
    {0x18, ~0u, 0, 0xff, [](std::uint32_t v) { return v & 0xff; }},            // and
    {0x1a, 0, 0, 1, [](std::uint32_t v) { return v ^ 1; }},                    // xor
    {0x0c, 0, 0, 5, [](std::uint32_t v) { return v + 5; }},                    // add
    {0x0d, 0, 0, 5, [](std::uint32_t v) { return v - 5; }},                    // subtract
    {0x10, ~0u, 0, 3, [](std::uint32_t v) { return v < 3 ? v : 3; }},          // least
    {0x11, 0, 0, ~0u, [](std::uint32_t) { return ~0u; }},                      // most
    {0x0b, kUnchangedValue, 0, 9, [](std::uint32_t) { return 9u; }},           // exchange
    {0x12, 7, 77, kUnchangedValue, [](std::uint32_t v) { return v == kUnchangedValue ? 77u : v; },
     true},  // compare and exchange
};

class UnchangedAtomics : public testing::Test {
  protected:
    UnchangedAtomics() : area(t.allocate(4096)) {}

    std::uint32_t word(std::uint32_t at) const {
        std::uint32_t value = 0;
        std::memcpy(&value, area.data() + 4 * at, sizeof value);
        return value;
    }
    /// The lane of that number changes its word; none if there is no such lane.
    void run(const Unchanging& c, std::uint32_t changing, bool sameWord, std::uint32_t on) {
        const std::uint32_t payload = c.takesTwo ? 2 : 1;
        t.load(assembleProgram(
                   fmt::format("send.ugm (16|M0) r40 r10 r50:{} 0x0 {:#x}", payload, 0x04100580 | c.operation)),
               on);
        std::vector<std::uint64_t> addresses;
        std::vector<std::uint32_t> operands(kLanesOfAtomic, c.operand);
        for (std::uint32_t i = 0; i < kLanesOfAtomic; ++i) {
            addresses.push_back(LoneThread::addressOf(area) + (sameWord ? 0 : 4 * i));
            std::memcpy(area.data() + 4 * i, &kUnchangedValue, sizeof kUnchangedValue);
        }
        if (changing < kLanesOfAtomic) operands[changing] = c.changing;
        t.set(10, addresses);
        t.set(50, operands);
        t.set(51, std::vector<std::uint32_t>(kLanesOfAtomic, c.newValue));
        t.set(40, std::vector<std::uint32_t>(kLanesOfAtomic, 0xcdcdcdcd));
        ASSERT_EQ(t.resume(), isa::Status::done) << describe(t.thread().fault);
    }

    LoneThread t;
    std::vector<std::byte>& area;
};

TEST_F(UnchangedAtomics, ReturnWhatIsThereAndMissNoChange) {
    for (const Unchanging& c : kUnchanging)
        for (const std::uint32_t changing : {99u, 0u, 6u, 15u})
            for (const bool sameWord : {false, true})
                for (const std::uint32_t on : {0xffffu, 0x8041u}) {
                    SCOPED_TRACE(fmt::format("{:#x}, lane {} changes {}, {:#x}", c.operation, changing, sameWord, on));
                    ASSERT_NO_FATAL_FAILURE(run(c, changing, sameWord, on));
                    std::uint32_t shared = kUnchangedValue;
                    for (std::uint32_t i = 0; i < kLanesOfAtomic; ++i) {
                        if ((on >> i & 1) == 0) {
                            EXPECT_EQ(t.scalar<std::uint32_t>(40, i), 0xcdcdcdcd);
                            continue;
                        }
                        const std::uint32_t old = sameWord ? shared : kUnchangedValue;
                        EXPECT_EQ(t.scalar<std::uint32_t>(40, i), old) << "lane " << i;
                        // The others' operand: an exchange alone would change what another lane has left.
                        const std::uint32_t next = i == changing         ? c.changed(old)
                                                   : c.operation == 0x0b ? kUnchangedValue
                                                                         : old;
                        if (sameWord) shared = next;
                        EXPECT_EQ(sameWord ? shared : word(i), next) << "lane " << i;
                    }
                    EXPECT_EQ(word(0), sameWord ? shared : word(0));
                    if (HasFailure()) return;
                }
}

/// Reads a word by an atomic, again and again, and counts how often in r20.
class Polling : public testing::Test {
  protected:
    Polling() : area(t.allocate(4096)) {
        t.load(
            assembleProgram("L0:\nsend.ugm (16|M0) r40 r10 r50:1 0x0 0x04100599\n"
                            "(W) add (1|M0) r20.0<1>:d r20.0<0;1,0>:d 1:w\n(W) jmpi L0"));
        t.set(10, std::vector<std::uint64_t>(kLanesOfAtomic, LoneThread::addressOf(area)));
    }
    std::uint32_t polls(std::uint32_t bits) {
        t.set(50, std::vector<std::uint32_t>(kLanesOfAtomic, bits));
        const auto before = t.scalar<std::uint32_t>(20);
        isa::resume(t.thread(), kQuantum, isa::Windows::kept);
        EXPECT_EQ(t.thread().status, isa::Status::paused);
        return t.scalar<std::uint32_t>(20) - before;
    }
    static constexpr std::int64_t kQuantum = 30'000;

    LoneThread t;
    std::vector<std::byte>& area;
};

TEST_F(Polling, GivesUpTheQuantumWhenNothingChanges) {
    EXPECT_LT(polls(0), 16u);  // or with 0
    EXPECT_LT(polls(0), 16u);
    EXPECT_EQ(t.thread().executed, 3u * t.scalar<std::uint32_t>(20));
}

TEST_F(Polling, KeepsItWhileSomethingChanges) {
    t.load(
        assembleProgram("L0:\nsend.ugm (16|M0) r40 r10 r50:1 0x0 0x0410058c\n"
                        "(W) add (1|M0) r20.0<1>:d r20.0<0;1,0>:d 1:w\n(W) jmpi L0"));
    t.set(10, std::vector<std::uint64_t>(kLanesOfAtomic, LoneThread::addressOf(area)));
    EXPECT_GT(polls(1), 1000u);
}

}  // namespace
}  // namespace zetl::test
