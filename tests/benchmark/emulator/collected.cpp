#include "collected.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernel_bench.h"

namespace zetl::benchmark::emulator {

std::vector<CollectedLaunch> launchCollected(const machine::Profile& profile, const Workload& workload, const Run& run,
                                             int repeats, std::optional<machine::ModelDetail> detail) {
    machine::bench::KernelBench bench(profile, 1);
    std::shared_ptr<void> collecting;
    if (detail) collecting = bench.tile().collect(*detail);
    const auto kernel = bench.build(std::string("#define XE 1\n") + workload.source, workload.kernel);
    std::vector<std::uint32_t*> buffers;
    std::vector<machine::bench::Argument> arguments;
    for (const auto& content : run.buffers) arguments.emplace_back(buffers.emplace_back(bench.buffer(content.size())));
    for (const std::uint32_t scalar : run.scalars) arguments.emplace_back(scalar);
    const machine::Extent groups{run.global[0] / run.local[0], run.global[1] / run.local[1], 1};
    std::vector<CollectedLaunch> all;
    for (int i = 0; i < repeats; ++i) {
        for (std::size_t b = 0; b < buffers.size(); ++b) std::ranges::copy(run.buffers[b], buffers[b]);
        const Time begin = Time::now();
        const auto dispatch = bench.run(kernel, {run.local[0], run.local[1], 1}, groups, arguments);
        all.push_back({Time::now().since(begin).processor, dispatch->counts()});
    }
    collecting.reset();
    return all;
}

double leastSeconds(const std::vector<CollectedLaunch>& launches, std::size_t first) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = first; i < launches.size(); ++i) least = std::min(least, launches[i].seconds);
    return least;
}

double percentOff(std::uint64_t value, std::uint64_t exact) {
    if (exact == 0) return value == 0 ? 0 : INFINITY;
    return 100.0 * (static_cast<double>(value) / static_cast<double>(exact) - 1);
}

}  // namespace zetl::benchmark::emulator
