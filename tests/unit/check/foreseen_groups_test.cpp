// Groups that are judged before they run, many at a time: each mistake counts as often as it does where every message
// is looked at, and names the groups and threads that made it.
#include "checked_kernels.h"

namespace zetl::emulator::check {
namespace {

using zetl::check::Finding;
using zetl::check::Kind;

struct ForeseenMistakes {
    Planted kernel;
    std::uint64_t count;     ///< of all findings of that kind
    std::uint32_t distance;  ///< of the groups that race
};

constexpr std::uint32_t kForeseenGroups = 2048;
constexpr std::uint32_t kForeseenBytes = kForeseenGroups * 256 + 512;
#define SIXTEEN "__attribute__((intel_reqd_sub_group_size(16))) kernel void "

/// Straight lines, of which the first groups are right.
const ForeseenMistakes kForeseen[] = {
    {{"second_half_writes_again",
      Kind::raceGlobal,
      SIXTEEN "k(global int*o,global int*a){o[G&65535]=a[G&65535]+G;}",
      64,
      kForeseenGroups,
      {},
      kForeseenBytes},
     65536,
     kForeseenGroups / 2},
    {{"each_group_writes_what_the_last_one_read",
      Kind::raceGlobal,
      SIXTEEN "k(global int*o,global int*a){o[G]=o[G+64]+a[G];}",
      64,
      kForeseenGroups,
      {},
      kForeseenBytes},
     (kForeseenGroups - 1) * 64,
     1},
    {{"second_half_scatters_again",
      Kind::raceGlobal,
      SIXTEEN "k(global int*o,global int*a){o[a[G]+((G*7)&65535)]=G;}",
      64,
      kForeseenGroups,
      {},
      kForeseenBytes},
     65536,
     kForeseenGroups / 2},
    {{"threads_of_a_group_share_words",
      Kind::raceGlobal,
      SIXTEEN "k(global int*o,global int*a){o[(G&~63)+(L&31)]=G;}",
      64,
      kForeseenGroups,
      {},
      kForeseenBytes},
     kForeseenGroups * 32,
     0},
    {{"every_other_group_is_misaligned",
      Kind::misaligned,
      SIXTEEN "k(global int*o,global int*a){*(global int*)((global char*)o+G*4+(W&1)*2)=a[G]+1;}",
      64,
      kForeseenGroups,
      {},
      kForeseenBytes},
     kForeseenGroups / 2 * 4,
     0},
};
#undef SIXTEEN

class ForeseenGroups : public testing::TestWithParam<ForeseenMistakes> {
  protected:
    machine::bench::KernelBench bench{"small", 1};
    Checker checker{bench.machine(), zetl::check::Groups::all()};
};

TEST_P(ForeseenGroups, CountEachMistake) {
    constexpr std::uint32_t kThreads = 4;
    const Planted& kernel = GetParam().kernel;
    const std::vector<Finding> findings = findingsOf(bench, checker, std::span(&kernel, 1), kernel, true);
    std::uint64_t count = 0;
    for (const Finding& one : findings) {
        if (one.kind != kernel.kind) continue;
        count += one.count;
        EXPECT_LT(one.sides.back().thread, kThreads);
        EXPECT_EQ(one.sides.front().group[0] - one.sides.back().group[0], GetParam().distance) << one.message;
    }
    EXPECT_EQ(count, GetParam().count) << told(findings);
}

INSTANTIATE_TEST_SUITE_P(Kernels, ForeseenGroups, testing::ValuesIn(kForeseen),
                         [](const auto& one) { return std::string(one.param.kernel.name); });

}  // namespace
}  // namespace zetl::emulator::check
