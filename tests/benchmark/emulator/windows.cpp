#include "windows.h"

#include <fmt/format.h>

#include <cstdio>

#include "collected.h"

namespace zetl::benchmark::emulator {
namespace {

constexpr int kColdAndWarm = 2;  // with a cold L3, and with a warm one
constexpr std::uint32_t kFiner[] = {64, 256};

std::vector<CollectedLaunch> launchesIn(std::uint32_t window, const Workload& workload, const Run& run) {
    machine::Profile profile = machine::loadProfile("max1550");
    if (window != 0) profile.devices.front().timing.window = window;
    return launchCollected(profile, workload, run, kColdAndWarm, machine::ModelDetail::full);
}

std::uint64_t cyclesOf(const CollectedLaunch& launch) { return launch.counts[machine::Counter::workCycles]; }

}  // namespace

int compareWindows(std::string_view kernel) {
    fmt::print(
        "| kernel | cold, cycles | 64 | 256 | warm, cycles | 64 | 256 | time, 64 | 256 |\n"
        "|---|---|---|---|---|---|---|---|---|\n");
    for (const Workload& workload : workloads()) {
        if ((!kernel.empty() && kernel != workload.kernel) || workload.device != nullptr) continue;
        const Run run = workload.make(Size::full);
        const auto usual = launchesIn(0, workload, run);
        const std::vector<CollectedLaunch> finer[] = {launchesIn(kFiner[0], workload, run),
                                                      launchesIn(kFiner[1], workload, run)};
        fmt::print("| {} |", workload.kernel);
        for (std::size_t i = 0; i < kColdAndWarm; ++i) {
            fmt::print(" {} |", cyclesOf(usual[i]));
            for (const auto& launches : finer)
                fmt::print(" {:+.1f} % |", percentOff(cyclesOf(launches[i]), cyclesOf(usual[i])));
        }
        for (const auto& launches : finer) fmt::print(" {:.2f} |", leastSeconds(launches) / leastSeconds(usual));
        fmt::print("\n");
        std::fflush(stdout);
    }
    return 0;
}

}  // namespace zetl::benchmark::emulator
