#include "metrics/kernel_facts.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>

namespace zetl::command {
namespace {

struct NamedColumn {
    std::string_view heading;
    std::string_view name;
};

constexpr NamedColumn kPipeColumns[] = {
    {"XVE_INST_EXECUTED_ALU0_ALL_UTILIZATION[percent]", "the float pipe (ALU0)"},
    {"XVE_INST_EXECUTED_ALU1_ALL_UTILIZATION[percent]", "the integer pipe (ALU1)"},
    {"XVE_INST_EXECUTED_XMX_ALL_UTILIZATION[percent]", "the matrix pipe (XMX)"},
    {"sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_elapsed[percent]", "the integer pipe (ALU)"},
    {"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed[percent]", "the float pipes (FMA)"},
    {"sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_elapsed[percent]", "the matrix pipe (tensor)"},
    {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed[percent]", "the special-function pipe (XU)"},
    {"sm__issue_active.avg.pct_of_peak_sustained_elapsed[percent]", "the issue of instructions"},
};
constexpr NamedColumn kLevelColumns[] = {
    {"L1 of peak[percent]", "L1"},
    {"L3 of peak[percent]", "L3"},
    {"memory of peak[percent]", "device memory"},
    {"l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed[percent]", "L1"},
    {"l1tex__f_wavefronts.avg.pct_of_peak_sustained_elapsed[percent]", "textures"},
    {"lts__t_sectors.avg.pct_of_peak_sustained_elapsed[percent]", "L2"},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed[percent]", "device memory"},
};
constexpr std::string_view kMessages = "results of messages (memory) or math";
constexpr std::string_view kBarriers = "barriers";
constexpr NamedColumn kStallColumns[] = {
    {"XVE_STALL_SBID[events]", kMessages},
    {"XVE_STALL_ALUWR[events]", "results of arithmetic"},
    {"XVE_STALL_BARRIER[events]", kBarriers},
    {"XVE_STALL_SENDWR[events]", "room in the queue of messages"},
    {"XVE_STALL_PIPESTALL[events]", "a pipe that another thread uses"},
    {"XVE_STALL_CONTROL[events]", "branches"},
    {"XVE_STALL_INSTFETCH[events]", "instructions"},
    {"XVE_STALL_OTHER[events]", "something else"},
};

constexpr double kFullPercent = 90;  // percent of the places
constexpr double kNearPeak = 60;     // percent: this is what limits the kernel
constexpr double kMuchPercent = 40;  // percent of the time of threads

std::optional<Share> greatestOf(std::span<const NamedColumn> all, const KernelFacts& facts) {
    std::optional<Share> most;
    for (const auto& [heading, name] : all) {
        const auto percent = facts.number(heading);
        if (percent && (!most || *percent > most->percent)) most = Share{name, *percent};
    }
    return most;
}

}  // namespace

std::optional<double> KernelFacts::cycles() const {
    const auto modelled = number("GpuCoreClocks[cycles]");
    return modelled ? modelled : number("gpc__cycles_elapsed.max[cycles]");
}

std::optional<double> KernelFacts::occupancy() const {
    const auto held = number("XVE_THREADS_OCCUPANCY_ALL[percent]");
    return held ? held : number("sm__warps_active.avg.pct_of_peak_sustained_elapsed[percent]");
}

std::optional<Share> KernelFacts::compute() const { return greatestOf(kPipeColumns, *this); }
std::optional<Share> KernelFacts::memory() const { return greatestOf(kLevelColumns, *this); }

std::optional<Share> KernelFacts::topStall() const {
    auto top = greatestOf(kStallColumns, *this);
    const auto held = number("XVE_THREADS_OCCUPANCY_ALL[percent]");
    const auto cycles = number("GpuCoreClocks[cycles]");
    if (!top || !held || !cycles) return std::nullopt;
    const double threadCycles = *held / 100 * *cycles * device().places();
    top->percent = threadCycles > 0 ? 100 * top->percent / threadCycles : 0;
    return top;
}

std::optional<double> KernelFacts::perLaunch(std::string_view heading) const {
    const auto sum = number(heading);
    const auto launches = number("launches");
    return sum && launches && *launches > 0 ? std::optional(*sum / *launches) : std::nullopt;
}

double KernelFacts::groupsThatFit(bool local) const {
    const double places = device()[enginesPerSubslice] * device()[threadsPerEngine];
    const auto bytes = number("local memory of a group[bytes]").value_or(0);
    if (local) return bytes > 0 ? std::floor(device()[localBytes] / bytes) : std::numeric_limits<double>::infinity();
    return std::floor(places / (*threads() / *groups()));
}

std::string KernelFacts::occupancyLimit() const {
    const auto held = number("XVE_THREADS_OCCUPANCY_ALL[percent]");
    if (!held || *held >= kFullPercent || !threads() || !groups() || *groups() == 0) return "";
    const double places = device().places();
    if (*threads() < places)
        return fmt::format("the work: {:.0f} threads per launch for {:.0f} places", *threads(), places);
    const double perGroup = *threads() / *groups();
    const double bySize = groupsThatFit(false);
    const double byLocal = groupsThatFit(true);
    const double ofSubslice = device()[enginesPerSubslice] * device()[threadsPerEngine];
    if (byLocal < bySize)
        return fmt::format("local memory: {:.0f} work-groups of {:.0f} threads per Xe core", byLocal, perGroup);
    if (bySize * perGroup < ofSubslice * kFullPercent / 100)
        return fmt::format("the group size: {:.0f} threads, of {:.0f} places per Xe core", perGroup, ofSubslice);
    return "uneven ends of work-groups, or registers (256 per thread halve the places)";
}

std::string KernelFacts::advice() const {
    const auto busiest = compute();
    const auto level = memory();
    if (!busiest || !level) return "";
    const bool memoryFirst = level->percent >= busiest->percent;
    if (memoryFirst && level->percent >= kNearPeak)
        return fmt::format("{} is the limit: move fewer bytes, or use each byte more often.", level->of);
    if (busiest->percent >= kNearPeak)
        return fmt::format("{} is the limit: execute fewer instructions on it, or wider ones.", busiest->of);
    const auto stall = topStall();
    if (!stall || !threads()) return "";
    if (*threads() < device().places() / 2) return "The device is mostly empty: launch more work-items at once.";
    if (stall->of == kBarriers && stall->percent >= kMuchPercent)
        return "Threads wait for each other: use fewer barriers, or smaller work-groups.";
    if (stall->of == kMessages && stall->percent >= kMuchPercent)
        return "Latency is the limit: load earlier, or several values at once, or use more threads.";
    return "No single limit: shorten what threads wait for most.";
}

}  // namespace zetl::command
