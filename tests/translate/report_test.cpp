// Host code that tells observers of lines tells what watched steps do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "emulator/isa/code.h"
#include "emulator/isa/flow.h"
#include "emulator/isa/stop.h"
#include "emulator/translate/executable_memory.h"
#include "emulator/translate/translation.h"
#include "lone_thread.h"
#include "witness.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kReportBase = 0x10000;
/// Counts r40 up to 5, in lanes with odd numbers to 9, and r41 beside it.
constexpr const char* kUnevenLoop =
    "add (16|M0) r40.0<1>:d r40.0<1;1,0>:d 1:w\n"
    "cmp (16|M0) (lt)f0.0 null<1>:d r40.0<1;1,0>:d r42.0<1;1,0>:d\n"
    "add (16|M0) r41.0<1>:d r41.0<1;1,0>:d r40.0<1;1,0>:d\n"
    "(f0.0) while (16|M0) -48\n"
    "mov (16|M0) r43.0<1>:d r41.0<1;1,0>:d\n";

/// Values in registers of every kind, a product of dwords, lanes that part, a load and a store.
constexpr const char* kEveryKind =
    "(W) mov (1|M0) r44.0<1>:d 3:w\n"
    "(W) add (1|M0) r44.1<1>:d r44.0<0;1,0>:d 5:w\n"
    "(W) shl (1|M0) r44.1<1>:d r44.1<0;1,0>:d 2:w\n"
    "mul (16|M0) acc0.0<1>:d r42.0<1;1,0>:d r42.0<2;1,0>:uw\n"
    "macl (16|M0) r45.0<1>:d r42.0<1;1,0>:d r42.0<1;1,0>:d\n"
    "mul (16|M0) r46.0<1>:f r42.0<1;1,0>:d r44.1<0;1,0>:d\n"
    "cmp (16|M0) (lt)f0.0 null<1>:d r45.0<1;1,0>:d 50:w\n"
    "(f0.0) sel (16|M0) r47.0<1>:d r42.0<1;1,0>:d r44.1<0;1,0>:d\n"
    "(W) mov (1|M0) a0.0<1>:uw 0xa80:uw\n"
    "mov (16|M0) r48.0<1>:d r[a0.0]<1;1,0>:d\n"
    "(f0.0) goto (16|M0) L1 L1\n"
    "add (16|M0) r48.0<1>:d r48.0<1;1,0>:d 1:w\n"
    "send.ugm (16|M0) r49 r10 null:0 0x0 0x04100580\n"
    "add (16|M0) r49.0<1>:d r49.0<1;1,0>:d r48.0<1;1,0>:d\n"
    "send.ugm (16|M0) null r10 r49:1 0x0 0x04000584\n"
    "L1:\njoin (16|M0) L2\n"
    "L2:\nmov (16|M0) r50.0<1>:q r49.0<1;1,0>:d\n"
    "send.ugm (16|M0) r51 r10 null:0 0x0 0x04100580\n"
    "mov (16|M0) r52.0<1>:w r51.0<2;1,0>:w\n";
constexpr std::uint32_t kAddressesAt = 10;  // register of the 16 addresses that it reads and writes

/// The lines that are reported to it, with the lanes that are on and registers as they are then.
class Teller : public isa::LineObserver {
  public:
    struct Told {
        isa::Line line;
        std::uint32_t active;
        std::int32_t counted;
        std::int32_t beside;
        bool operator==(const Told&) const = default;
    };
    void beforeLine(isa::Thread& t, isa::Line line) noexcept override {
        told.push_back({line, t.active, reinterpret_cast<const std::int32_t*>(t.grf(40))[1],
                        reinterpret_cast<const std::int32_t*>(t.grf(41))[1]});
    }
    std::vector<Told> told;
};

/// Every byte of memory that is about to be accessed, by lane.
class Watchman : public isa::LineObserver {
  public:
    struct Access {
        isa::Line line;
        bool write;
        std::uint32_t lane;
        std::uint64_t address;
        std::uint32_t bytes;
        bool operator==(const Access&) const = default;
    };
    void beforeLine(isa::Thread& t, isa::Line line) noexcept override {
        const auto access = isa::accessOf(t, line);
        for (std::uint32_t lane = 0; access && lane < access->address.size(); ++lane)
            if ((access->lanes >> lane & 1) != 0)
                accesses.push_back({line, access->write, lane, access->address[lane], access->bytesPerLane});
    }
    std::vector<Access> accesses;
};

class Reporting : public testing::Test {
  protected:
    void SetUp() override {
        if (!emulator::translate::hostObstacle().empty())
            GTEST_SKIP() << "the host's processor or its settings rule out host code";
    }
    void load(const char* program = kUnevenLoop) {
        t.thread().reset();
        t.load(assembleProgram(program));
        std::vector<std::int32_t> ends(16);
        for (std::size_t lane = 0; lane < ends.size(); ++lane) ends[lane] = lane % 2 == 0 ? 5 : 9;
        t.set(42, ends);
        for (const std::uint32_t number : {40, 41}) t.set(number, std::vector<std::int32_t>(16));
    }
    void watch(const isa::Reported& one) {
        for (isa::Line line = 0; line < one.lines.size(); ++line)
            if (one.lines[line]) t.program().watch(line, *one.to);
    }
    void unwatch(const isa::Reported& one) {
        for (isa::Line line = 0; line < one.lines.size(); ++line)
            if (one.lines[line]) t.program().unwatch(line, *one.to);
    }
    void watch() {
        std::ranges::for_each(reported, [this](const isa::Reported& one) { watch(one); });
    }
    void translate() { translate(reported); }
    void translate(const std::vector<isa::Reported>& all) {
        emulator::translate::translateAnyway(t.program(), kReportBase, 16, registers, all);
    }
    isa::Handler entered() { return t.program().code().at(isa::Version::lanes16, 0)->handler(); }
    /// Whether the first line, watched or not, is executed by its steps.
    bool bySteps() {
        const isa::Program::Code& code = t.program().code();
        const isa::Step* const first = code.at(isa::Version::lanes16, 0);
        return entered() == &isa::observed || entered() == code.originalOf(first);
    }

    LoneThread t;
    Teller teller;
    Teller other;
    std::vector<isa::Reported> reported{{&teller, {true, false, true, false, true}}};
    emulator::translate::Registers registers = emulator::translate::Registers::dropped;
};

TEST_F(Reporting, IsWhatWatchedStepsTell) {
    load();
    watch();
    EXPECT_TRUE(bySteps());
    ASSERT_EQ(t.resume(), isa::Status::done);
    const auto expected = std::exchange(teller.told, {});
    EXPECT_EQ(expected.size(), 9u + 9u + 1u);
    load();
    translate();
    watch();
    EXPECT_FALSE(bySteps());
    ASSERT_EQ(t.resume(), isa::Status::done);
    EXPECT_EQ(teller.told, expected);
}

TEST_F(Reporting, CodeIsEnteredWhileItsObserverAloneWatchesItsLinesAlone) {
    load();
    const isa::Handler plain = entered();
    translate();
    EXPECT_EQ(entered(), plain) << "nobody watches";
    watch();
    const isa::Handler reporting = entered();
    EXPECT_FALSE(bySteps());
    EXPECT_NE(reporting, plain);
    t.program().watch(2, other);
    EXPECT_TRUE(bySteps()) << "another one wants to know, too";
    t.program().unwatch(2, other);
    EXPECT_EQ(entered(), reporting);
    t.program().watch(1, teller);
    EXPECT_TRUE(bySteps()) << "the code tells nothing of this line";
    t.program().unwatch(1, teller);
    t.program().setBreakpoint(3, true);
    EXPECT_TRUE(bySteps());
    t.program().setBreakpoint(3, false);
    EXPECT_EQ(entered(), reporting);
    t.program().unwatch(0, teller);
    EXPECT_NE(entered(), reporting) << "it would report more than is watched";
    for (const isa::Line line : {2, 4}) t.program().unwatch(line, teller);
    EXPECT_EQ(entered(), plain);
}

TEST_F(Reporting, IdleLinesAreNotToldOfWhileTheThreadIsIdle) {
    reported[0].idle = {false, false, true};
    reported[0].idleBit = 4;
    const auto toldWhile = [&](bool idle) {
        teller.told.clear();
        load();
        translate();
        watch();
        EXPECT_FALSE(bySteps());
        t.thread().idle = idle ? 5 : 1;
        EXPECT_EQ(t.resume(), isa::Status::done);
        return std::ranges::count(teller.told, isa::Line{2}, &Teller::Told::line);
    };
    const auto told = toldWhile(false);
    EXPECT_EQ(told, 9);
    EXPECT_EQ(toldWhile(true), 0);
    t.thread().reset();
    EXPECT_FALSE(t.thread().idle) << "the next thread's observer decides anew";
}

TEST_F(Reporting, IdleLinesThatUseWhatIsFollowedAreToldOf) {
    constexpr std::uint64_t kLast = std::uint64_t{1} << 63;
    reported[0].idle = {false, false, true};
    reported[0].idleBit = 4;
    reported[0].uses = {{}, {}, {1, 0, 0, 0, 0, 0, 0, 0, kLast}};
    const auto toldWhile = [&](const isa::Followed& followed) {
        teller.told.clear();
        load();
        translate();
        watch();
        t.thread().idle = 4;
        t.thread().followed = followed;
        EXPECT_EQ(t.resume(), isa::Status::done);
        return std::ranges::count(teller.told, isa::Line{2}, &Teller::Told::line);
    };
    EXPECT_EQ(toldWhile({2, ~std::uint64_t{0}, 0, 0, 0, 0, 0, 0, kLast - 1}), 0);
    EXPECT_EQ(toldWhile({1}), 9);
    EXPECT_EQ(toldWhile({0, 0, 0, 0, 0, 0, 0, 0, kLast}), 9);
}

TEST_F(Reporting, ASingleStepTellsOfItsLine) {
    load();
    translate();
    watch();
    t.thread().at<std::uint32_t>(isa::kControl1) |= isa::kBreakpointStatus;
    isa::resume(t.thread());
    EXPECT_EQ(t.thread().status, isa::Status::breakpoint);
    EXPECT_EQ(t.thread().executed, 1u);
    EXPECT_EQ(teller.told.size(), 1u);
}

TEST_F(Reporting, ToSeveralIsWhatWatchedStepsTellEach) {
    reported.push_back({&other, {false, true, true}});
    load();
    watch();
    ASSERT_EQ(t.resume(), isa::Status::done);
    const auto expected = std::exchange(teller.told, {});
    const auto expectedOfOther = std::exchange(other.told, {});
    EXPECT_EQ(expectedOfOther.size(), 9u + 9u);
    load();
    translate();
    watch();
    EXPECT_FALSE(bySteps());
    ASSERT_EQ(t.resume(), isa::Status::done);
    EXPECT_EQ(teller.told, expected);
    EXPECT_EQ(other.told, expectedOfOther);
}

TEST_F(Reporting, EachSetOfObserversHasCodeOfItsOwn) {
    const isa::Reported first = reported[0];
    const isa::Reported second{&other, {false, true, true}};
    load();
    const isa::Handler plain = entered();
    translate({first});
    translate({first, second});
    watch(first);
    const isa::Handler ofOne = entered();
    EXPECT_FALSE(bySteps());
    watch(second);
    const isa::Handler ofBoth = entered();
    EXPECT_FALSE(bySteps());
    EXPECT_NE(ofBoth, ofOne);
    t.program().unwatch(1, other);
    EXPECT_TRUE(bySteps()) << "the second wants to know less than the code reports";
    t.program().watch(1, other);
    EXPECT_EQ(entered(), ofBoth);
    unwatch(first);
    EXPECT_TRUE(bySteps()) << "there is no code for the second alone";
    translate({second});
    EXPECT_FALSE(bySteps()) << "now there is";
    watch(first);
    EXPECT_EQ(entered(), ofBoth) << "in either order";
    unwatch(second);
    EXPECT_EQ(entered(), ofOne);
    unwatch(first);
    EXPECT_EQ(entered(), plain);
}

TEST_F(Reporting, TheSameObserversInAnotherOrderShareTheirCode) {
    const isa::Reported second{&other, {false, true, true}};
    load();
    translate({reported[0], second});
    translate({second, reported[0]});
    watch(second);
    watch(reported[0]);
    EXPECT_FALSE(bySteps());
    t.program().setBreakpoint(1, true);
    EXPECT_TRUE(bySteps());
    t.program().setBreakpoint(1, false);
    EXPECT_FALSE(bySteps());
}

// What host code holds in registers of the host is at home when an observer looks: all registers, flags and masks.
TEST_F(Reporting, ObserversSeeWhatLinesAreAboutToRead) {
    std::vector<std::byte>& memory = t.allocate(16 * sizeof(std::uint32_t));
    std::vector<std::uint64_t> addresses(16);
    for (std::size_t lane = 0; lane < addresses.size(); ++lane)
        addresses[lane] = LoneThread::addressOf(memory) + (15 - lane) * sizeof(std::uint32_t);
    for (const auto how : {emulator::translate::Registers::held, emulator::translate::Registers::dropped}) {
        registers = how;
        std::vector<Witness> witnesses(2);
        std::vector<Watchman> watchmen(2);
        for (const std::size_t translated : {0, 1}) {
            std::ranges::fill(memory, std::byte{3});
            load(kEveryKind);
            t.set(kAddressesAt, addresses);
            const isa::Line lines = t.program().lineCount();
            reported = {{&witnesses[translated], std::vector<bool>(lines, true)},
                        {&watchmen[translated], std::vector<bool>(lines)}};
            for (isa::Line line = 0; line < lines; ++line)
                reported[1].lines[line] = t.program().instruction(line).opcode == isa::Opcode::send;
            if (translated != 0) translate();
            watch();
            EXPECT_EQ(bySteps(), translated == 0);
            ASSERT_EQ(t.resume(), isa::Status::done);
            EXPECT_EQ(witnesses[translated].lines.size(), lines);
            EXPECT_EQ(watchmen[translated].accesses.size(), 8u + 8u + 16u);
        }
        EXPECT_EQ(witnesses[0].lines, witnesses[1].lines);
        EXPECT_EQ(witnesses[0].masks, witnesses[1].masks);
        EXPECT_TRUE(witnesses[0].registers == witnesses[1].registers);
        EXPECT_EQ(watchmen[0].accesses, watchmen[1].accesses);
    }
}

}  // namespace
}  // namespace zetl::test
