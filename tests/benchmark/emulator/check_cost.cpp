#include "check_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "emulated.h"

namespace zetl::benchmark::emulator {
namespace {

struct Column {
    const char* groups;
    double limit;  ///< times host code without checks; 0: none
};
constexpr std::array<Column, 6> kColumns{{{"memory,barrier", 3},
                                          {"race", 10},
                                          {"init", 10},
                                          {"numbers", 20},
                                          {"memory,race,barrier,init", 0},
                                          {"memory,race,barrier,init,numbers", 0}}};
constexpr std::size_t kLimited = 16;  // kernels; the others are shapes, for which there are no limits
constexpr int kLaunches = 3;          // the least of them counts

}  // namespace

int compareChecks(int rounds, std::string_view kernel, std::string_view groups, const std::string& device) {
    constexpr std::uint32_t kWorkers = 1;
    const auto plain = makeEmulated(kWorkers, false, device);
    std::vector<std::unique_ptr<Implementation>> checked;
    std::vector<Column> columns;
    std::ranges::copy_if(kColumns, std::back_inserter(columns),
                         [&](const Column& column) { return groups.empty() || groups == column.groups; });
    fmt::print("| kernel | host code, ms |");
    for (const Column& column : columns) {
        checked.push_back(makeChecked(kWorkers, *check::Groups::named(column.groups), device));
        fmt::print(" {} |", column.groups);
    }
    fmt::print(" findings |\n|---|---|");
    for (std::size_t c = 0; c <= columns.size(); ++c) fmt::print("---|");
    fmt::print("\n");
    int failures = 0;
    for (std::size_t i = 0; i < workloads().size(); ++i) {
        const Workload& workload = workloads()[i];
        if (workload.device != nullptr || (!kernel.empty() && kernel != workload.kernel)) continue;
        const Run run = workload.make(Size::full);
        std::vector<std::vector<double>> ratios(columns.size());
        double least = 0;
        std::size_t findings = 0;
        for (int round = 0; round < rounds; ++round) {
            const double base = plain->measure(workload, run, kLaunches).time.processor;
            least = round == 0 ? base : std::min(least, base);
            for (std::size_t c = 0; c < columns.size(); ++c) {
                const Outcome outcome = checked[c]->measure(workload, run, kLaunches);
                ratios[c].push_back(outcome.time.processor / base);
                findings = std::max(findings, outcome.findings);
            }
        }
        fmt::print("| {} | {:.2f} |", workload.name, least * 1e3);
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const double ratio = median(ratios[c]);
            const bool slow = i < kLimited && columns[c].limit != 0 && ratio > columns[c].limit;
            fmt::print(" {:.2f}{} |", ratio, slow ? "!" : "");
            failures += slow;
        }
        fmt::print(" {} |\n", findings);
        std::fflush(stdout);
    }
    return failures == 0 ? 0 : 1;
}

}  // namespace zetl::benchmark::emulator
