// Where threads of a group are going to access memory, as host code foresees it for observers: the same as threads are
// seen to do that run one after the other by steps, and nothing happens yet.
#include <algorithm>
#include <bit>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "group_ids.h"

namespace zetl::test {
namespace {

class Judge : public isa::LineObserver {
  public:
    enum class Judges { nothing, runs, lanes };
    explicit Judge(Judges what = Judges::runs) : judges_(what) {}
    void beforeLine(isa::Thread& thread, isa::Line line) noexcept override {
        const auto access = isa::accessOf(thread, line);
        if (!access || access->space != isa::MemorySpace::global) return;
        const std::uint32_t lanes = apart_.contains(line) ? std::popcount(access->lanes) : 1;
        accessed.insert(accessed.end(), access->address.begin(), access->address.begin() + lanes);
    }
    bool judgesGroups() const noexcept override { return judges_ != Judges::nothing; }
    bool judgesLanes() const noexcept override { return judges_ == Judges::lanes; }
    /// Of these lines, the address of each lane is wanted.
    void tellLanesOf(std::span<const isa::PlannedAccess> accesses) {
        for (const isa::PlannedAccess& one : accesses)
            if (one.addresses != 1) apart_.insert(one.line);
    }
    std::vector<std::uint64_t> accessed;  ///< the first lane's, or all

  private:
    std::set<isa::Line> apart_;
    const Judges judges_;
};

const std::string kSum =
    "add (16|M0) r30.0<1>:d r1.0<1;1,0>:uw r10.1<0;1,0>:d\n"
    "mov (16|M0) r32.0<2>:ud r30.0<1;1,0>:ud\n"
    "shl (16|M0) r34.0<1>:q r32.0<2;1,0>:ud 2:w\n"
    "add (16|M0) r36.0<1>:q r34.0<1;1,0>:q r5.0<0;1,0>:q\n"
    "send.ugm (16|M0) r38 r36 null:0 0x0 0x04100580\n"
    "add (16|M0) r40.0<1>:d r38.0<1;1,0>:d 7:w\n";

class GroupForesight : public GroupIds {
  protected:
    void load(const std::string& text, isa::LineObserver& observer, std::vector<isa::Line> others = {}) {
        t.load(assembleProgram(text));
        give(t, {.x = 3});
        area = &t.allocate(kAreaBytes);
        isa::Reported reported{&observer, std::vector<bool>(t.program().lineCount())};
        for (isa::Line line = 0; line < t.program().lineCount(); ++line) {
            const isa::Instruction& in = t.program().instruction(line);
            const auto plan = isa::AccessPlan::of(in);
            reported.lines[line] = (plan && plan->shape.space == isa::MemorySpace::global) ||
                                   std::ranges::find(others, line) != others.end();
            if (reported.lines[line]) t.program().watch(line, observer);
        }
        runs.assign(t.program().lineCount() + 1, 0);
        report = emulator::translate::translateAnyway(t.program(), kIdsBase, lanes,
                                                      emulator::translate::Registers::dropped, {&reported, 1});
    }
    /// The area's dwords, which threads take for indices, with those of others than threads load.
    void fill() {
        for (std::uint32_t i = 0; i < kAreaBytes / 4; ++i) put(i, 128 + i * 40503 % 896);
    }
    void put(std::uint32_t index, std::uint32_t value) { std::memcpy(area->data() + index * 4, &value, sizeof value); }
    /// Afterwards host code knows the memory.
    void findMemory() {
        runAlone(t, {.x = 3}, *area, 0);
        fill();
        runs.assign(runs.size(), 0);
    }
    emulator::translate::GroupWork foresee(std::vector<std::uint64_t>& addresses) {
        prepare(t, {.x = 3}, *area, 0);
        emulator::translate::GroupWork work{.threads = kIdThreads, .addresses = addresses.data()};
        report.group->foresee(t.thread(), work);
        return work;
    }
    LoneThread t;
    std::vector<std::byte>* area = nullptr;
};

/// Loads from where the loaded numbers say, and what makes addresses of them. `limit` keeps these in the area.
std::string addressesIn48(const std::string& limit) {
    return kBegin + kSum + "and (16|M0) r42.0<1>:d r38.0<1;1,0>:d " + limit +
           ":d\nmov (16|M0) r44.0<2>:ud r42.0<1;1,0>:ud\nshl (16|M0) r46.0<1>:q r44.0<2;1,0>:ud 2:w\n"
           "add (16|M0) r48.0<1>:q r46.0<1;1,0>:q r5.0<0;1,0>:q\n";
}
const std::string kLoadThere = "send.ugm (16|M0) r40 r48 null:0 0x0 0x04100580\n";
const std::string kStoreThere = "send.ugm (16|M0) null r48 r40:1 0x0 0x04000584";

TEST_F(GroupForesight, NamesWhatThreadsThenAccess) {
    Judge judge;
    load(kBegin + kSum + storeOf("r40"), judge);
    ASSERT_NE(report.group, nullptr);
    ASSERT_EQ(report.group->accesses.size(), 2u);
    EXPECT_EQ(report.group->observers, std::vector<isa::LineObserver*>{&judge});
    for (const isa::PlannedAccess& one : report.group->accesses) EXPECT_EQ(one.bytes, 64u);
    std::vector<std::uint64_t> foreseen(kIdThreads * 2);
    prepare(t, {.x = 3}, *area, 0);
    const std::vector<std::byte> before = *area;
    emulator::translate::GroupWork work{.threads = kIdThreads, .addresses = foreseen.data()};
    report.group->foresee(t.thread(), work);
    EXPECT_EQ(work.groups, 0u);
    EXPECT_TRUE(*area == before);
    EXPECT_TRUE(std::ranges::all_of(runs, [](std::int64_t count) { return count == 0; }));
    for (std::uint32_t thread = 0; thread < kIdThreads; ++thread) runAlone(t, {.x = 3}, *area, thread);
    EXPECT_EQ(judge.accessed, foreseen);
}

TEST_F(GroupForesight, EndsAtAThreadWhoseLanesLieOtherwise) {
    Judge judge;
    load(kBegin + kSum + storeOf("r40"), judge);
    ASSERT_NE(report.group, nullptr);
    std::vector<std::uint64_t> foreseen(kIdThreads * 2);
    const Given apart{.x = 3, .xRunsOn = false};
    give(t, apart);
    prepare(t, apart, *area, 0);
    emulator::translate::GroupWork work{.threads = kIdThreads, .addresses = foreseen.data()};
    report.group->foresee(t.thread(), work);
    EXPECT_EQ(work.groups, 1u);
    EXPECT_EQ(work.first, 0u);
}

TEST_F(GroupForesight, IsNotOfAddressesThatAreLoaded) {
    Judge judge;
    load(kBegin + kSum +
             "and (16|M0) r42.0<1>:d r38.0<1;1,0>:d 63:w\nmov (16|M0) r44.0<2>:ud r42.0<1;1,0>:ud\n"
             "shl (16|M0) r46.0<1>:q r44.0<2;1,0>:ud 2:w\nadd (16|M0) r48.0<1>:q r46.0<1;1,0>:q r5.0<0;1,0>:q\n"
             "send.ugm (16|M0) r40 r48 null:0 0x0 0x04100580\n" +
             storeOf("r40"),
         judge);
    EXPECT_EQ(report.group, nullptr);
    EXPECT_NE(report.codeBytes, 0u);
}

/// Such threads are foreseen for observers that want to know each lane.
TEST_F(GroupForesight, NamesLanesWhoseAddressesAreLoaded) {
    for (const std::string& code :
         {addressesIn48("0x3ff") + kLoadThere + storeOf("r40"), addressesIn48("0x3ff") + kStoreThere,
          addressesIn48("0x3ff") + kLoadThere + kStoreThere}) {
        Judge judge(Judge::Judges::lanes);
        load(code, judge);
        ASSERT_NE(report.group, nullptr);
        judge.tellLanesOf(report.group->accesses);
        findMemory();
        judge.accessed.clear();
        std::vector<std::uint64_t> foreseen(kIdThreads * report.group->addresses);
        const std::vector<std::byte> before = *area;
        EXPECT_EQ(foresee(foreseen).groups, 0u);
        EXPECT_TRUE(*area == before);
        EXPECT_TRUE(std::ranges::all_of(runs, [](std::int64_t count) { return count == 0; }));
        for (std::uint32_t thread = 0; thread < kIdThreads; ++thread) runAlone(t, {.x = 3}, *area, thread);
        EXPECT_EQ(judge.accessed, foreseen);
    }
}

/// As code that runs together would refuse it, observers must not let it pass.
TEST_F(GroupForesight, EndsAtAThreadWhoseLanesLeaveTheMemory) {
    constexpr std::uint32_t kThread = 2;
    for (const std::string& code :
         {addressesIn48("0xffffff") + kLoadThere + storeOf("r40"), addressesIn48("0xffffff") + kStoreThere}) {
        Judge judge(Judge::Judges::lanes);
        load(code, judge);
        ASSERT_NE(report.group, nullptr);
        findMemory();
        put(3 + kThread * 16 + 5, kAreaBytes);
        std::vector<std::uint64_t> foreseen(kIdThreads * report.group->addresses);
        const emulator::translate::GroupWork left = foresee(foreseen);
        EXPECT_EQ(left.groups, 1u);
        EXPECT_EQ(left.first, kThread);
    }
}

TEST_F(GroupForesight, IsOnlyForObserversThatJudgeGroupsByTheirAccesses) {
    Judge judge;
    load(kBegin + kSum + storeOf("r40"), judge, {0});
    EXPECT_EQ(report.group, nullptr) << "a line that is no access has to be reported";
    Judge other(Judge::Judges::nothing);
    load(kBegin + kSum + storeOf("r40"), other);
    EXPECT_EQ(report.group, nullptr);
}

}  // namespace
}  // namespace zetl::test
