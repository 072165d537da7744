// Rows a second: one thread, two that share one group, and two with a group each, which is what the host can give.
//
// CPU is the processor time that a thread takes for a call. Where it is the same for one thread and for each of two,
// two do twice the work; the real time tells, beside that, how long they had to wait for a core.
#include <benchmark/benchmark.h>

#include "benchmark/metrics/reports.h"

namespace zetl::test {
namespace {

constexpr std::size_t kRows = 4096;

void calculateWith(const metrics::Calculator& calculator, benchmark::State& state) {
    static const auto raw = reportsOf(kRows + 1);
    std::vector<zet_typed_value_t> values(kRows * kColumns);
    for (auto _ : state) {
        calculator.calculate(ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES, raw, kRows, values.data());
        benchmark::DoNotOptimize(values.data());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}

void calculate(benchmark::State& state) {
    static const metrics::Calculator shared(hardwareGroup());
    calculateWith(shared, state);
}
BENCHMARK(calculate)->Threads(1)->Threads(2)->UseRealTime();

void calculateApart(benchmark::State& state) {
    const metrics::Calculator own(hardwareGroup());
    calculateWith(own, state);
}
BENCHMARK(calculateApart)->Threads(2)->UseRealTime();

}  // namespace
}  // namespace zetl::test

BENCHMARK_MAIN();
