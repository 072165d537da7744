// Host code that tells an observer of lines tells what watched steps do.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "emulator/isa/code.h"
#include "emulator/isa/flow.h"
#include "emulator/isa/stop.h"
#include "emulator/translate/executable_memory.h"
#include "emulator/translate/translation.h"
#include "lone_thread.h"

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

class Reporting : public testing::Test {
  protected:
    void SetUp() override {
        if (!emulator::translate::hostObstacle().empty())
            GTEST_SKIP() << "the host's processor or its settings rule out host code";
    }
    void load() {
        t.load(assembleProgram(kUnevenLoop));
        std::vector<std::int32_t> ends(16);
        for (std::size_t lane = 0; lane < ends.size(); ++lane) ends[lane] = lane % 2 == 0 ? 5 : 9;
        t.set(42, ends);
        for (const std::uint32_t number : {40, 41}) t.set(number, std::vector<std::int32_t>(16));
    }
    void watch() {
        for (isa::Line line = 0; line < reported.lines.size(); ++line)
            if (reported.lines[line]) t.program().watch(line, teller);
    }
    void translate() { emulator::translate::translateAnyway(t.program(), kReportBase, 16, registers, &reported); }
    isa::Handler entered() { return t.program().code().at(isa::Version::lanes16, 0)->handler(); }
    bool bySteps() { return entered() == &isa::observed; }

    LoneThread t;
    Teller teller;
    isa::Reported reported{&teller, {true, false, true, false, true}};
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
    Teller other;
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

}  // namespace
}  // namespace zetl::test
