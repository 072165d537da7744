// Rows a second: one thread, and two that share one group.
#include <benchmark/benchmark.h>

#include "benchmark/metrics/reports.h"

namespace zetl::test {
namespace {

constexpr std::size_t kRows = 4096;

void calculate(benchmark::State& state) {
    static const metrics::Calculator shared(hardwareGroup());
    static const auto raw = reportsOf(kRows + 1);
    std::vector<zet_typed_value_t> values(kRows * kColumns);
    for (auto _ : state) {
        shared.calculate(ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES, raw, kRows, values.data());
        benchmark::DoNotOptimize(values.data());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}
BENCHMARK(calculate)->Threads(1)->Threads(2)->UseRealTime();

}  // namespace
}  // namespace zetl::test

BENCHMARK_MAIN();
