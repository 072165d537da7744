// Threads of a group that meet at barriers in host code: what they do, count and look like is what each does alone.
#include "emulator/isa/company.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "emulator/isa/float_mode.h"
#include "emulator/translate/executable_memory.h"
#include "emulator/translate/translation.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kCompanyBase = 0x10000;
constexpr std::uint32_t kMembers = 3;
constexpr std::uint32_t kRoundUp = 1u << isa::kRoundingShift;
/// Two meetings; r40 counts the stretches behind them, r41 gets the sum of r42 and r43 in the thread's own mode.
constexpr const char* kTwoMeetings =
    "(W) send.gtwy (1|M0) null r3 null:0 0x0 0x02000004\n"
    "(W) sync.bar 0x0\n"
    "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 1:w\n"
    "add (16|M0) r41.0<1>:f r42.0<1;1,0>:f r43.0<1;1,0>:f\n"
    "(W) send.gtwy (1|M0) null r3 null:0 0x0 0x02000004\n"
    "(W) sync.bar 0x0\n"
    "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 1:w";
constexpr const char* kEndlessMeetings =
    "(W) send.gtwy (1|M0) null r3 null:0 0x0 0x02000004\n"
    "(W) sync.bar 0x0\n"
    "(W) jmpi -32";

/// The same two while lanes 0 to 3 wait behind them. The second join ends a block: what threads hold when they end is
/// lost.
constexpr const char* kMeetingsOfSomeLanes =
    "(f0.0) goto (16|M0) L1 L1\n"
    "(W) send.gtwy (1|M0) null r3 null:0 0x0 0x02000004\n"
    "(W) sync.bar 0x0\n"
    "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 1:w\n"
    "(W) send.gtwy (1|M0) null r3 null:0 0x0 0x02000004\n"
    "(W) sync.bar 0x0\n"
    "L1:\njoin (16|M0) L2\n"
    "L2:\nadd (16|M0) r40.0<1>:d r40.0<1;1,0>:d 1:w\n"
    "join (16|M0) L3\n"
    "L3:";
constexpr std::uint32_t kWaitingLanes = 0xf;

/// Its entry is in a loop, and begins with an access that overruns local memory at the second pass: lanes 0 to 7 wait
/// at the join then.
constexpr const char* kEntryInALoop =
    "send.slm (16|M0) null r70 r12:1 0x0 0x02000504\n"
    "(f0.0) goto (16|M0) J J\n"
    "mov (16|M0) r70.0<1>:ud r50.0<1;1,0>:ud\n"
    "(W) add (1|M0) r44.0<1>:d r44.0<0;1,0>:d 1:w\n"
    "(W) cmp (1|M0) (lt)f1.0 null<1>:d r44.0<0;1,0>:d 2:w\n"
    "(W&f1.0) jmpi -80\n"
    "J:\njoin (16|M0) E\n"
    "E:\nadd (16|M0) r40.0<1>:d r40.0<1;1,0>:d 1:w\n"
    "(W) send.gtwy (1|M0) null r3 null:0 0x0 0x02000004\n"
    "(W) sync.bar 0x0\n"
    "(W) jmpi 16\n";

class CompanyTest : public testing::Test {
  protected:
    void SetUp() override {
        const bool translates = emulator::translate::hostObstacle().empty();
        if (!translates) GTEST_SKIP() << "nothing is translated here";
    }
    void load(const char* text) {
        world.load(assembleProgram(text));
        emulator::translate::translateAnyway(world.program(), kCompanyBase, 16,
                                             emulator::translate::Registers::dropped);
        runs.assign(world.program().lineCount() + 1, 0);
        for (auto& member : members) prepare(*(member = std::make_unique<isa::Thread>()));
    }
    void prepare(isa::Thread& thread) {
        thread.reset();
        thread.dispatched = 0xffff;
        thread.environment = &world;
        thread.hostMode = mode.current();
        thread.runs = runs.data();
        thread.at<std::uint32_t>(isa::layout::kControl) = isa::kKeepSingleDenormals | isa::kKeepDoubleDenormals;
        reinterpret_cast<std::uint32_t*>(thread.grf(3))[2] = kMembers << 24 | kMembers << 16;
        for (int lane = 0; lane < 16; ++lane) {
            reinterpret_cast<float*>(thread.grf(42))[lane] = 1;
            reinterpret_cast<float*>(thread.grf(43))[lane] = 0x1p-30f;
        }
        thread.enter(world.program(), kCompanyBase);
    }
    void begin(std::int64_t quantum) {
        company.begin(barrier, quantum);
        for (std::uint32_t i = 0; i < kMembers; ++i) company.join(*members[i], phases[i]);
    }
    /// By another: a debugger let it pass over a breakpoint, so to speak.
    void keepFromBeginning(std::uint32_t index) { members[index]->resumedAt = members[index]->pc; }
    /// Which of them stopped.
    std::uint32_t run(std::uint32_t index) {
        const isa::Thread& last = company.run(*members[index], false);
        for (std::uint32_t i = 0; i < kMembers; ++i)
            if (members[i].get() == &last) return i;
        return kMembers;
    }
    std::int32_t stretches(std::uint32_t index) { return *reinterpret_cast<std::int32_t*>(members[index]->grf(40)); }
    float sum(std::uint32_t index) { return *reinterpret_cast<float*>(members[index]->grf(41)); }

    isa::FloatModeGuard mode;
    LoneThread world;
    std::array<std::unique_ptr<isa::Thread>, kMembers> members;
    std::array<std::uint32_t, kMembers> phases{};
    isa::GroupBarrier barrier;
    isa::Company company;
    std::vector<std::int64_t> runs;
};

TEST_F(CompanyTest, AllBeginMeetAndEndWithoutLeavingHostCode) {
    load(kTwoMeetings);
    begin(1000);
    ASSERT_EQ(run(0), 0u);  // 1 opens the second barrier and ends, 2 ends, 0 is the last
    EXPECT_EQ(barrier.phase, 3u);
    const std::uint64_t lines = world.program().lineCount();
    EXPECT_EQ(company.end(), kMembers * lines);
    for (const auto& member : members) {
        EXPECT_EQ(member->status, isa::Status::done);
        EXPECT_EQ(member->executed, lines);
        EXPECT_EQ(member->at<std::uint32_t>(isa::layout::kControl + 8), 0u);
        EXPECT_FALSE(member->strayed);
    }
    EXPECT_EQ(runs[0], std::int64_t{kMembers});
    EXPECT_EQ(runs[world.program().lineCount()], -std::int64_t{kMembers});
    EXPECT_TRUE(world.signals.empty());
}

// What has run already, and is let go on where it began, does not begin anew: its lanes wait.
TEST_F(CompanyTest, WhoIsLetGoOnAtItsEntryDoesNotBegin) {
    constexpr std::size_t kLocal = 4096;
    std::vector<std::byte> local(2 * kLocal);
    load(kEntryInALoop);
    for (std::uint32_t i = 0; i < kMembers; ++i) {
        isa::Thread& t = *members[i];
        t.local = std::span(local).first(kLocal);
        t.at<std::uint32_t>(isa::layout::kFlags) = 0xff;
        for (std::uint32_t lane = 0; lane < 16; ++lane) {
            reinterpret_cast<std::uint32_t*>(t.grf(70))[lane] = lane * 4;
            reinterpret_cast<std::uint32_t*>(t.grf(50))[lane] = (i == 1 ? kLocal + 900 : 0) + lane * 4;
        }
    }
    begin(10'000);
    ASSERT_EQ(run(1), 1u);
    ASSERT_EQ(members[1]->status, isa::Status::faulted);
    members[1]->local = local;
    members[1]->retry();
    for (int turns = 0; turns < 10; ++turns)
        for (std::uint32_t i = 0; i < kMembers; ++i)
            if (members[i]->status == isa::Status::ready ||
                (members[i]->status == isa::Status::atBarrier && barrier.phase > phases[i]))
                run(i);
    company.end();
    for (std::uint32_t i = 0; i < kMembers; ++i)
        for (std::uint32_t lane = 0; lane < 16; ++lane)
            EXPECT_EQ(reinterpret_cast<std::int32_t*>(members[i]->grf(40))[lane], 1) << i << " " << lane;
}

TEST_F(CompanyTest, WhoeverWaitsIsFollowedByThoseThatMay) {
    load(kTwoMeetings);
    begin(1000);
    keepFromBeginning(1);
    keepFromBeginning(2);
    ASSERT_EQ(run(0), 0u);
    ASSERT_EQ(run(1), 1u);
    EXPECT_EQ(barrier.arrived, 2u);
    EXPECT_EQ(members[0]->status, isa::Status::atBarrier);
    EXPECT_EQ(members[0]->at<std::uint32_t>(isa::layout::kControl + 8), members[0]->ip());
    EXPECT_EQ(members[0]->fuel, 998);
    ASSERT_EQ(run(2), 0u);  // 2 opens the first barrier, 1 the second and ends; 2 and 0 end behind it
    EXPECT_EQ(company.end(), kMembers * world.program().lineCount());
    for (const auto& member : members) EXPECT_EQ(member->status, isa::Status::done);
}

TEST_F(CompanyTest, ThoseThatHaveEndedArePassedOver) {
    constexpr std::uint32_t kTwo = 2u << 24 | 2u << 16;
    load(
        "(W&f0.0) jmpi 64\n"
        "(W) send.gtwy (1|M0) null r3 null:0 0x0 0x02000004\n"
        "(W) sync.bar 0x0\n"
        "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 1:w");
    for (const auto& member : members) reinterpret_cast<std::uint32_t*>(member->grf(3))[2] = kTwo;
    members[1]->at<std::uint32_t>(isa::layout::kFlags) = 1;
    begin(1000);
    ASSERT_EQ(run(1), 2u);  // 1 ends, 2 waits, 0 opens the barrier and ends, 2 ends
    company.end();
    for (const auto& member : members) EXPECT_EQ(member->status, isa::Status::done);
}

TEST_F(CompanyTest, NobodyElseBeginsAThreadOfWhichADebuggerHasSomethingToSay) {
    constexpr std::uint32_t kSuppress = 1u << 15;
    constexpr std::uint32_t kStep = 1u << 31;
    using Change = void (*)(isa::Thread&);
    constexpr Change kChanges[] = {
        [](isa::Thread& t) { t.at<std::uint32_t>(isa::layout::kControl) |= kSuppress; },
        [](isa::Thread& t) { t.at<std::uint32_t>(isa::layout::kControl + 4) |= kStep; },
        [](isa::Thread& t) { t.at<std::uint32_t>(isa::layout::kControl + 8) += 16; },
        [](isa::Thread& t) { t.resumedAt = t.pc; },
        [](isa::Thread& t) { t.status = isa::Status::paused; },
        [](isa::Thread& t) { t.fuel = -1; },
        [](isa::Thread& t) { ++t.pc; },
    };
    for (std::size_t i = 0; i < std::size(kChanges); ++i) {
        load(kTwoMeetings);
        barrier = {};
        phases = {};
        begin(1000);
        kChanges[i](*members[1]);
        EXPECT_EQ(run(0), 0u) << i;
        EXPECT_EQ(barrier.arrived, 1u) << i;
        EXPECT_EQ(members[1]->companion.goesOnAt, nullptr) << i;
        company.end();
    }
}

TEST_F(CompanyTest, LanesThatWaitStayWithTheirThread) {
    constexpr std::uint32_t kNowhere = ~0u;
    load(kMeetingsOfSomeLanes);
    for (const auto& member : members) member->at<std::uint32_t>(isa::layout::kFlags) = kWaitingLanes;
    const auto waits = [&](std::uint32_t index) {
        std::uint32_t lanes = 0;
        for (std::uint32_t lane = 0; lane < 32; ++lane)
            lanes |= std::uint32_t{members[index]->waiting[lane] != kNowhere} << lane;
        return lanes;
    };
    begin(1000);
    keepFromBeginning(2);
    run(0);
    EXPECT_EQ(waits(0), kWaitingLanes);
    EXPECT_EQ(waits(1), kWaitingLanes);
    EXPECT_EQ(waits(2), 0u);
    ASSERT_EQ(run(2), 0u);  // 2 opens the first, 1 the second
    company.end();
    for (const auto& member : members) {
        EXPECT_EQ(member->status, isa::Status::done);
        EXPECT_EQ(member->active, 0xffffu);
        for (std::uint32_t lane = 0; lane < 16; ++lane)
            EXPECT_EQ(reinterpret_cast<std::int32_t*>(member->grf(40))[lane], (kWaitingLanes >> lane & 1) != 0 ? 1 : 2)
                << "lane " << lane;
    }
}

TEST_F(CompanyTest, EachComputesInItsOwnMode) {
    load(kTwoMeetings);
    members[0]->at<std::uint32_t>(isa::layout::kControl) |= kRoundUp;
    begin(1000);
    run(0);
    run(1);
    ASSERT_EQ(run(2), 0u);  // 2 waits again, and the mode is not that of 0
    EXPECT_EQ(members[0]->status, isa::Status::atBarrier);
    EXPECT_EQ(stretches(0), 0);
    run(0);
    EXPECT_GT(sum(0), 1);
    EXPECT_EQ(sum(2), 1);
    company.end();
}

TEST_F(CompanyTest, EndlessMeetingsEndWithTheQuantum) {
    constexpr std::int64_t kInstructions = 300;
    load(kEndlessMeetings);
    begin(kInstructions);
    for (std::uint32_t i = 0; i < kMembers; ++i) run(i);
    const std::uint64_t executed = company.end();
    EXPECT_GT(executed, std::uint64_t{kInstructions});
    EXPECT_LT(executed, (kInstructions + 10) * std::uint64_t{kMembers});
    EXPECT_TRUE(world.signals.empty());
    for (const auto& member : members) EXPECT_EQ(member->companion.meeting, nullptr);
}

TEST_F(CompanyTest, SignalsThatContradictEachOtherAreTheMachines) {
    load(kTwoMeetings);
    reinterpret_cast<std::uint32_t*>(members[1]->grf(3))[2] = 0x02020000;
    begin(1000);
    EXPECT_EQ(run(0), 2u);  // this machine lets 1 go on
    ASSERT_FALSE(world.signals.empty());
    EXPECT_EQ(world.signals[0].producers, 2);
    EXPECT_EQ(barrier.arrived, 2u);
    company.end();
}

}  // namespace
}  // namespace zetl::test
