// What tracing costs a call: without a layer, with the stock tracing layer, with ours, in one run.
//
//   build/release/tests/benchmark/call_cost [rounds]
//
// Starts itself as a child for each arrangement, because a loader chooses layers once. A child is a Google Benchmark
// program over a driver whose functions do nothing; it reports processor time, which other load on the machine disturbs
// little. Rounds alternate between the arrangements and the best counts.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "benchmark/allocations.h"
#include "benchmark/workload.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

constexpr int kThreads[] = {1, 2, 4};

void runBenchmarks(const Workload& workload) {
    const auto measure = [&workload](benchmark::State& state) {
        const long before = allocations();
        for (auto _ : state) benchmark::DoNotOptimize(workload.call());
        state.counters["allocations"] = static_cast<double>(allocations() - before);
    };
    for (const int threads : kThreads) benchmark::RegisterBenchmark("call", measure)->Threads(threads);
    benchmark::RunSpecifiedBenchmarks();
}

SCENARIO(measureCalls) {
    std::string options[] = {"call_cost", "--benchmark_format=json", "--benchmark_min_time=0.1"};
    char* arguments[] = {options[0].data(), options[1].data(), options[2].data()};
    int count = 3;
    benchmark::Initialize(&count, arguments);
    runBenchmarks(Workload(std::atoi(std::getenv("ZETL_BENCHMARK_TRACERS"))));
}

struct Cost {
    double nanoseconds = 1e9;
    double allocations = 0;  // a call
};
using Costs = std::map<int, Cost>;  // by threads

struct Arrangement {
    const char* name;
    enum { kNoLayer, kStock, kOurs } layer;
    int tracers;
    Costs costs{};
};

/// Runs the child once and keeps what is better than before.
bool improve(Arrangement& arrangement) {
    auto child = fresh("measureCalls", arrangement.layer == Arrangement::kOurs ? Slots::tracing : Slots::none);
    if (arrangement.layer == Arrangement::kStock) child.with("ZE_ENABLE_TRACING_LAYER", "1");
    child.with("ZETL_BENCHMARK_TRACERS", std::to_string(arrangement.tracers));
    const auto outcome = child.run(std::chrono::seconds(120));
    const auto start = outcome.output.find("{\n  \"context\"");
    if (!outcome.good() || start == std::string::npos) {
        std::fprintf(stderr, "%s: the measuring process failed:\n%s\n", arrangement.name, outcome.output.c_str());
        return false;
    }
    const auto report = nlohmann::json::parse(outcome.output.substr(start));
    for (const auto& run : report["benchmarks"]) {
        auto& cost = arrangement.costs[run["threads"].get<int>()];
        cost.nanoseconds = std::min(cost.nanoseconds, run["cpu_time"].get<double>());
        cost.allocations = run["allocations"].get<double>() / run["iterations"].get<double>();
    }
    return true;
}

void print(const std::vector<Arrangement>& arrangements) {
    const Costs& untraced = arrangements[0].costs;
    std::printf("| arrangement |");
    for (const int threads : kThreads) std::printf(" %d thread%s, ns | ratio |", threads, threads == 1 ? "" : "s");
    std::printf(" allocations a call |\n|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (const auto& each : arrangements) {
        std::printf("| %s |", each.name);
        for (const int threads : kThreads) {
            const auto& cost = each.costs.at(threads);
            std::printf(" %.2f | %.2f |", cost.nanoseconds, cost.nanoseconds / untraced.at(threads).nanoseconds);
        }
        std::printf(" %.2f |\n", each.costs.at(1).allocations);
    }
}

int compare(int rounds) {
    std::vector<Arrangement> arrangements = {
        {"no layer", Arrangement::kNoLayer, 0},
        {"stock layer, idle", Arrangement::kStock, 0},
        {"stock layer, one tracer", Arrangement::kStock, 1},
        {"stock layer, four tracers", Arrangement::kStock, 4},
        {"this layer, idle", Arrangement::kOurs, 0},
        {"this layer, one tracer", Arrangement::kOurs, 1},
        {"this layer, four tracers", Arrangement::kOurs, 4},
    };
    for (int round = 0; round < rounds; ++round)
        for (auto& each : arrangements)
            if (!improve(each)) return 1;
    print(arrangements);
    return 0;
}

}  // namespace
}  // namespace zetl::test

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]).starts_with("--scenario=")) return zetl::test::mainOf(argc, argv);
    return zetl::test::compare(argc > 1 ? std::atoi(argv[1]) : 5);
}
