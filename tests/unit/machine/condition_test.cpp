// Conditions of breakpoints that threads evaluate themselves: which threads stop.
#include "isa/xe/condition.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "emulator/isa/registers.h"
#include "stop_events.h"

namespace zetl::emulator::machine::bench {
namespace {

using zetl::isa::xe::ConditionStep;
using Operation = zetl::isa::xe::ConditionOperation;

constexpr std::uint32_t kConditionGroups = 8;
constexpr std::uint32_t kConditionItems = 16;  // of a group: one thread

ConditionStep stepOf(Operation operation, std::uint32_t bits = 0, std::uint64_t value = 0) {
    return {static_cast<std::uint32_t>(operation), bits, value};
}

/// A breakpoint at the kernel's first instruction.
class ConditionTest : public testing::Test {
  protected:
    ConditionTest() {
        EXPECT_TRUE(control().attach(events.sink()));
        setBreakpoint();
    }
    ~ConditionTest() override { control().detach(); }
    void setBreakpoint() {
        where = kernel.code->address() + kernel.offset - kernel.code->offset();
        CodeHeap& code = bench.device().code();
        std::uint8_t first[16] = {};
        EXPECT_TRUE(code.read(where, first, sizeof first));
        const bool compact = (first[3] & 0x20) != 0;
        first[compact ? 0 : 3] |= compact ? 0x80 : 0x40;
        EXPECT_TRUE(code.write(where, first, compact ? 8 : 16));
    }
    Control& control() { return bench.tile().control(); }
    bool set(const std::vector<ConditionStep>& steps) {
        return control().setCondition(static_cast<std::uint32_t>(where - bench.device().code().base()), steps);
    }
    std::shared_ptr<Dispatch> launch() {
        return bench.launch(kernel, {kConditionItems, 1, 1}, {kConditionGroups, 1, 1}, {data});
    }
    void letGo(const ThreadId& thread) {
        std::uint32_t cr[4] = {};
        ASSERT_EQ(control().readRegisters(thread, isa::RegisterSet::cr, 0, 1, cr), ControlStatus::ok);
        cr[0] |= kSuppress;
        cr[1] &= ~kStep;
        ASSERT_EQ(control().writeRegisters(thread, isa::RegisterSet::cr, 0, 1, cr), ControlStatus::ok);
        control().run(thread);
    }
    void expectResults() const {
        for (std::uint32_t i = 0; i < kConditionGroups * kConditionItems; ++i) EXPECT_EQ(data[i], i + 5);
    }
    /// The number of the work-group in r0.1.
    static std::vector<ConditionStep> groupIs(std::uint64_t number) {
        return {stepOf(Operation::number, 0, 32), stepOf(Operation::registerBits, 32),
                stepOf(Operation::number, 0, number), stepOf(Operation::equal)};
    }

    static constexpr std::uint32_t kWorkers = 2;
    KernelBench bench{"small", kWorkers};
    StopEvents events;
    Kernel kernel =
        bench.build("kernel void work(global uint* data) { uint i = get_global_id(0); data[i] = i + 5; }", "work");
    std::uint32_t* const data = bench.buffer(std::size_t{kConditionGroups} * kConditionItems);
    std::uint64_t where = 0;
};

TEST_F(ConditionTest, OnlyTheThreadForWhichItIsTrueStops) {
    ASSERT_TRUE(set(groupIs(3)));
    const auto running = launch();
    const StopEvent event = events.next();
    EXPECT_EQ(event.cause, StopCause::breakpoint);
    std::uint32_t r0[16] = {};
    ASSERT_EQ(control().readRegisters(event.thread, isa::RegisterSet::grf, 0, 1, r0), ControlStatus::ok);
    EXPECT_EQ(r0[1], 3u);
    letGo(event.thread);
    ASSERT_TRUE(running->wait(std::chrono::minutes(1)));
    EXPECT_EQ(events.waiting(), 0u);
    EXPECT_EQ(control().conditionCounts().passed, kConditionGroups - 1);
    EXPECT_EQ(control().conditionCounts().unknown, 0u);
    expectResults();
}

TEST_F(ConditionTest, WhatCannotBeReadStopsAndIsCounted) {
    ASSERT_TRUE(set({stepOf(Operation::number, 0, 0x10), stepOf(Operation::memory, 64)}));
    const auto running = launch();
    for (std::uint32_t stops = 0; stops < kConditionGroups; ++stops) letGo(events.next().thread);
    ASSERT_TRUE(running->wait(std::chrono::minutes(1)));
    EXPECT_EQ(control().conditionCounts().unknown, kConditionGroups);
    expectResults();
}

TEST_F(ConditionTest, HostilePlacesAreUnknown) {
    const std::vector<std::vector<ConditionStep>> all = {
        {stepOf(Operation::number, 0, UINT64_MAX), stepOf(Operation::memory, 8)},
        {stepOf(Operation::number, 0, UINT64_MAX - 3), stepOf(Operation::memory, 64)},
        {stepOf(Operation::number, 0, UINT64_MAX), stepOf(Operation::registerBits, 64)},
        {stepOf(Operation::number, 0, std::uint64_t{128} * 512 - 8), stepOf(Operation::registerBits, 64)},
        {stepOf(Operation::number, 0, 0), stepOf(Operation::local, 64)},
        {stepOf(Operation::number, 0, 0x0a00'0000'0fff'ffff), stepOf(Operation::memory, 64)},
        {stepOf(Operation::number, 0, 0x1fff'ffff), stepOf(Operation::memory, 64)},
        {stepOf(Operation::base, 0, UINT64_MAX)}};
    for (const auto& each : all) {
        ASSERT_TRUE(set(each));
        const auto running = launch();
        for (std::uint32_t stops = 0; stops < kConditionGroups; ++stops) letGo(events.next().thread);
        ASSERT_TRUE(running->wait(std::chrono::minutes(1)));
    }
    EXPECT_EQ(control().conditionCounts().unknown, all.size() * kConditionGroups);
}

TEST_F(ConditionTest, WhatIsNoConditionIsRefusedAndTheFormerOneStays) {
    ASSERT_TRUE(set(groupIs(kConditionGroups)));
    EXPECT_FALSE(set({stepOf(Operation::add)}));
    EXPECT_FALSE(set({stepOf(Operation::number), stepOf(Operation::number)}));
    EXPECT_FALSE(set({stepOf(Operation::number), stepOf(Operation::memory, 24)}));
    EXPECT_FALSE(set({{zetl::isa::xe::kConditionOperations, 0, 0}}));
    EXPECT_FALSE(set(std::vector<ConditionStep>(zetl::isa::xe::kMostConditionSteps + 1, stepOf(Operation::number))));
    const auto running = launch();
    ASSERT_TRUE(running->wait(std::chrono::minutes(1))) << "false for every group";
    EXPECT_EQ(events.waiting(), 0u);
    EXPECT_TRUE(set({}));
    const auto again = launch();
    for (std::uint32_t stops = 0; stops < kConditionGroups; ++stops) letGo(events.next().thread);
    ASSERT_TRUE(again->wait(std::chrono::minutes(1)));
}

TEST_F(ConditionTest, ADebuggerThatLeavesTakesItsConditionsAlong) {
    ASSERT_TRUE(set(groupIs(kConditionGroups)));
    control().detach();
    ASSERT_TRUE(control().attach(events.sink()));
    setBreakpoint();
    const auto running = launch();
    for (std::uint32_t stops = 0; stops < kConditionGroups; ++stops) letGo(events.next().thread);
    ASSERT_TRUE(running->wait(std::chrono::minutes(1)));
    EXPECT_EQ(control().conditionCounts().passed, 0u);
    expectResults();
}

TEST_F(ConditionTest, AStepStopsWhateverTheConditionSays) {
    ASSERT_TRUE(set({stepOf(Operation::number, 0, 1)}));
    const auto running = launch();
    const ThreadId first = events.next().thread;
    ASSERT_TRUE(set({stepOf(Operation::number, 0, 0)}));
    std::uint32_t cr[4] = {};
    ASSERT_EQ(control().readRegisters(first, isa::RegisterSet::cr, 0, 1, cr), ControlStatus::ok);
    cr[1] |= kStep;
    ASSERT_EQ(control().writeRegisters(first, isa::RegisterSet::cr, 0, 1, cr), ControlStatus::ok);
    control().run(first);
    StopEvent event = events.next();
    while (event.thread != first) {  // one that had come before the condition changed
        letGo(event.thread);
        event = events.next();
    }
    EXPECT_EQ(event.thread, first);
    letGo(first);
    while (!running->wait(std::chrono::milliseconds(1)))
        if (events.waiting() != 0) letGo(events.next().thread);
    expectResults();
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
