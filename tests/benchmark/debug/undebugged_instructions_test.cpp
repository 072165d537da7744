// The gate on what a program pays for ZET_ENABLE_PROGRAM_DEBUGGING=1 while nobody debugs it: in instructions, on all
// its threads, of launches after the first.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

#include "benchmark/callgrind.h"
#include "emulated_gpu/gpu.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

long number(const char* variable) { return std::atol(std::getenv(variable)); }

/// Launches of so many work-groups, one after the other.
SCENARIO(repeatLaunch) {
    constexpr std::uint32_t kItems = 256;
    const Gpu gpu;
    const auto groups = static_cast<std::uint32_t>(number("ZETL_BENCHMARK_GROUPS"));
    const std::size_t elements = std::size_t{groups} * kItems;
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const auto kernel = gpu.kernel("add", kItems);
    Gpu::arguments(kernel, gpu.shared(elements), gpu.shared(elements), gpu.shared(elements));
    const ze_group_count_t count{groups, 1, 1};
    for (long i = number("ZETL_BENCHMARK_CALLS"); i > 0; --i)
        EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &count, nullptr, 0, nullptr));
}

/// When the C library joins small free blocks depends on where they happen to lie, which is 2 % of a launch: it does so
/// at once.
double instructions(const char* debugging, int groups, long launches) {
    return instructionsOf(ZETL_VALGRIND, emulated("repeatLaunch")
                                             .with("GLIBC_TUNABLES", "glibc.malloc.mxfast=0")
                                             .with("ZET_ENABLE_PROGRAM_DEBUGGING", debugging)
                                             .with("ZETL_BENCHMARK_GROUPS", std::to_string(groups))
                                             .with("ZETL_BENCHMARK_CALLS", std::to_string(launches)));
}

/// What launches take, by the least of all counts of few and of many of them: threads that find each other waiting
/// take more.
class LaunchCost {
  public:
    LaunchCost(const char* debugging, int groups, long launches)
        : debugging_(debugging), groups_(groups), few_(launches / 5), many_(launches) {
        instructions(debugging, groups, 1);  // the build is in the cache from now on
    }
    void count() {
        ofFew_ = std::min(ofFew_, instructions(debugging_, groups_, few_));
        ofMany_ = std::min(ofMany_, instructions(debugging_, groups_, many_));
        std::printf("%.0f instructions a launch of %d groups, debugging %s\n", each(), groups_, debugging_);
    }
    /// Of one launch: what many of them add to a few.
    double each() const { return (ofMany_ - ofFew_) / double(many_ - few_); }

  private:
    const char* debugging_;
    int groups_;
    long few_;
    long many_;
    double ofFew_ = std::numeric_limits<double>::infinity();
    double ofMany_ = std::numeric_limits<double>::infinity();
};

/// Part of what a launch takes anyhow: two counts of the same differ by up to 2 %, as threads meet by chance.
constexpr double kNothing = 0.03;

/// A debugger that costs something costs it in each count.
void expectTheSame(int groups, long launches) {
    constexpr int kCounts = 4;
    LaunchCost off("0", groups, launches);
    LaunchCost on("1", groups, launches);
    for (int counts = 0; counts < kCounts && (counts == 0 || on.each() > off.each() * (1 + kNothing)); ++counts) {
        off.count();
        on.count();
    }
    EXPECT_LE(on.each(), off.each() * (1 + kNothing));
}

TEST(Undebugged, SmallLaunchesCostTheSame) { expectTheSame(1, 1000); }

TEST(Undebugged, LongLaunchesCostTheSame) { expectTheSame(256, 10); }

}  // namespace
}  // namespace zetl::test
