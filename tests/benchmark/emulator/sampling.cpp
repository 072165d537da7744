#include "sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "collected.h"

namespace zetl::benchmark::emulator {
namespace {

using machine::Counter;
using machine::Counts;
using machine::ModelDetail;

/// Kernels apart from those of the other measurements.
struct KernelSet {
    std::string_view name;
    std::span<const Workload> (*workloads)();
};
constexpr KernelSet kSets[] = {{"unseen", unseenWorkloads}, {"tuning", tuningWorkloads}, {"judging", judgingWorkloads}};

/// Those of a set, or of that name, or all of the usual ones.
std::vector<Workload> chosen(std::string_view name) {
    const auto* const set = std::ranges::find(kSets, name, &KernelSet::name);
    const auto all = set != std::end(kSets) ? set->workloads() : workloads();
    std::vector<Workload> list;
    std::ranges::copy_if(all, std::back_inserter(list), [&](const Workload& workload) {
        const bool named = name.empty() || set != std::end(kSets) || name == workload.kernel;
        return named && workload.device == nullptr;
    });
    return list;
}

constexpr int kModelled = 2;  // launches, until what is known about them is taken over

double shareOf(const Counts& counts, Counter part, Counter whole) {
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
        const double error = shareOf(sampled, part, whole) - shareOf(full, part, whole);
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

/// A value of a sample, what it is in full, and what the sample says about its error.
struct Judged {
    std::uint64_t value = 0;
    std::uint64_t exact = 0;
    std::uint64_t stated = 0;
    double statedPercent() const {
        return value == 0 ? 0 : 100.0 * static_cast<double>(stated) / static_cast<double>(value);
    }
    bool within() const { return std::max(value, exact) - std::min(value, exact) <= stated; }
};

std::uint64_t bytesRead(const Counts& counts) {
    return counts[Counter::memoryBytesRead] + counts[Counter::systemBytesRead];
}

struct Judgement {
    Judged cycles;
    Judged occupied;
    Judged bytes;
    Judgement(const Counts& sampled, const Counts& full)
        : cycles{sampled[Counter::workCycles], full[Counter::workCycles], sampled[Counter::workCyclesError]},
          occupied{sampled[Counter::occupiedCycles], full[Counter::occupiedCycles],
                   sampled[Counter::occupiedCyclesError]},
          bytes{bytesRead(sampled), bytesRead(full), sampled[Counter::memoryBytesError]} {}
};

/// How many of the values of all kernels are within their stated errors, and how far off they are.
struct Coverage {
    int values = 0;
    int within = 0;
    std::vector<double> cyclesOff;
    std::vector<double> sharesOff;
    void add(const Counts& sampled, const Counts& full) {
        const Judgement judgement(sampled, full);
        for (const Judged& judged : {judgement.cycles, judgement.occupied, judgement.bytes}) {
            ++values;
            within += judged.within();
        }
        cyclesOff.push_back(std::abs(percentOff(judgement.cycles.value, judgement.cycles.exact)));
        sharesOff.push_back(std::abs(worstShare(sampled, full)));
    }
};

std::string errorOf(const Judged& judged) {
    return fmt::format("{:+.1f} % ({:.0f}){}", percentOff(judged.value, judged.exact), judged.statedPercent(),
                       judged.within() ? "" : " !");
}

std::string errors(const Counts& sampled, const Counts& full) {
    const Judgement judgement(sampled, full);
    return fmt::format("{} | {} | {:+.1f} | {:+.1f} | {}", errorOf(judgement.cycles), errorOf(judgement.occupied),
                       worstShare(sampled, full), l3Hits(sampled) - l3Hits(full), errorOf(judgement.bytes));
}

void printSummary(const char* launches, const Coverage& coverage) {
    fmt::print(
        "\n{} launches: {} of {} values are within the errors that the sample states; half of the kernels' "
        "cycles are off by at most {:.1f} %, half of the worst shares by at most {:.1f} points\n",
        launches, coverage.within, coverage.values, median(coverage.cyclesOff), median(coverage.sharesOff));
}

bool exactCountsAgree(const Counts& one, const Counts& other) {
    return std::equal(one.values.begin(), one.values.begin() + static_cast<std::ptrdiff_t>(Counter::workCycles),
                      other.values.begin());
}

}  // namespace

int compareSampling(int repeats, std::string_view kernel) {
    fmt::print(
        "| kernel | host code, ms | full | sampled | repeated | cold: cycles | of threads | worst share | L3 hits | "
        "memory read | warm: cycles | of threads | worst share | L3 hits | memory read |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    const machine::Profile profile = machine::loadProfile("max1550");
    int failures = 0;
    Coverage first;
    Coverage second;
    for (const Workload& workload : chosen(kernel)) {
        const Run run = workload.make(Size::full);
        const double host = leastSeconds(launchCollected(profile, workload, run, repeats, {}));
        const auto full = launchCollected(profile, workload, run, 2, ModelDetail::full);
        const auto sampled = launchCollected(profile, workload, run, kModelled + repeats, ModelDetail::sampled);
        const double looked = std::min(sampled[0].seconds, sampled[1].seconds);
        fmt::print("| {} | {:.2f} | {:.1f} | {:.2f} | {:.2f} | {} | {} |\n", workload.kernel, host * 1e3,
                   leastSeconds(full) / host, looked / host, leastSeconds(sampled, kModelled) / host,
                   errors(sampled[0].counts, full[0].counts), errors(sampled[1].counts, full[1].counts));
        std::fflush(stdout);
        first.add(sampled[0].counts, full[0].counts);
        second.add(sampled[1].counts, full[1].counts);
        if (exactCountsAgree(full[0].counts, sampled[0].counts)) continue;
        fmt::print("{}: counts that are exact differ\n", workload.kernel);
        ++failures;
    }
    printSummary("first", first);
    printSummary("second", second);
    return failures == 0 ? 0 : 1;
}

}  // namespace zetl::benchmark::emulator
