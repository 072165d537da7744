#include "starts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "emulator/machine/clock.h"
#include "kernel_bench.h"
#include "workload.h"

namespace zetl::benchmark::emulator {
namespace {

namespace bench = ::zetl::emulator::machine::bench;

constexpr std::uint32_t kGroups = 10'000;
constexpr std::uint32_t kRounds = 300;  // of a group: some microseconds
constexpr std::uint32_t kItems = 32;

constexpr const char* kStartsSource = R"(
uint2 __builtin_IB_read_cycle_counter(void);
kernel void starts(global uint2* began, global uint* out, uint rounds) {
    if (get_local_id(0) == 0) began[get_group_id(0)] = __builtin_IB_read_cycle_counter();
    uint x = get_global_id(0);
    for (uint i = 0; i < rounds; ++i) x = x * 1664525u + i;
    out[get_global_id(0)] = x;
})";

/// Microseconds from the launch's submission until the first and the last worker have begun their first groups.
struct Start {
    double first;
    double last;
};

class Launches {
  public:
    Start measure() {
        auto launch = bench_.prepare(kernel_, {kItems, 1, 1}, {kGroups, 1, 1}, {began_, out_, kRounds});
        const std::uint64_t submitted = bench_.device().clock().timestamp();
        bench_.tile().submit(std::move(launch))->wait();
        // Each worker's first group is among the first, which wait for it in their places.
        const auto [first, last] = std::minmax_element(began_, began_ + workers());
        return {microseconds(*first - submitted), microseconds(*last - submitted)};
    }
    static std::uint32_t workers() { return std::max(std::thread::hardware_concurrency(), 1u); }

  private:
    double microseconds(std::uint64_t ticks) {
        constexpr double kNanoseconds = 1e3;
        return static_cast<double>(bench_.device().clock().nanoseconds(ticks)) / kNanoseconds;
    }

    bench::KernelBench bench_{"max1550", workers()};
    bench::Kernel kernel_ = bench_.build(kStartsSource, "starts");
    std::uint64_t* began_ = bench_.buffer<std::uint64_t>(kGroups);
    std::uint32_t* out_ = bench_.buffer(std::size_t{kGroups} * kItems);
};

void print(const char* how, const std::vector<Start>& starts) {
    std::vector<double> first;
    std::vector<double> last;
    std::vector<double> apart;
    for (const Start& start : starts) {
        first.push_back(start.first);
        last.push_back(start.last);
        apart.push_back(start.last - start.first);
    }
    fmt::print("| {} | {:.1f} | {:.1f} | {:.1f} |\n", how, median(first), median(last), median(apart));
}

}  // namespace

int measureStarts(int launches) {
    Launches subject;
    subject.measure();
    fmt::print("| {} groups, {} workers | first begins, us | last | apart |\n|---|---|---|---|\n", kGroups,
               Launches::workers());
    std::vector<Start> starts;
    for (int i = 0; i < launches; ++i) starts.push_back(subject.measure());
    print("behind each other", starts);
    starts.clear();
    for (int i = 0; i < launches; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        starts.push_back(subject.measure());
    }
    print("after 20 ms", starts);
    return 0;
}

}  // namespace zetl::benchmark::emulator
