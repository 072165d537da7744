// Threads of a group by one function: the same memory and counts as one after the other by steps, and no effect of the
// thread at which it stops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "emulator/isa/code.h"
#include "emulator/translate/executable_memory.h"
#include "emulator/translate/translation.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

using emulator::translate::GroupWork;

constexpr std::uint32_t kGroupBase = 0x10000;
constexpr std::uint32_t kThreads = 8;
constexpr std::uint32_t kThreadBytes = 64;
/// Each thread adds seven to its sixteen dwords behind the address in r5; r20 has the lanes' distances. Beside r0.2
/// everything is the same for all threads, so r12 is worked out once, and so is r10.1, though r10.0 is not.
constexpr const char* kAddSeven =
    "(W) and (1|M0) r10.0<1>:ud r0.4<0;1,0>:uw 0xFF:uw\n"
    "(W) mov (1|M0) r10.1<1>:ud 0x7:ud\n"
    "(W) shl (1|M0) r10.0<1>:ud r10.0<0;1,0>:ud 6:w\n"
    "add (16|M0) r12.0<1>:q r20.0<1;1,0>:q r5.0<0;1,0>:q\n"
    "add (16|M0) r14.0<1>:q r12.0<1;1,0>:q r10.0<0;1,0>:ud\n"
    "send.ugm (16|M0) r16 r14 null:0 0x0 0x04100580\n"
    "add (16|M0) r17.0<1>:d r16.0<1;1,0>:d r10.1<0;1,0>:d\n"
    "send.ugm (16|M0) null r14 r17:1 0x0 0x04000584";

/// The same for groups, whose dwords lie one behind the other.
constexpr const char* kAddSevenInGroups =
    "(W) and (1|M0) r10.0<1>:ud r0.4<0;1,0>:uw 0xFF:uw\n"
    "(W) mov (1|M0) r10.1<1>:ud 0x7:ud\n"
    "(W) shl (1|M0) r11.0<1>:ud r0.1<0;1,0>:ud 3:w\n"
    "(W) add (1|M0) r10.0<1>:ud r10.0<0;1,0>:ud r11.0<0;1,0>:ud\n"
    "(W) shl (1|M0) r10.0<1>:ud r10.0<0;1,0>:ud 6:w\n"
    "add (16|M0) r12.0<1>:q r20.0<1;1,0>:q r5.0<0;1,0>:q\n"
    "add (16|M0) r14.0<1>:q r12.0<1;1,0>:q r10.0<0;1,0>:ud\n"
    "send.ugm (16|M0) r16 r14 null:0 0x0 0x04100580\n"
    "add (16|M0) r17.0<1>:d r16.0<1;1,0>:d r10.1<0;1,0>:d\n"
    "send.ugm (16|M0) null r14 r17:1 0x0 0x04000584";
constexpr std::uint32_t kGroups = 3;

class Group : public testing::Test {
  protected:
    void load(const char* text) {
        t.load(assembleProgram(text));
        report =
            emulator::translate::translateAnyway(t.program(), kGroupBase, 16, emulator::translate::Registers::dropped);
        runs.assign(t.program().lineCount() + 1, 0);
        area = &t.allocate(kGroups * kThreads * kThreadBytes);
    }
    bool translates() const { return emulator::translate::hostObstacle().empty(); }
    /// A state as the machine prepares it.
    void prepare(isa::Thread& thread, std::uint32_t index, std::uint32_t group = 0) {
        thread.reset();
        thread.at<std::uint32_t>(4) = group;
        thread.dispatched = 0xffff;
        thread.runs = runs.data();
        thread.at<std::uint32_t>(8) = index | kThreads << 24;
        const std::uint64_t address = LoneThread::addressOf(*area);
        std::memcpy(thread.grf(5), &address, sizeof address);
        for (std::uint64_t lane = 0; lane < 16; ++lane) {
            const std::uint64_t distance = lane * 4;
            std::memcpy(thread.grf(20) + lane * 8, &distance, sizeof distance);
        }
    }
    isa::Status runAlone(std::uint32_t index, isa::Windows windows, std::uint32_t group = 0) {
        prepare(t.thread(), index, group);
        t.thread().enter(t.program(), kGroupBase);
        isa::resume(t.thread(), isa::kQuantum, windows);
        return t.thread().status;
    }
    std::uint32_t runTogether(std::uint32_t first) {
        prepare(t.thread(), 0);
        GroupWork work{.first = first, .threads = kThreads};
        report.group->run(t.thread(), work);
        return work.groups == 0 ? kThreads : work.first;
    }
    std::uint32_t dwordAt(std::size_t place) const {
        std::uint32_t value = 0;
        std::memcpy(&value, area->data() + place, sizeof value);
        return value;
    }

    void expectGroupsDoTheSame(const char* text);

    LoneThread t;
    emulator::translate::Report report;
    std::vector<std::int64_t> runs;
    std::vector<std::byte>* area = nullptr;
};

TEST_F(Group, ThreadsTogetherDoAndCountWhatTheyDoAlone) {
    if (!translates()) GTEST_SKIP();
    load(kAddSeven);
    ASSERT_NE(report.group, nullptr);
    EXPECT_EQ(report.group->work, t.program().lineCount());
    for (std::uint32_t index = 0; index < kThreads; ++index)
        ASSERT_EQ(runAlone(index, isa::Windows::kept), isa::Status::done);
    const std::vector<std::byte> once = *area;
    const std::vector<std::int64_t> alone = std::exchange(runs, std::vector<std::int64_t>(runs.size()));
    const isa::Traffic traffic = std::exchange(t.thread().traffic, {});
    std::ranges::fill(*area, std::byte{0});
    ASSERT_EQ(runTogether(0), kThreads);
    EXPECT_EQ(*area, once);
    EXPECT_EQ(dwordAt(kThreads * kThreadBytes - 4), 7u);
    EXPECT_EQ(runs, alone);
    EXPECT_EQ(t.thread().traffic.globalRead, traffic.globalRead);
    EXPECT_EQ(t.thread().traffic.globalWritten, traffic.globalWritten);
    EXPECT_EQ(traffic.globalRead, kThreads * kThreadBytes);
}

TEST_F(Group, TheThreadAtWhichItStopsHasHadNoEffect) {
    if (!translates()) GTEST_SKIP();
    load(kAddSeven);
    ASSERT_NE(report.group, nullptr);
    EXPECT_EQ(runTogether(0), 0u);  // no memory is known yet
    EXPECT_EQ(dwordAt(0), 0u);
    ASSERT_EQ(runAlone(0, isa::Windows::kept), isa::Status::done);
    std::ranges::fill(runs, 0);
    t.thread().traffic = {};
    for (auto* windows : {&t.thread().readable, &t.thread().writable})
        for (auto& window : *windows) window.bytes = window.bytes == 0 ? 0 : 3 * kThreadBytes + 32;
    EXPECT_EQ(runTogether(1), 3u);
    EXPECT_EQ(dwordAt(2 * kThreadBytes), 7u);
    EXPECT_EQ(dwordAt(3 * kThreadBytes), 0u);
    EXPECT_EQ(t.thread().traffic.globalRead, 2u * kThreadBytes);
    EXPECT_EQ(runs[0], 2);
}

/// Several groups by one call do and count what their threads do alone, one by one.
void Group::expectGroupsDoTheSame(const char* text) {
    load(text);
    ASSERT_NE(report.group, nullptr) << text;
    runs.assign(t.program().lineCount() + 1, 0);
    t.thread().traffic = {};
    for (std::uint32_t i = 0; i < kGroups * kThreads; ++i)
        ASSERT_EQ(runAlone(i % kThreads, isa::Windows::kept, i / kThreads), isa::Status::done);
    const std::vector<std::byte> once = *area;
    const std::vector<std::int64_t> alone = std::exchange(runs, std::vector<std::int64_t>(runs.size()));
    const isa::Traffic traffic = std::exchange(t.thread().traffic, {});
    std::ranges::fill(*area, std::byte{0});
    GroupWork work{.threads = kThreads, .groups = kGroups};
    prepare(t.thread(), 0);
    report.group->run(t.thread(), work);
    EXPECT_EQ(work.groups, 0u);
    EXPECT_EQ(t.thread().at<std::uint32_t>(4), kGroups - 1);
    EXPECT_EQ(*area, once);
    EXPECT_EQ(dwordAt(kGroups * kThreads * kThreadBytes - 4), 7u);
    EXPECT_EQ(runs, alone);
    EXPECT_EQ(t.thread().traffic.globalRead, traffic.globalRead);
    EXPECT_EQ(t.thread().traffic.globalWritten, traffic.globalWritten);
}

TEST_F(Group, GroupsThatFollowAreDoneByOneCall) {
    if (!translates()) GTEST_SKIP();
    expectGroupsDoTheSame(kAddSevenInGroups);
}

// Kernels of Xe2 find arguments in r1, and load their work-items' ids into it afterwards.
TEST_F(Group, ThreadsMayChangeWhatAllOfThemReadFirst) {
    if (!translates()) GTEST_SKIP();
    std::string text = kAddSevenInGroups;
    const auto replace = [&](const std::string& from, const std::string& to) {
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
            text.replace(at, from.size(), to);
    };
    replace("r16", "r5");  // the address, which is read once for all threads, and then data
    expectGroupsDoTheSame(text.c_str());
    // Half of that register is copied to where the rest of another stays.
    const std::string original = text;
    replace("r20.0<1;1,0>:q r5.0<0;1,0>:q", "r20.0<1;1,0>:q r22.0<0;1,0>:q");
    expectGroupsDoTheSame(("(W) mov (8|M0) r22.0<1>:ud r5.0<1;1,0>:ud\n" + text).c_str());
    text = original;
    // The address is read by each thread.
    replace("r12.0<1>:q r20.0<1;1,0>:q r5.0<0;1,0>:q", "r12.0<1>:q r20.0<1;1,0>:q r10.0<0;1,0>:ud");
    replace("r14.0<1>:q r12.0<1;1,0>:q r10.0<0;1,0>:ud", "r14.0<1>:q r12.0<1;1,0>:q r5.0<0;1,0>:q");
    expectGroupsDoTheSame(text.c_str());
    // What the thread before left there is not what a thread begins with.
    replace("r17.0<1>:d r5.0<1;1,0>:d", "r17.0<1>:d r17.0<1;1,0>:d");
    expectGroupsDoTheSame(text.c_str());
}

TEST_F(Group, TheGroupAtWhichItStopsIsTold) {
    constexpr std::uint32_t kStop = 5;
    if (!translates()) GTEST_SKIP();
    load(kAddSevenInGroups);
    ASSERT_NE(report.group, nullptr);
    ASSERT_EQ(runAlone(0, isa::Windows::kept), isa::Status::done);
    std::ranges::fill(runs, 0);
    t.thread().traffic = {};
    for (auto* windows : {&t.thread().readable, &t.thread().writable})
        for (auto& window : *windows) window.bytes = window.bytes == 0 ? 0 : (kThreads + kStop) * kThreadBytes;
    GroupWork work{.first = 1, .threads = kThreads, .groups = kGroups};
    prepare(t.thread(), 1);
    report.group->run(t.thread(), work);
    EXPECT_EQ(work.groups, kGroups - 1);
    EXPECT_EQ(work.first, kStop);
    EXPECT_EQ(t.thread().at<std::uint32_t>(4), 1u);
    EXPECT_EQ(dwordAt((kThreads + kStop - 1) * kThreadBytes), 7u);
    EXPECT_EQ(dwordAt((kThreads + kStop) * kThreadBytes), 0u);
    EXPECT_EQ(runs[0], kThreads - 1 + kStop);
    EXPECT_EQ(t.thread().traffic.globalRead, (kThreads - 1 + kStop) * kThreadBytes);
}

// Each thread adds what is in r0.2: its number and how many there are.
TEST_F(Group, ThreadsThatAreLeftOutAreOfTheGroupAllTheSame) {
    constexpr std::uint32_t kPartial = 3;
    if (!translates()) GTEST_SKIP();
    std::string text = kAddSeven;
    text.replace(text.find("r10.1<0;1,0>:d"), std::string("r10.1").size(), "r0.2");
    load(text.c_str());
    ASSERT_NE(report.group, nullptr);
    ASSERT_EQ(runAlone(0, isa::Windows::kept), isa::Status::done);
    std::ranges::fill(*area, std::byte{0});
    prepare(t.thread(), 0);
    GroupWork work{.threads = kThreads, .partial = kPartial};
    report.group->run(t.thread(), work);
    EXPECT_EQ(work.groups, 0u);
    for (std::uint32_t i = 0; i < kThreads; ++i)
        EXPECT_EQ(dwordAt(i * kThreadBytes + 4), i < kThreads - kPartial ? i | kThreads << 24 : 0) << i;
}

TEST_F(Group, KernelsThatDoMoreThanThatHaveNone) {
    if (!translates()) GTEST_SKIP();
    const char* const others[] = {
        // a load behind the store
        "send.ugm (16|M0) null r14 r17:1 0x0 0x04000584\nsend.ugm (16|M0) r16 r14 null:0 0x0 0x04100580",
        // nothing is stored
        "add (16|M0) r17.0<1>:d r16.0<1;1,0>:d 7:w",
        // lanes that flags of what was loaded select
        "send.ugm (16|M0) r16 r14 null:0 0x0 0x04100580\ncmp (16|M0) (eq)f0.0 null<1>:d r16.0<1;1,0>:d 0:w\n"
        "(f0.0) sel (16|M0) r17.0<1>:d r10.0<0;1,0>:d 7:w\nsend.ugm (16|M0) null r14 r17:1 0x0 0x04000584",
        // lanes that flags select which nobody has written
        "(f0.0) sel (16|M0) r17.0<1>:d r10.0<0;1,0>:d 7:w\nsend.ugm (16|M0) null r14 r17:1 0x0 0x04000584",
        // a branch by what was loaded
        "send.ugm (16|M0) r16 r14 null:0 0x0 0x04100580\ncmp (16|M0) (eq)f0.0 null<1>:d r16.0<1;1,0>:d 0:w\n"
        "(~f0.0) goto (16|M0) L1 L1\nsend.ugm (16|M0) null r14 r16:1 0x0 0x04000584\nL1:\njoin (16|M0) L2\nL2:",
        // a branch by flags that nobody has written
        "(f0.0) goto (16|M0) L1 L1\nsend.ugm (16|M0) null r14 r17:1 0x0 0x04000584\nL1:\njoin (16|M0) L2\nL2:",
        // by such, of which a comparison of some lanes is left
        "(f0.0) cmp (16|M0) (eq)f0.0 null<1>:d r10.0<0;1,0>:d 0:w\n(~f0.0) goto (16|M0) L1 L1\n"
        "send.ugm (16|M0) null r14 r17:1 0x0 0x04000584\nL1:\njoin (16|M0) L2\nL2:",
        // a branch by what was made of that
        "send.ugm (16|M0) r16 r14 null:0 0x0 0x04100580\nadd (16|M0) r18.0<1>:d r16.0<1;1,0>:d 1:w\n"
        "cmp (16|M0) (eq)f0.0 null<1>:d r18.0<1;1,0>:d 0:w\n(~f0.0) goto (16|M0) L1 L1\n"
        "send.ugm (16|M0) null r14 r16:1 0x0 0x04000584\nL1:\njoin (16|M0) L2\nL2:",
        // by comparisons of less than sixteen lanes
        "cmp (8|M0) (eq)f0.0 null<1>:d r10.0<0;1,0>:d 0:w\ncmp (8|M8) (eq)f0.0 null<1>:d r10.0<0;1,0>:d 0:w\n"
        "(f0.0) goto (16|M0) L1 L1\nsend.ugm (16|M0) null r14 r17:1 0x0 0x04000584\nL1:\njoin (16|M0) L2\nL2:",
        // by flags of which a comparison writes half
        "cmp (8|M0) (eq)f0.0 null<1>:d r10.0<0;1,0>:d 0:w\n(f0.0) goto (16|M0) L1 L1\n"
        "send.ugm (16|M0) null r14 r17:1 0x0 0x04000584\nL1:\njoin (16|M0) L2\nL2:",
        // by lanes of which some hold, where all are asked to fail
        "cmp (16|M0) (eq)f0.0 null<1>:d r10.0<0;1,0>:d 0:w\n(f0.0) cmp (16|M0) (eq)f0.0 null<1>:d r10.0<0;1,0>:d 1:w\n"
        "(f0.0) goto (16|M0) L1 L1\nsend.ugm (16|M0) null r14 r17:1 0x0 0x04000584\nL1:\njoin (16|M0) L2\nL2:",
        // a branch behind the store
        "send.ugm (16|M0) null r14 r17:1 0x0 0x04000584\ncmp (16|M0) (eq)f0.0 null<1>:d r10.0<0;1,0>:d 0:w\n"
        "(f0.0) goto (16|M0) L1 L1\nL1:\njoin (16|M0) L2\nL2:",
        // a comparison behind the store, for a selection that nobody reads
        "send.ugm (16|M0) null r14 r17:1 0x0 0x04000584\ncmp (16|M0) (lt)f0.0 null<1>:d r10.0<0;1,0>:d 5:w\n"
        "(f0.0) sel (16|M0) r50.0<1>:d r10.0<0;1,0>:d 7:w",
        // a comparison of lanes that no thread has, and a load for one
        "cmp (16|M16) (lt)f0.0 null<1>:d r10.0<0;1,0>:d 5:w\n(W&f0.0) sel (16|M16) r17.0<1>:d r10.0<0;1,0>:d 7:w\n"
        "send.ugm (16|M0) null r14 r17:1 0x0 0x04000584",
        "send.ugm (1|M16) r17 r10 null:0 0xFF000000 0x6218D500\nsend.ugm (16|M0) null r14 r17:1 0x0 0x04000584",
        // what the group before set is read
        "(W) mov (1|M0) r17.0<1>:ud cr0.0<0;1,0>:ud\n(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw\n"
        "add (16|M0) r17.0<1>:d r10.0<0;1,0>:d r17.0<0;1,0>:d\nsend.ugm (16|M0) null r14 r17:1 0x0 0x04000584",
        // what the thread before left is read, in part of a register that all read first
        "add (16|M0) r17.0<1>:d r16.0<1;1,0>:d 7:w\nmov (1|M0) r16.2<1>:ud r0.2<0;1,0>:ud\n"
        "add (16|M0) r17.0<1>:d r16.0<1;1,0>:d r17.0<1;1,0>:d\nsend.ugm (16|M0) null r14 r17:1 0x0 0x04000584",
        // which slot the thread is in
        "add (16|M0) r17.0<1>:d r16.0<1;1,0>:d sr0.0<0;1,0>:d\nsend.ugm (16|M0) null r14 r17:1 0x0 0x04000584",
        // an atomic
        "send.ugm (16|M0) null r14 r17:1 0x0 0x0400058C",
    };
    for (const char* const text : others) {
        load(text);
        EXPECT_EQ(report.group, nullptr) << text;
    }
}

}  // namespace
}  // namespace zetl::test
