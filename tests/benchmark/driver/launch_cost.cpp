// What a launch on the emulated GPU takes beside its kernel: by wall time, and by processor time of the whole process.
//
//   build/release/tests/benchmark/launch_cost [options of Google Benchmark]
//
// The number behind a name is that of the groups, each of one hardware thread that adds two numbers a lane.
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "emulated_gpu/graphs.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kItems = 32;

const Gpu& gpu() {
    static const Gpu emulated;
    return emulated;
}

ze_kernel_handle_t sumOf(std::uint32_t groups) {
    const std::size_t elements = std::size_t{groups} * kItems;
    const auto kernel = gpu().kernel("add", kItems);
    Gpu::arguments(kernel, gpu().shared(elements), gpu().shared(elements), gpu().shared(elements));
    return kernel;
}

ze_group_count_t groupsOf(const benchmark::State& state) { return {static_cast<std::uint32_t>(state.range(0)), 1, 1}; }

void check(benchmark::State& state, ze_result_t result) {
    if (result != ZE_RESULT_SUCCESS) state.SkipWithError("a call failed");
}

/// The caller waits within the call that launches.
void synchronousList(benchmark::State& state) {
    const ze_group_count_t groups = groupsOf(state);
    const auto kernel = sumOf(groups.groupCountX);
    const auto list = gpu().immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    for (auto _ : state) check(state, zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
}

/// The caller waits for an event.
void asynchronousList(benchmark::State& state) {
    const ze_group_count_t groups = groupsOf(state);
    const auto kernel = sumOf(groups.groupCountX);
    const auto list = gpu().immediate();
    const auto event = Gpu::event(gpu().pool(1));
    for (auto _ : state) {
        check(state, zeCommandListAppendLaunchKernel(list, kernel, &groups, event, 0, nullptr));
        check(state, zeEventHostSynchronize(event, UINT64_MAX));
        check(state, zeEventHostReset(event));
    }
}

/// The caller executes a list that is closed, and waits for its queue.
void queue(benchmark::State& state) {
    const ze_group_count_t groups = groupsOf(state);
    const auto queue = gpu().queue();
    auto list = gpu().list();
    check(state, zeCommandListAppendLaunchKernel(list, sumOf(groups.groupCountX), &groups, nullptr, 0, nullptr));
    check(state, zeCommandListClose(list));
    for (auto _ : state) {
        check(state, zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr));
        check(state, zeCommandQueueSynchronize(queue, UINT64_MAX));
    }
}

/// One of many in a list, which is waited for once.
void manyInAList(benchmark::State& state) {
    constexpr int kLaunches = 1000;
    const ze_group_count_t groups = groupsOf(state);
    const auto queue = gpu().queue();
    const auto kernel = sumOf(groups.groupCountX);
    auto list = gpu().list();
    for (int i = 0; i < kLaunches; ++i)
        check(state, zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    check(state, zeCommandListClose(list));
    while (state.KeepRunningBatch(kLaunches)) {
        check(state, zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr));
        check(state, zeCommandQueueSynchronize(queue, UINT64_MAX));
    }
}

/// A graph of that many launches, executed on the list that recorded it.
void graphOf(benchmark::State& state, int launches) {
    const ze_group_count_t groups = groupsOf(state);
    const Graphs graphs(gpu());
    const auto list = graphs.inOrder();
    const auto kernel = sumOf(groups.groupCountX);
    check(state, graphs.begin(list, nullptr));
    for (int i = 0; i < launches; ++i)
        check(state, zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    const auto graph = graphs.executable(graphs.recorded(list));
    while (state.KeepRunningBatch(launches)) check(state, graphs.run(list, graph));
}
void graph(benchmark::State& state) { graphOf(state, 1); }
/// One of many in a graph, to be compared with manyInAList.
void manyInAGraph(benchmark::State& state) { graphOf(state, 1000); }

void configure(benchmark::internal::Benchmark* each) {
    each->Arg(1)->Arg(64)->Unit(benchmark::kMicrosecond)->UseRealTime()->MeasureProcessCPUTime();
}
BENCHMARK(synchronousList)->Apply(configure);
BENCHMARK(asynchronousList)->Apply(configure);
BENCHMARK(queue)->Apply(configure);
BENCHMARK(manyInAList)->Apply(configure);
BENCHMARK(graph)->Apply(configure);
BENCHMARK(manyInAGraph)->Apply(configure);

}  // namespace
}  // namespace zetl::test

int main(int count, char** arguments) {
    setenv("ZE_ENABLE_ALT_DRIVERS", zetl::test::inBuildTree("lib/libze_emulated_gpu.so.1").c_str(), 1);
    benchmark::Initialize(&count, arguments);
    if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
    benchmark::RunSpecifiedBenchmarks();
}
