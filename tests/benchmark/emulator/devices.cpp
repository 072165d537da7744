#include "devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "collected.h"
#include "emulated.h"
#include "emulator/machine/profile.h"

namespace zetl::benchmark::emulator {
namespace {

struct Generation {
    const char* device;
    double goal;  ///< the least that `max1550` may take of its time
};
constexpr const char* kFirst = "max1550";
constexpr std::array<Generation, 2> kLater{{{"b580", 0.9}, {"cri", 0.8}}};
constexpr int kLaunchesOfRound = 3;  // the least of them counts

double instructionsOn(const char* device, const Workload& workload) {
    const auto launches = launchCollected(machine::loadProfile(device), workload, workload.make(Size::reduced), 1,
                                          machine::ModelDetail::sampled);
    return static_cast<double>(launches[0].counts[machine::Counter::instructions]);
}

/// A device beside the first.
struct Subject {
    Generation generation;
    std::unique_ptr<Implementation> implementation;
    std::vector<double> ratios{};  ///< of the rounds
};

/// "0.90 | 1.02": by launch and by instruction. A mark: below the goal.
std::string cells(const Subject& subject, double instructions) {
    const double byLaunch = median(subject.ratios);
    return fmt::format("{:.2f}{} | {:.2f}", byLaunch, byLaunch < subject.generation.goal ? "!" : "",
                       byLaunch * instructions);
}

}  // namespace

int compareDevices(int rounds, std::string_view kernel) {
    constexpr std::uint32_t kWorkers = 1;
    const auto first = makeEmulated(kWorkers, false, kFirst);
    std::vector<Subject> subjects;
    std::string header = fmt::format("| kernel | {}, ms |", kFirst);
    std::string rule = "|---|---|";
    for (const Generation& generation : kLater) {
        subjects.push_back({generation, makeEmulated(kWorkers, false, generation.device)});
        header += fmt::format(" {} | by instruction |", generation.device);
        rule += "---|---|";
    }
    fmt::print("{}\n{}\n", header, rule);
    int failures = 0;
    for (const Workload& workload : workloads()) {
        if (workload.device != nullptr || (!kernel.empty() && kernel != workload.kernel)) continue;
        const Run run = workload.make(Size::full);
        double least = 0;
        for (Subject& subject : subjects) subject.ratios.clear();
        std::vector<std::uint32_t> result;
        for (int round = 0; round < rounds; ++round) {
            const Outcome base = first->measure(workload, run, kLaunchesOfRound);
            least = round == 0 ? base.time.processor : std::min(least, base.time.processor);
            for (Subject& subject : subjects) {
                const Outcome outcome = subject.implementation->measure(workload, run, kLaunchesOfRound);
                subject.ratios.push_back(base.time.processor / outcome.time.processor);
                if (workload.result != Result::words || outcome.result == base.result) continue;
                fmt::print("{}: other results on {}\n", workload.kernel, subject.generation.device);
                ++failures;
            }
        }
        const double instructions = instructionsOn(kFirst, workload);
        fmt::print("| {} | {:.2f} |", workload.kernel, least * 1e3);
        for (const Subject& subject : subjects)
            fmt::print(" {} |", cells(subject, instructionsOn(subject.generation.device, workload) / instructions));
        fmt::print("\n");
        std::fflush(stdout);
    }
    return failures == 0 ? 0 : 1;
}

}  // namespace zetl::benchmark::emulator
