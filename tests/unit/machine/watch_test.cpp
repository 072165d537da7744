// Memory that a debugger watches: which threads stop, and what is reported of them.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "emulator/isa/registers.h"
#include "stop_events.h"

namespace zetl::emulator::machine::bench {
namespace {

constexpr ThreadId kEveryThread{};
constexpr std::uint32_t kWatchedGroups = 8;
constexpr std::uint32_t kWatchedItems = 64;  // of a group

class WatchTest : public testing::Test {
  protected:
    ~WatchTest() override { control().detach(); }
    Control& control() { return bench.tile().control(); }

    bool watch(const void* address, std::uint64_t bytes) {
        const WatchedRange range{reinterpret_cast<std::uint64_t>(address), bytes};
        return control().watch({&range, 1});
    }
    std::shared_ptr<Dispatch> launch(const std::string& statement, std::uint32_t* data) {
        const Kernel kernel =
            bench.build("kernel void work(global uint* data) { uint i = get_global_id(0); " + statement + " }", "work");
        return bench.launch(kernel, {kWatchedItems, 1, 1}, {kWatchedGroups, 1, 1}, {data});
    }
    /// The thread goes on, not by a single step.
    void letGo(const ThreadId& thread) {
        std::array<std::uint32_t, 4> cr{};
        ASSERT_EQ(control().readRegisters(thread, isa::RegisterSet::cr, 0, 1, cr.data()), ControlStatus::ok);
        cr[1] &= ~kStep;
        ASSERT_EQ(control().writeRegisters(thread, isa::RegisterSet::cr, 0, 1, cr.data()), ControlStatus::ok);
        control().run(thread);
    }
    static std::uint32_t first(const std::byte* bytes) {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes, sizeof value);
        return value;
    }

    static constexpr std::uint32_t kWorkers = 2;
    KernelBench bench{"small", kWorkers};
    StopEvents events;
};

TEST_F(WatchTest, TheThreadAndTheLaneThatChangeItStop) {
    auto* const data = bench.buffer(std::size_t{kWatchedGroups} * kWatchedItems);
    ASSERT_TRUE(control().attach(events.sink()));
    ASSERT_TRUE(watch(&data[37], sizeof *data));
    const auto running = launch("data[i] = i + 5;", data);
    const StopEvent event = events.next();
    EXPECT_EQ(event.cause, StopCause::step);
    EXPECT_EQ(data[37], 42u) << "it stands behind the instruction";
    const auto hits = control().takeWatchHits();
    ASSERT_EQ(hits.size(), 1u);
    EXPECT_EQ(first(hits[0].before), 0u);
    EXPECT_EQ(first(hits[0].after), 42u);
    EXPECT_EQ(std::popcount(hits[0].lanes), 1);
    EXPECT_EQ(static_cast<std::uint32_t>(std::countr_zero(hits[0].lanes)) % 16, 37u % 16);
    EXPECT_EQ(hits[0].slot, bench.device().profile().slotOf(event.thread));
    EXPECT_TRUE(control().takeWatchHits().empty()) << "they are taken once";
    letGo(event.thread);
    ASSERT_TRUE(running->wait(std::chrono::minutes(1)));
    for (std::uint32_t i = 0; i < kWatchedGroups * kWatchedItems; ++i)
        EXPECT_EQ(data[i], i + 5) << "nothing else was disturbed";
    EXPECT_EQ(events.waiting(), 0u);
}

TEST_F(WatchTest, EveryChangeByAnAtomicStopsAndNoneIsLost) {
    auto* const data = bench.buffer(kWatchedItems);
    ASSERT_TRUE(control().attach(events.sink()));
    ASSERT_TRUE(watch(data, sizeof *data));
    const auto running = launch("if (get_local_id(0) == 3) atomic_add(data, 2);", data);
    std::uint32_t sum = 0;
    for (std::uint32_t stops = 0; stops < kWatchedGroups; ++stops) letGo(events.next().thread);
    ASSERT_TRUE(running->wait(std::chrono::minutes(1)));
    const auto hits = control().takeWatchHits();
    EXPECT_EQ(hits.size(), kWatchedGroups);
    for (const WatchHit& hit : hits) {
        EXPECT_EQ(first(hit.before), sum) << "in the order in which they happened";
        sum += 2;
        EXPECT_EQ(first(hit.after), sum);
        EXPECT_EQ(std::popcount(hit.lanes), 1) << "the compiler lets one lane add for all";
    }
    EXPECT_EQ(data[0], 2 * kWatchedGroups);
}

TEST_F(WatchTest, NeighboursAndTheSameValueAgainDoNotStop) {
    auto* const data = bench.buffer(std::size_t{kWatchedGroups} * kWatchedItems);
    data[37] = 42;
    ASSERT_TRUE(control().attach(events.sink()));
    ASSERT_TRUE(watch(&data[37], sizeof *data));
    const auto running = launch("data[i] = i + 5;", data);
    ASSERT_TRUE(running->wait(std::chrono::minutes(1)));
    EXPECT_EQ(events.waiting(), 0u);
    EXPECT_EQ(data[36], 41u);
    EXPECT_EQ(data[38], 43u);
}

TEST_F(WatchTest, LocalMemoryIsWatchedInItsWorkGroupAlone) {
    constexpr const char* kStatement =
        "local uint own[64]; uint l = get_local_id(0); own[l] = i + 1; barrier(CLK_LOCAL_MEM_FENCE);"
        "if (l == 7) atomic_add(&own[37], 1000u); barrier(CLK_LOCAL_MEM_FENCE); data[i] = own[63 - l];";
    constexpr std::uint32_t kGroup = 3;
    auto* const data = bench.buffer(std::size_t{kWatchedGroups} * kWatchedItems);
    ASSERT_TRUE(control().attach(events.sink()));
    const WatchedRange range{37 * sizeof *data, sizeof *data, {kGroup, 0, 0}, 1};
    ASSERT_TRUE(control().watch({&range, 1}));
    const auto running = launch(kStatement, data);
    constexpr std::uint32_t kFirst = kGroup * kWatchedItems + 37 + 1;
    std::uint32_t before = 0;
    for (const std::uint32_t after : {kFirst, kFirst + 1000}) {
        const StopEvent event = events.next();
        EXPECT_EQ(event.cause, StopCause::step);
        std::uint32_t seen = 0;
        EXPECT_EQ(control().readSlm(event.thread, range.address, &seen, sizeof seen), ControlStatus::ok);
        EXPECT_EQ(seen, after) << "a debugger sees what is hidden from the thread";
        const auto hits = control().takeWatchHits();
        ASSERT_EQ(hits.size(), 1u);
        EXPECT_EQ(first(hits[0].before), before);
        EXPECT_EQ(first(hits[0].after), after);
        EXPECT_EQ(std::popcount(hits[0].lanes), 1);
        before = after;
        letGo(event.thread);
    }
    ASSERT_TRUE(running->wait(std::chrono::minutes(1)));
    EXPECT_FALSE(running->fault());
    for (std::uint32_t i = 0; i < kWatchedGroups * kWatchedItems; ++i) {
        const std::uint32_t from = i / kWatchedItems * kWatchedItems + 63 - i % kWatchedItems;
        EXPECT_EQ(data[i], from + 1 + (from % kWatchedItems == 37 ? 1000 : 0)) << "nothing else was disturbed";
    }
    EXPECT_EQ(events.waiting(), 0u);
}

TEST_F(WatchTest, AccessesBeyondLocalMemoryThatIsWatchedFail) {
    auto* const data = bench.buffer(std::size_t{kWatchedGroups} * kWatchedItems);
    ASSERT_TRUE(control().attach(events.sink()));
    const WatchedRange range{0, sizeof *data, {0, 0, 0}, 1};
    ASSERT_TRUE(control().watch({&range, 1}));
    const auto running =
        launch("local uint own[64]; own[i + 1] = 7; own[i == 0 ? 1 << 20 : i] = 1; data[i] = own[1];", data);
    const StopEvent event = events.next();
    EXPECT_EQ(event.cause, StopCause::fault);
    control().detach();
    ASSERT_TRUE(running->wait(std::chrono::minutes(1)));
}

TEST_F(WatchTest, WhatCannotBeWatchedIsRefusedAndNothingIs) {
    auto* const data = bench.buffer(std::size_t{kWatchedGroups} * kWatchedItems);
    ASSERT_TRUE(control().attach(events.sink()));
    ASSERT_TRUE(watch(&data[1], sizeof *data));
    EXPECT_FALSE(watch(data, 0));
    EXPECT_FALSE(watch(data, std::uint64_t{2} << 20));
    EXPECT_FALSE(watch(data, UINT64_MAX));
    EXPECT_FALSE(
        control().watch(std::vector<WatchedRange>(65, WatchedRange{reinterpret_cast<std::uint64_t>(data), 4})));
    const auto running = launch("data[i] = 7;", data);
    ASSERT_TRUE(running->wait(std::chrono::minutes(1)));
    EXPECT_EQ(events.waiting(), 0u);
    EXPECT_TRUE(control().takeWatchHits().empty());
}

TEST_F(WatchTest, ADebuggerThatLeavesTakesItsWatchesAlong) {
    auto* const data = bench.buffer(std::size_t{kWatchedGroups} * kWatchedItems);
    ASSERT_TRUE(control().attach(events.sink()));
    ASSERT_TRUE(watch(data, sizeof *data));
    const auto running = launch("data[0] = i + 1;", data);
    events.next();
    control().detach();
    ASSERT_TRUE(running->wait(std::chrono::minutes(1))) << "nobody stops any more";
    EXPECT_NE(data[0], 0u);
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
