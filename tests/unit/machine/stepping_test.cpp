// A debugger in code that nobody prepared for it: every instruction can be stepped to, and can have a breakpoint.
#include <array>
#include <set>

#include "emulator/isa/registers.h"
#include "stop_events.h"

namespace zetl::emulator::machine::bench {
namespace {

using isa::RegisterSet;

constexpr std::uint32_t kItems = 16;  // of one thread, whichever width the compiler takes
constexpr std::size_t kMostStops = 5000;

// Branches with lanes on both sides, joins, a loop that lanes leave at different times, a call, local memory, a
// barrier, loads, stores and an atomic.
constexpr const char* kSource = R"(
__attribute__((noinline)) uint twice(uint value) { return value * 2u + 1u; }
kernel void everything(global uint* out, global uint* count) {
    local uint exchange[16];
    uint i = get_local_id(0), value = 0;
    if (i % 3u == 0u) value = twice(i); else value = i + 100u;
    for (uint k = 0; k < i % 5u; ++k) value += k;
    exchange[i] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(count, 1u);
    out[i] = exchange[15u - i];
})";

std::uint32_t expected(std::uint32_t item) {
    const std::uint32_t i = 15 - item;
    std::uint32_t value = i % 3 == 0 ? i * 2 + 1 : i + 100;
    for (std::uint32_t k = 0; k < i % 5; ++k) value += k;
    return value;
}

/// An instruction in memory.
struct Coded {
    std::array<std::uint8_t, 4> bytes{};
    bool compact() const { return bytes[3] & 0x20; }
    std::uint32_t length() const { return compact() ? 8 : 16; }
    /// Control flow: the opcodes from jmpi to join.
    bool mayJump() const { return (bytes[0] & 0x7f) >= 0x20 && (bytes[0] & 0x7f) <= 0x2f; }
    void mark() { bytes[compact() ? 0 : 3] |= compact() ? 0x80 : 0x40; }
};

class SteppingTest : public testing::Test {
  protected:
    SteppingTest() : kernel(bench.build(kSource, "everything")) { EXPECT_TRUE(control().attach(events.sink())); }
    ~SteppingTest() override { control().detach(); }
    Control& control() { return bench.tile().control(); }
    CodeHeap& code() { return bench.device().code(); }
    Coded at(std::uint32_t ip) {
        Coded coded;
        EXPECT_TRUE(code().read(code().base() + ip, coded.bytes.data(), coded.bytes.size()));
        return coded;
    }
    void breakAt(std::uint32_t ip) {
        Coded coded = at(ip);
        coded.mark();
        EXPECT_TRUE(code().write(code().base() + ip, coded.bytes.data(), coded.bytes.size()));
    }
    void clear(std::uint32_t ip) {
        const Coded coded = at(ip);
        auto bytes = coded.bytes;
        bytes[coded.compact() ? 0 : 3] &= static_cast<std::uint8_t>(~(coded.compact() ? 0x80 : 0x40));
        EXPECT_TRUE(code().write(code().base() + ip, bytes.data(), bytes.size()));
    }
    std::array<std::uint32_t, 4> cr(const ThreadId& thread) {
        std::array<std::uint32_t, 4> values{};
        EXPECT_EQ(control().readRegisters(thread, RegisterSet::cr, 0, 1, values.data()), ControlStatus::ok);
        return values;
    }
    void moveTo(const ThreadId& thread, std::uint32_t ip) {
        auto values = cr(thread);
        values[2] = ip;
        EXPECT_EQ(control().writeRegisters(thread, RegisterSet::cr, 0, 1, values.data()), ControlStatus::ok);
    }
    void go(const ThreadId& thread, bool step) {
        auto values = cr(thread);
        values[0] |= kSuppress;
        values[1] = step ? values[1] | kStep : values[1] & ~kStep;
        EXPECT_EQ(control().writeRegisters(thread, RegisterSet::cr, 0, 1, values.data()), ControlStatus::ok);
        EXPECT_EQ(control().run(thread), 1u);
    }
    /// Where the one thread of the kernel stops, from its first instruction to its end.
    std::vector<std::uint32_t> stops(bool step) {
        out = bench.buffer(kItems);
        count = bench.buffer(1);
        const auto running = bench.launch(kernel, {kItems, 1, 1}, {1, 1, 1}, {out, count});
        std::vector<std::uint32_t> where;
        while (where.size() < kMostStops) {
            KernelBench::eventually([&] { return events.waiting() != 0 || running->done(); });
            if (events.waiting() == 0) break;
            const StopEvent event = events.next();
            EXPECT_EQ(event.cause, step && !where.empty() ? StopCause::step : StopCause::breakpoint);
            where.push_back(cr(event.thread)[2]);
            go(event.thread, step);
        }
        EXPECT_TRUE(running->wait(std::chrono::seconds(10)));
        EXPECT_FALSE(running->fault()) << running->fault().describe();
        EXPECT_EQ(*count, kItems);
        for (std::uint32_t i = 0; i < kItems; ++i) EXPECT_EQ(out[i], expected(i)) << i;
        return where;
    }

    KernelBench bench{"tiny", 1};
    StopEvents events;
    const Kernel kernel;
    std::uint32_t* out = nullptr;
    std::uint32_t* count = nullptr;
};

TEST_F(SteppingTest, NoInstructionIsPassedOver) {
    breakAt(kernel.offset);
    const auto where = stops(true);
    ASSERT_GT(where.size(), 30u);
    EXPECT_EQ(where.front(), kernel.offset);
    std::size_t jumps = 0;
    for (std::size_t i = 1; i < where.size(); ++i) {
        const Coded before = at(where[i - 1]);
        if (where[i] == where[i - 1] + before.length()) continue;
        ++jumps;
        EXPECT_TRUE(before.mayJump()) << std::hex << where[i - 1] << " to " << where[i];
    }
    EXPECT_GT(jumps, 4u) << "branches, a loop, a call and its return";
}

/// Breakpoints on all of them: the thread stops at each, as often as it comes by.
TEST_F(SteppingTest, EveryInstructionTakesABreakpoint) {
    breakAt(kernel.offset);
    const auto stepped = stops(true);
    for (const auto ip : std::set(stepped.begin(), stepped.end())) breakAt(ip);
    EXPECT_EQ(stops(false), stepped);
}

/// And one at a time, in code that is lowered for speed again.
TEST_F(SteppingTest, ABreakpointAloneIsHit) {
    breakAt(kernel.offset);
    const auto stepped = stops(true);
    clear(kernel.offset);
    const std::set<std::uint32_t> visited(stepped.begin(), stepped.end());
    constexpr std::size_t kEach = 9;  // a build each
    std::size_t turn = 0;
    for (const auto ip : visited) {
        if (turn++ % kEach != 0) continue;
        const Kernel fresh = bench.build(kSource, "everything");
        const std::uint32_t place = fresh.offset + (ip - kernel.offset);
        const auto before = code().version();
        breakAt(place);
        EXPECT_GT(code().version(), before) << "nobody stepped here before";
        out = bench.buffer(kItems);
        count = bench.buffer(1);
        const auto running = bench.launch(fresh, {kItems, 1, 1}, {1, 1, 1}, {out, count});
        const StopEvent event = events.next();
        EXPECT_EQ(event.cause, StopCause::breakpoint);
        EXPECT_EQ(cr(event.thread)[2], place);
        clear(place);
        go(event.thread, false);
        ASSERT_TRUE(running->wait(std::chrono::seconds(10)));
        for (std::uint32_t i = 0; i < kItems; ++i) EXPECT_EQ(out[i], expected(i)) << i;
    }
}

/// As debuggers step over a breakpoint without removing it: a copy of the instruction is executed in the debug area.
TEST_F(SteppingTest, AnInstructionIsSteppedOutOfLine) {
    char magic[8] = {};
    ASSERT_TRUE(code().read(code().base(), magic, sizeof magic));
    EXPECT_STREQ(magic, "dbgarea");
    breakAt(kernel.offset);
    out = bench.buffer(kItems);
    count = bench.buffer(1);
    const auto running = bench.launch(kernel, {kItems, 1, 1}, {1, 1, 1}, {out, count});
    const StopEvent hit = events.next();
    // The first and the last places that the header allows, and one between that no line of zeros begins at.
    for (const std::uint32_t scratch : {32u, 1000u, 65504u - 16u}) {
        const std::uint32_t ip = cr(hit.thread)[2];
        std::array<std::uint8_t, 16> copy{};
        const std::uint32_t length = at(ip).length();
        ASSERT_FALSE(at(ip).mayJump());
        ASSERT_TRUE(code().read(code().base() + ip, copy.data(), length));
        copy[length == 8 ? 0 : 3] &= static_cast<std::uint8_t>(~(length == 8 ? 0x80 : 0x40));
        ASSERT_TRUE(code().write(code().base() + scratch, copy.data(), length));
        moveTo(hit.thread, scratch);
        go(hit.thread, true);
        EXPECT_EQ(events.next().cause, StopCause::step);
        EXPECT_EQ(cr(hit.thread)[2], scratch + length);
        moveTo(hit.thread, ip + length);
    }
    go(hit.thread, false);
    ASSERT_TRUE(running->wait(std::chrono::seconds(10)));
    for (std::uint32_t i = 0; i < kItems; ++i) EXPECT_EQ(out[i], expected(i)) << i;
}

TEST_F(SteppingTest, AnIllegalInstructionSaysThatItIsOne) {
    const std::array<std::uint8_t, 16> illegal{};
    std::array<std::uint8_t, 16> kept{};
    ASSERT_TRUE(code().read(code().base() + kernel.offset, kept.data(), kept.size()));
    ASSERT_TRUE(code().write(code().base() + kernel.offset, illegal.data(), illegal.size()));
    out = bench.buffer(kItems);
    count = bench.buffer(1);
    const auto running = bench.launch(kernel, {kItems, 1, 1}, {1, 1, 1}, {out, count});
    const StopEvent event = events.next();
    EXPECT_EQ(event.cause, StopCause::illegal);
    constexpr std::uint32_t kIllegal = 1u << 28;
    EXPECT_EQ(cr(event.thread)[1] & (kIllegal | kStep), kIllegal);
    EXPECT_EQ(cr(event.thread)[2], kernel.offset);
    ASSERT_TRUE(code().write(code().base() + kernel.offset, kept.data(), kept.size()));
    go(event.thread, false);
    ASSERT_TRUE(running->wait(std::chrono::seconds(10))) << "what was put in its place is executed";
    for (std::uint32_t i = 0; i < kItems; ++i) EXPECT_EQ(out[i], expected(i)) << i;
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
