// Races in kernels whose sub-groups meet at several barriers, some of them at each.
#include "emulator/check/named_barriers.h"

#include "checked_kernels.h"

#define HALVES                                                                                                 \
    "\n#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"                                                   \
    "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int*o,global int*a){local int l[64];" \
    "local NamedBarrier_t*p=named_barrier_init(2);local NamedBarrier_t*q=named_barrier_init(2);"               \
    "int s=get_sub_group_id();"

namespace zetl::emulator::check {
namespace {

using zetl::check::Finding;
using zetl::check::Kind;

// Four sub-groups, of which the first two meet at p and the others at q unless a kernel says otherwise.
const Planted kMeetings[] = {
    {"one_half_does_not_meet", Kind::raceLocal,
     HALVES "l[L]=a[G];if(s<2){work_group_named_barrier(p,1);o[G]=l[L^16];}else{WRONG(,work_group_named_barrier(q,1);)"
            "o[G]=l[L^16];}}"},
    {"reads_the_other_half", Kind::raceLocal,
     HALVES "l[L]=a[G];if(s<2){work_group_named_barrier(p,1);}else{work_group_named_barrier(q,1);}"
            "o[G]=l[L^WRONG(32,16)];}"},
    {"overwrites_too_early", Kind::raceLocal,
     HALVES "l[L]=a[G];if(s<2){work_group_named_barrier(p,1);o[G]=l[L^16];WRONG(,work_group_named_barrier(p,1);)"
            "l[L]=G;}else{work_group_named_barrier(q,1);o[G]=l[L^16];work_group_named_barrier(q,1);l[L]=G;}}"},
    {"in_turns", Kind::raceLocal,
     HALVES "int x=0;for(int i=0;i<4;i++){l[L]=i+G;if(s<2)work_group_named_barrier(p,1);else "
            "work_group_named_barrier(q,1);x+=l[L^16];WRONG(,if(s<2)work_group_named_barrier(p,1);else "
            "work_group_named_barrier(q,1);)}o[G]=x;}"},
    {"handed_on", Kind::raceLocal,
     HALVES "if(s==0)l[L]=a[G];if(s<2)work_group_named_barrier(p,1);WRONG(if(s==1||s==3),if(s==1||s==2))"
            "work_group_named_barrier(q,1);if(s==2)o[G]=l[L&15];}"},
    {"in_global_memory", Kind::raceGlobal,
     HALVES "a[G]=L;if(s<2){work_group_named_barrier(p,2);}else{work_group_named_barrier(q,2);}"
            "o[G]=a[G^WRONG(32,16)];}"},
    {"beside_the_barrier_of_all", Kind::raceLocal,
     HALVES "l[L]=a[G];WRONG(,barrier(1);)int v=l[L^32];if(s<2)work_group_named_barrier(p,1);else "
            "work_group_named_barrier(q,1);o[G]=v;}"},
};

class MeetingsOfKernels : public CheckedKernels {};

TEST_P(MeetingsOfKernels, AreFoundWrong) {
    const std::vector<Finding> findings = found(kMeetings, true);
    EXPECT_TRUE(has(findings, GetParam().kind)) << told(findings);
}
TEST_P(MeetingsOfKernels, AreRightInTheTwin) { EXPECT_EQ(told(found(kMeetings, false)), ""); }

INSTANTIATE_TEST_SUITE_P(Kernels, MeetingsOfKernels, testing::ValuesIn(kMeetings), kNameOf);

using Role = isa::BarrierSignal::Role;
constexpr NamedBarriers::ByMemory kBoth{true, true};

isa::BarrierSignal signalOf(std::uint8_t id, std::uint8_t producers, Role role = Role::both) {
    isa::BarrierSignal signal;
    signal.id = id;
    signal.producers = producers;
    signal.role = role;
    return signal;
}

TEST(NamedBarriers, OrderThoseThatMeet) {
    NamedBarriers barriers;
    barriers.begin(3, 2);
    EXPECT_EQ(barriers.timeOf(0), 0u);
    barriers.signal(0, signalOf(1, 2), kBoth);
    EXPECT_EQ(barriers.timeOf(0), 1u);
    EXPECT_FALSE(barriers.isBehind(1, 0, 0));
    barriers.signal(1, signalOf(1, 2), kBoth);
    EXPECT_TRUE(barriers.isBehind(1, 0, 0));
    EXPECT_TRUE(barriers.isBehind(0, 1, 0));
    EXPECT_FALSE(barriers.isBehind(0, 1, 1));
    EXPECT_FALSE(barriers.isBehind(2, 1, 0));
    EXPECT_FALSE(barriers.isBehind(0, 2, 0));
}

TEST(NamedBarriers, OrderAlongAChain) {
    NamedBarriers barriers;
    barriers.begin(3, 3);
    barriers.signal(0, signalOf(1, 2), kBoth);
    barriers.signal(1, signalOf(1, 2), kBoth);
    barriers.signal(1, signalOf(2, 2), kBoth);
    barriers.signal(2, signalOf(2, 2), kBoth);
    EXPECT_TRUE(barriers.isBehind(2, 0, 0));
    EXPECT_FALSE(barriers.isBehind(0, 2, 0));
}

TEST(NamedBarriers, ShowWhatWasFenced) {
    NamedBarriers barriers;
    barriers.begin(2, 2);
    barriers.signal(0, signalOf(0, 2), {true, false});
    barriers.signal(1, signalOf(0, 2), {false, true});
    EXPECT_TRUE(barriers.sees(1, 0, 0, 0));
    EXPECT_FALSE(barriers.sees(1, 0, 0, 1));
    EXPECT_TRUE(barriers.sees(0, 1, 0, 1));
}

TEST(NamedBarriers, OrderConsumersBehindProducers) {
    NamedBarriers barriers;
    barriers.begin(2, 2);
    barriers.signal(1, signalOf(0, 1, Role::consumer), kBoth);
    EXPECT_FALSE(barriers.isBehind(1, 0, 0));
    barriers.signal(0, signalOf(0, 1, Role::producer), kBoth);
    EXPECT_TRUE(barriers.isBehind(1, 0, 0));
    EXPECT_FALSE(barriers.isBehind(0, 1, 0));
}

TEST(NamedBarriers, IgnoreWhatDoesNotExist) {
    NamedBarriers barriers;
    barriers.begin(2, 2);
    barriers.signal(0, signalOf(9, 2), kBoth);
    barriers.signal(7, signalOf(1, 1), kBoth);
    EXPECT_EQ(barriers.timeOf(0), 0u);
    EXPECT_FALSE(barriers.isBehind(7, 0, 0));
    barriers.begin(2, 1);
    EXPECT_FALSE(barriers.any());
}

}  // namespace
}  // namespace zetl::emulator::check
