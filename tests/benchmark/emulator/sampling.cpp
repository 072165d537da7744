#include "sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "emulator/machine/model_detail.h"
#include "kernel_bench.h"
#include "workload.h"

namespace zetl::benchmark::emulator {
namespace {

namespace machine = ::zetl::emulator::machine;
using machine::Counter;
using machine::Counts;
using machine::ModelDetail;

/// Launches of a kernel on a device of their own, with one worker.
struct Launches {
    double seconds = 0;          ///< of a processor, the least of all launches
    std::vector<Counts> counts;  ///< by launch
};

Launches launch(const Workload& workload, const Run& run, int repeats, std::optional<ModelDetail> detail) {
    machine::bench::KernelBench bench("max1550", 1);
    std::shared_ptr<void> collecting;
    if (detail) collecting = bench.tile().collect(*detail);
    const auto kernel = bench.build(std::string("#define XE 1\n") + workload.source, workload.kernel);
    std::vector<std::uint32_t*> buffers;
    std::vector<machine::bench::Argument> arguments;
    for (const auto& content : run.buffers) arguments.emplace_back(buffers.emplace_back(bench.buffer(content.size())));
    for (const std::uint32_t scalar : run.scalars) arguments.emplace_back(scalar);
    const machine::Extent groups{run.global[0] / run.local[0], run.global[1] / run.local[1], 1};
    Launches all;
    for (int i = 0; i < repeats; ++i) {
        for (std::size_t b = 0; b < buffers.size(); ++b) std::ranges::copy(run.buffers[b], buffers[b]);
        const Time begin = Time::now();
        const auto dispatch = bench.run(kernel, {run.local[0], run.local[1], 1}, groups, arguments);
        const double took = Time::now().since(begin).processor;
        all.seconds = i == 0 ? took : std::min(all.seconds, took);
        all.counts.push_back(dispatch->counts());
    }
    collecting.reset();
    return all;
}

/// In percent of the exact one.
double off(std::uint64_t value, std::uint64_t exact) {
    if (exact == 0) return value == 0 ? 0 : INFINITY;
    return 100.0 * (static_cast<double>(value) / static_cast<double>(exact) - 1);
}

double share(const Counts& counts, Counter part, Counter whole) {
    return counts[whole] == 0 ? 0 : 100.0 * static_cast<double>(counts[part]) / static_cast<double>(counts[whole]);
}

/// Points by which the worst of the shares differs that tools show.
double worstShare(const Counts& sampled, const Counts& full) {
    constexpr std::pair<Counter, Counter> kShares[] = {
        {Counter::activeCycles, Counter::busyCycles},       {Counter::controlStalls, Counter::occupiedCycles},
        {Counter::pipeStalls, Counter::occupiedCycles},     {Counter::sendStalls, Counter::occupiedCycles},
        {Counter::distanceStalls, Counter::occupiedCycles}, {Counter::tokenStalls, Counter::occupiedCycles},
        {Counter::syncStalls, Counter::occupiedCycles},     {Counter::l1ReadHits, Counter::l1Reads},
    };
    double worst = 0;
    for (const auto& [part, whole] : kShares) {
        const double error = share(sampled, part, whole) - share(full, part, whole);
        if (std::abs(error) > std::abs(worst)) worst = error;
    }
    return worst;
}

std::uint64_t l3Accesses(const Counts& counts) { return counts[Counter::l3Hits] + counts[Counter::l3Misses]; }

double l3Hits(const Counts& counts) {
    return l3Accesses(counts) == 0
               ? 0
               : 100.0 * static_cast<double>(counts[Counter::l3Hits]) / static_cast<double>(l3Accesses(counts));
}

std::string errors(const Counts& sampled, const Counts& full) {
    return fmt::format("{:+.1f} % | {:+.1f} | {:+.1f} | {:+.0f} %",
                       off(sampled[Counter::workCycles], full[Counter::workCycles]), worstShare(sampled, full),
                       l3Hits(sampled) - l3Hits(full),
                       off(sampled[Counter::memoryBytesRead], full[Counter::memoryBytesRead]));
}

bool exactCountsAgree(const Counts& one, const Counts& other) {
    return std::equal(one.values.begin(), one.values.begin() + static_cast<std::ptrdiff_t>(Counter::workCycles),
                      other.values.begin());
}

}  // namespace

int compareSampling(int repeats, std::string_view kernel) {
    fmt::print(
        "| kernel | host code, ms | full | sampled | cold: cycles | worst share | L3 hits | memory read | warm: "
        "cycles | worst share | L3 hits | memory read |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    int failures = 0;
    for (const Workload& workload : workloads()) {
        if ((!kernel.empty() && kernel != workload.kernel) || workload.device != nullptr) continue;
        const Run run = workload.make(Size::full);
        const Launches host = launch(workload, run, repeats, {});
        const Launches full = launch(workload, run, 2, ModelDetail::full);
        const Launches sampled = launch(workload, run, std::max(repeats, 2), ModelDetail::sampled);
        fmt::print("| {} | {:.2f} | {:.1f} | {:.2f} | {} | {} |\n", workload.kernel, host.seconds * 1e3,
                   full.seconds / host.seconds, sampled.seconds / host.seconds,
                   errors(sampled.counts[0], full.counts[0]), errors(sampled.counts[1], full.counts[1]));
        std::fflush(stdout);
        if (exactCountsAgree(full.counts[0], sampled.counts[0])) continue;
        fmt::print("{}: counts that are exact differ\n", workload.kernel);
        ++failures;
    }
    return failures == 0 ? 0 : 1;
}

}  // namespace zetl::benchmark::emulator
