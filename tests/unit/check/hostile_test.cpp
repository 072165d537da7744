// Kernels that aim at what checks keep beside memory, and hosts that have no memory for that.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>

#include "emulator/check/checker.h"
#include "emulator/check/init_check.h"
#include "planted.h"
#include "support/effort.h"

namespace zetl::emulator::check {
namespace {

using machine::bench::KernelBench;
using zetl::check::Finding;
using zetl::check::Groups;

using zetl::check::Kind;

/// Each makes at least one wrong access, to addresses that wrap, or that are anywhere. The last one makes none.
const Planted kHostile[] = {
    {"write_anywhere", Kind::global,
     "kernel void k(global int*o,global int*a){*(global int*)((ulong)(G+1)*0x9e3779b97f4a7c15UL)=G;}"},
    {"read_anywhere", Kind::global,
     "kernel void k(global int*o,global int*a){o[G]=*(global int*)((ulong)(G+1)*0x9e3779b97f4a7c15UL);}"},
    {"add_anywhere", Kind::global,
     "kernel void k(global int*o,global int*a){atomic_inc((global int*)((ulong)(G+1)*0x9e3779b97f4a7c14UL));}"},
    {"write_wraps", Kind::global,
     "kernel void k(global int*o,global int*a){*(global int4*)(0xffffffffffffffc0UL+(ulong)G*4)=(int4)(G);}"},
    {"read_wraps", Kind::global,
     "kernel void k(global int*o,global int*a){o[G]=((global int4*)(0xffffffffffffff00UL+(ulong)G*4))->w;}"},
    {"write_beyond", Kind::global, "kernel void k(global int*o,global int*a){vstore16((int16)(G),0,o+G);}"},
    {"read_beyond", Kind::global, "kernel void k(global int*o,global int*a){o[G]=vload16(0,a+G).sf;}"},
    {"write_far", Kind::global, "kernel void k(global int*o,global int*a){o[(ulong)G<<58]=G;o[(long)-G<<40]=G;}"},
    {"local_far", Kind::global,
     "kernel void k(global int*o,global int*a){local int s[64];s[G*0x10001]=G;barrier(1);o[G]=s[L];}"},
    {"local_read_far", Kind::global,
     "kernel void k(global int*o,global int*a){local int s[64];s[L]=L;barrier(1);o[G]=s[0x3fffff-G];}"},
    {"local_long_far", Kind::global,
     "kernel void k(global int*o,global int*a){local long s[64];s[L]=L;barrier(1);s[0x1fffff+(L&1)]=1;o[G]=s[L];}"},
    {"by_pointer", Kind::global,
     "kernel void k(global int*o,global int*a){global int*p=(global int*)((global ulong*)a)[G&31];p[G]=1;}"},
    {"sound", Kind::global, "kernel void k(global int*o,global int*a){o[G]=a[G];}"},
};

TEST(HostileKernels, AreReportedAndHarmNothing) {
    KernelBench bench{"small", 1};
    Checker checker{bench.machine(), Groups::all()};
    InitCheck init{bench.machine()};
    const Planted& sound = *std::prev(std::end(kHostile));
    const std::span hostile(std::begin(kHostile), std::prev(std::end(kHostile)));
    for (const Planted& one : hostile) {
        const std::vector<Finding> findings = findingsOf(bench, checker, kHostile, one, true);
        EXPECT_TRUE(std::ranges::any_of(
            findings, [](const Finding& found) { return infoOf(found.kind).group == zetl::check::Group::memory; }))
            << one.name << '\n'
            << told(findings);
        EXPECT_EQ(told(findingsOf(bench, checker, kHostile, sound, false)), "") << "behind " << one.name;
    }
}

/// Workers that write to what is known of the same memory at once.
TEST(HostileKernels, OnSeveralWorkersHarmNothing) {
    KernelBench bench{"small", 4};
    Checker checker{bench.machine(), Groups::all()};
    InitCheck init{bench.machine()};
    const std::span hostile(std::begin(kHostile), std::prev(std::end(kHostile)));
    for (Planted one : hostile) {
        one.groups = 16;
        EXPECT_NE(told(findingsOf(bench, checker, kHostile, one, true)), "") << one.name;
    }
    EXPECT_EQ(told(findingsOf(bench, checker, kHostile, *std::prev(std::end(kHostile)), false)), "");
}

/// The buffers exist before memory ends, and nothing is known of them yet.
TEST(ShadowMemory, IsDoneWithoutIfTheHostHasNone) {
    if (zetl::test::kSanitized) GTEST_SKIP() << "sanitizers need more address space than they use";
    constexpr std::uint32_t kBytes = 512u << 20;
    constexpr rlim_t kSpare = kBytes;  // for all but the shadow, which takes six times as much
    KernelBench bench{"small", 1};
    Checker checker{bench.machine(), Groups::all()};
    InitCheck init{bench.machine()};
    const machine::bench::Kernel kernel = bench.build(
        "kernel void k(global int*o,global int*a){o[0]=get_global_id(0);o[get_global_id(0)+64]=a[get_global_id(0)];}",
        "k");
    const std::uint64_t o = bench.allocate(kBytes);
    const std::uint64_t a = bench.allocate(4096);
    init.written(a, 0, 4096);
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit before{};
    getrlimit(RLIMIT_AS, &before);
    const rlimit few{pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + kSpare, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_AS, &few), 0);
    const auto dispatch = bench.run(kernel, {64, 1, 1}, {1, 1, 1}, {o, a});
    setrlimit(RLIMIT_AS, &before);
    EXPECT_EQ(told(checker.take(*dispatch, [](std::uint64_t) { return std::string(); })), "")
        << "its race is in memory of which nothing is known";
    EXPECT_EQ(reinterpret_cast<const std::uint32_t*>(o)[64 + 5], 0u) << "it ran";
    const auto again = bench.run(kernel, {64, 1, 1}, {1, 1, 1}, {a, o});
    EXPECT_NE(told(checker.take(*again, [](std::uint64_t) { return std::string(); })), "") << "other memory is checked";
}

TEST(ShadowMemory, IsRefusedWhereTheHostHasNone) {
    constexpr std::uint64_t kTooMuch = std::uint64_t{1} << 60;
    EXPECT_EQ(Cells::make(kTooMuch), nullptr);
    EXPECT_EQ(Cells::make(~std::uint64_t{0}), nullptr);
    EXPECT_EQ(MemoryLevels::make(kTooMuch), nullptr);
    machine::Allocation allocation;
    allocation.begin = kTooMuch;
    allocation.end = 2 * kTooMuch;
    allocation.kind = machine::MemoryKind::device;
    allocation.id = 1;
    Shadow shadow;
    EXPECT_EQ(shadow.of(allocation), nullptr);
    LevelsOfAllocations levels;
    EXPECT_EQ(levels.of(allocation), nullptr);
    allocation.end = allocation.begin + 4096;
    allocation.id = 2;
    EXPECT_NE(shadow.of(allocation), nullptr) << "others have theirs";
    EXPECT_NE(levels.of(allocation), nullptr);
}

}  // namespace
}  // namespace zetl::emulator::check
