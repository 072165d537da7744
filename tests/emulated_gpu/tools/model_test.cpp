// The timing model as tools see it: kernels with known answers, and the same answers in every run. Through the stock
// loader, without any layer.
#include <dlfcn.h>
#include <sched.h>
#include <ze_tools_layer/correlation.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <sstream>

#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "emulated_gpu/queries.h"
#include "emulated_gpu/stream.h"
#include "emulator/machine/profile.h"
#include "support/effort.h"
#include "support/scenario.h"
#include "support/wait_for.h"

namespace {
constexpr const char* kCores = "ZETL_TEST_CORES";
}

/// As many cores as the variable says, for every caller in this process: the driver takes a worker for each.
extern "C" __attribute__((visibility("default"))) int sched_getaffinity(pid_t process, std::size_t size,
                                                                        cpu_set_t* set) noexcept {
    using Original = int (*)(pid_t, std::size_t, cpu_set_t*);
    static const auto original = reinterpret_cast<Original>(dlsym(RTLD_NEXT, "sched_getaffinity"));
    const char* const cores = std::getenv(kCores);
    if (!cores) return original(process, size, set);
    CPU_ZERO_S(size, set);
    for (int core = 0; core < std::atoi(cores); ++core) CPU_SET_S(core, size, set);
    return 0;
}

namespace zetl::test {
namespace {

using emulator::machine::TimingModel;

TimingModel timing(const char* profile) { return emulator::machine::loadProfile(profile).devices.at(0).timing; }

/// Launches that are measured by one pool, so that what the caches hold stays from one to the next.
class Bench {
  public:
    Bench(const Gpu& gpu, const char* group) : gpu_(gpu), queries_(gpu, group) {}

    Row run(ze_kernel_handle_t kernel, std::uint32_t groups = 1) {
        auto* const query = queries_[slot_++];
        const ze_group_count_t count{groups, 1, 1};
        Queries::around(gpu_, query, [&](ze_command_list_handle_t list) {
            EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &count, nullptr, 0, nullptr));
        });
        return queries_.row(query);
    }

  private:
    const Gpu& gpu_;
    Queries queries_;
    std::uint32_t slot_ = 0;
};

double at(const Row& row, const char* column) { return static_cast<double>(row.at(column).value.ui64); }

std::uint32_t laneCount(ze_kernel_handle_t kernel) {
    ze_kernel_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
    EXPECT_OK(zeKernelGetProperties(kernel, &properties));
    return properties.maxSubgroupSize;
}

/// A ring through `lines` cache lines, in the order of a stride that is prime to their number.
std::uint32_t* ring(const Gpu& gpu, std::uint32_t lines) {
    constexpr std::uint32_t kWords = 16;
    constexpr std::uint32_t kStride = 97;
    auto* const p = gpu.shared<std::uint32_t>(std::size_t{lines} * kWords);
    for (std::uint32_t at = 0, i = 0; i < lines; ++i) {
        const std::uint32_t next = (at + kStride) % lines;
        p[at * kWords] = next * kWords;
        at = next;
    }
    return p;
}

SCENARIO(aChaseShowsEachLevelsLatency) {
    constexpr std::uint32_t kSteps = 1 << 15;
    constexpr std::uint32_t kFew = 64;
    const Gpu gpu;
    Bench bench(gpu, "ComputeBasic");
    const auto chase = Gpu::kernelOf(gpu.moduleOf("slow_load"), "chase");
    auto* const out = gpu.shared<std::uint32_t>(1);
    const auto cycles = [&](std::uint32_t* p) {
        Gpu::arguments(chase, p, kSteps, out);
        return at(bench.run(chase), "GpuCoreClocks") / kSteps;
    };
    auto* const large = ring(gpu, kSteps);  // 2 MiB: more than L1
    const double memory = cycles(large);
    const double l3 = cycles(large);
    const double l1 = cycles(ring(gpu, kFew));
    const auto model = timing("small");
    EXPECT_NEAR(memory - l3, model.memory - model.l3Hit, 1);
    EXPECT_NEAR(l3 - l1, model.l3Hit - model.l1Hit, 2);
    EXPECT_GT(l1, model.l1Hit);
    EXPECT_LT(l1, model.l1Hit + 100) << "the loop around the load";
}
TEST(ToolsModel, AChaseShowsEachLevelsLatency) { EXPECT_RUNS(measured("aChaseShowsEachLevelsLatency", "small")); }

SCENARIO(stridesHaveTheirHitRates) {
    constexpr std::uint32_t kLoads = 1024;
    const Gpu gpu;
    Bench bench(gpu, "CacheProfile");
    const auto walk = Gpu::kernelOf(gpu.moduleOf("model_kernels"), "walk");
    auto* const p = gpu.shared<std::uint32_t>(1 << 16);
    auto* const out = gpu.shared<std::uint32_t>(1);
    for (const std::uint32_t stride : {1u, 2u, 4u, 8u, 16u, 32u}) {
        Gpu::arguments(walk, p, stride, kLoads, out);
        const auto row = bench.run(walk);
        const double missed = std::min(1.0, stride / 16.0);
        EXPECT_NEAR(at(row, "LOAD_STORE_CACHE_ACCESS"), kLoads, 8) << stride;
        EXPECT_NEAR(at(row, "LOAD_STORE_CACHE_ACCESS") - at(row, "LOAD_STORE_CACHE_HIT"), kLoads * missed, 8) << stride;
    }
}
TEST(ToolsModel, StridesHaveTheirHitRates) { EXPECT_RUNS(measured("stridesHaveTheirHitRates")); }

SCENARIO(aStreamGetsItsBandwidth) {
    constexpr std::uint32_t kItems = 1 << 14;
    constexpr std::uint32_t kBytes = kItems * 32 * 16;  // 8 MiB
    constexpr std::uint32_t kGroupSize = 256;
    constexpr int kSubSlices = 8;
    const Gpu gpu;
    Bench bench(gpu, "ComputeBasic");
    const auto sum = Gpu::kernelOf(gpu.moduleOf("model_kernels"), "sum", kGroupSize);
    Gpu::arguments(sum, gpu.shared<float>(kBytes / 4), gpu.shared<float>(kItems));
    const auto row = bench.run(sum, kItems / kGroupSize);
    EXPECT_NEAR(at(row, "GPU_MEMORY_BYTE_READ"), kBytes, kBytes * 0.02);
    const double perCycle = at(row, "L3_BYTE_READ") / at(row, "GpuCoreClocks");
    const double most = kSubSlices * timing("small").l3BytesPerCycle;  // memory could give 1.3 times as much
    EXPECT_LE(perCycle, most);
    EXPECT_GE(perCycle, 0.8 * most);
}
TEST(ToolsModel, AStreamGetsItsBandwidth) { EXPECT_RUNS(measured("aStreamGetsItsBandwidth", "small")); }

SCENARIO(multiplyAddsIssueAtTheirRate) {
    constexpr std::uint32_t kTurns = 100;
    constexpr std::uint32_t kAdds = 32;
    constexpr int kEngines = 8;
    const Gpu gpu;
    const auto module = gpu.moduleOf("model_kernels");
    const auto kernel = Gpu::kernelOf(module, "multiplyAdd");
    const auto lanes = laneCount(kernel);
    const auto slots = lanes * 4 / 64;
    Gpu::arguments(kernel, gpu.shared<float>(1 << 14), kTurns);
    ASSERT_OK(zeKernelSetGroupSize(kernel, lanes, 1, 1));
    const auto one = Bench(gpu, "StallReasons").run(kernel);
    const double chain = 1.0 * kAdds * kTurns * (timing("tiny").accumulator + slots - 1);  // it keeps the sum there
    EXPECT_GT(at(one, "GpuCoreClocks"), chain * 0.9);
    EXPECT_LT(at(one, "GpuCoreClocks"), chain + kTurns * 100.0);
    EXPECT_GT(at(one, "XVE_STALL_ALUWR"), at(one, "GpuCoreClocks") / 4) << "each waits for the one before";
    ASSERT_OK(zeKernelSetGroupSize(kernel, lanes * 8, 1, 1));
    const auto all = Bench(gpu, "KernelSummary").run(kernel, 8);  // every slot taken: the pipe is never idle
    const double busy = at(all, "XVE_INST_EXECUTED_ALU0_ALL") / kEngines / at(all, "GpuCoreClocks");
    EXPECT_GT(busy, 0.85) << "a wide instruction takes several slots";
    EXPECT_LE(busy, 1.0);
    EXPECT_NEAR(all.at("XVE_INST_EXECUTED_ALU0_ALL_UTILIZATION").value.fp32, 100 * busy, 0.01);
    EXPECT_LE(all.at("XVE_INST_EXECUTED_ALU0_ALL_UTILIZATION").value.fp32, all.at("XVE_ACTIVE").value.fp32);
    EXPECT_GT(all.at("XVE_ACTIVE").value.fp32, 85.0f);
}
TEST(ToolsModel, MultiplyAddsIssueAtTheirRate) { EXPECT_RUNS(measured("multiplyAddsIssueAtTheirRate")); }

/// Their clock follows from what was executed, even if others collect.
SCENARIO(groupsThatCountNeedNoModel) {
    constexpr std::uint32_t kGroups = 8;
    constexpr int kEngines = 8;
    const Gpu gpu;
    const auto kernel = Gpu::kernelOf(gpu.moduleOf("model_kernels"), "multiplyAdd");
    const auto lanes = laneCount(kernel);
    Gpu::arguments(kernel, gpu.shared<float>(1 << 14), 100u);
    ASSERT_OK(zeKernelSetGroupSize(kernel, lanes, 1, 1));
    const auto modelled = Bench(gpu, "ComputeBasic").run(kernel, kGroups);
    Bench counting(gpu, "InstructionMix");
    const auto counted = counting.run(kernel, kGroups);
    const double busiest = at(counted, "XVE_INST_EXECUTED_ALU0_ALL") / kEngines;
    EXPECT_NEAR(at(counted, "GpuCoreClocks"), busiest, busiest * 0.01);
    EXPECT_LT(at(counted, "GpuCoreClocks"), at(modelled, "GpuCoreClocks")) << "one thread an engine waits for itself";
    const Stream stream(gpu, 1000, 1'000'000, "ComputeBasic");
    EXPECT_EQ(at(counting.run(kernel, kGroups), "GpuCoreClocks"), at(counted, "GpuCoreClocks"));
}
TEST(ToolsModel, GroupsThatCountNeedNoModel) { EXPECT_RUNS(measured("groupsThatCountNeedNoModel")); }

SCENARIO(threadsWaitAtABarrierForTheLastOne) {
    constexpr std::uint32_t kSteps = 500;
    constexpr std::uint32_t kThreads = 16;
    const Gpu gpu;
    const auto kernel = Gpu::kernelOf(gpu.moduleOf("model_kernels"), "late");
    ASSERT_OK(zeKernelSetGroupSize(kernel, kThreads * laneCount(kernel), 1, 1));
    Gpu::arguments(kernel, ring(gpu, 64), kSteps, gpu.shared<std::uint32_t>(1024));
    EXPECT_EQ(at(Bench(gpu, "ComputeBasic").run(kernel), "XVE_BARRIER_MESSAGE_COUNT"), kThreads);
    const auto row = Bench(gpu, "StallReasons").run(kernel);
    const double slow = kSteps * 1.0 * timing("tiny").l1Hit;
    EXPECT_GT(at(row, "XVE_STALL_BARRIER"), slow * (kThreads - 1));
    EXPECT_LT(at(row, "XVE_STALL_BARRIER"), at(row, "GpuCoreClocks") * kThreads);
}
TEST(ToolsModel, ThreadsWaitAtABarrierForTheLastOne) { EXPECT_RUNS(measured("threadsWaitAtABarrierForTheLastOne")); }

/// The number of the line that has this text.
int lineWith(const std::string& text) {
    std::ifstream file(ZETL_SLOW_LOAD);
    int number = 1;
    for (std::string line; std::getline(file, line) && line.find(text) == std::string::npos;) ++number;
    return number;
}

std::unique_ptr<correlation::Binary> debugImageOf(ze_module_handle_t module) {
    constexpr auto kFormat = ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF;
    std::size_t size = 0;
    EXPECT_OK(zetModuleGetDebugInfo(module, kFormat, &size, nullptr));
    std::vector<std::uint8_t> image(size);
    EXPECT_OK(zetModuleGetDebugInfo(module, kFormat, &size, image.data()));
    std::string failure;
    auto binary = correlation::Binary::read(image, failure);
    EXPECT_NE(binary, nullptr) << failure;
    return binary;
}

/// By the public API alone: sampled addresses, the module's debug image, and the source line where most wait.
SCENARIO(aSlowLoadIsFoundByItsSamples) {
    const Gpu gpu;
    const auto module = gpu.moduleOf("slow_load", "-g");
    const auto chase = Gpu::kernelOf(module, "chase");
    Gpu::arguments(chase, ring(gpu, 4096), std::uint32_t{4096}, gpu.shared<std::uint32_t>(1));
    Stream samples(gpu, 1, 500'000, "EuStallSampling");
    const auto list = gpu.list();
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, chase, &kOneGroup, nullptr, 0, nullptr));
    ASSERT_OK(gpu.run(list));
    ASSERT_OK(samples.read());
    const auto rows = samples.rows();
    ASSERT_FALSE(rows.empty());
    std::uint64_t all = 0;
    for (const auto& row : rows)
        for (const auto& [column, value] : row)
            if (column != "IP") all += value.value.ui64;
    const auto waits = [](const Row& row) { return row.at("SbidStall").value.ui64; };
    const auto top = std::ranges::max_element(rows, {}, waits);
    EXPECT_GT(waits(*top), all / 2) << "of " << all << " samples";

    const auto image = debugImageOf(module);
    ASSERT_EQ(image->withoutLines(), "");
    const auto& kernels = image->kernels();
    const auto kernel = std::ranges::find(kernels, "chase", &correlation::Kernel::name);
    ASSERT_NE(kernel, kernels.end());
    const auto offset = ((top->at("IP").value.ui64 << 3) - (kernel->address & ~std::uint64_t{7})) & 0xffffffff;
    ASSERT_LT(offset, kernel->codeBytes);
    const auto places = image->sourceOf(*kernel, static_cast<std::uint32_t>(offset));
    ASSERT_FALSE(places.empty());
    EXPECT_EQ(places.front().line, lineWith("THE SLOW LOAD"));
    EXPECT_TRUE(places.front().file.ends_with("slow_load.cl")) << places.front().file;
}
TEST(ToolsModel, ASlowLoadIsFoundByItsSamples) { EXPECT_RUNS(measured("aSlowLoadIsFoundByItsSamples")); }

/// Threads of this process with that name.
int threadsNamed(const std::string& name) {
    int threads = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(entry.path() / "comm");
        std::string comm;
        std::getline(file, comm);
        threads += comm == name;
    }
    return threads;
}

/// A row for each group of the device, without what is a time.
SCENARIO(everyGroupAroundALaunch) {
    constexpr std::uint32_t kGroupSize = 128;
    constexpr std::uint32_t kGroups = 48;
    const std::set<std::string> times{"GpuTime", "QueryBeginTime", "AvgGpuCoreFrequencyMHz", "AvgGpuSliceFrequencyMHz"};
    const Gpu gpu;
    const auto kernel = Gpu::kernelOf(gpu.moduleOf("model_kernels"), "mixture", kGroupSize);
    auto* const a = gpu.shared<float>(4096);
    for (int i = 0; i < 4096; ++i) a[i] = static_cast<float>(i);
    Gpu::arguments(kernel, a, gpu.shared<float>(kGroups * kGroupSize), gpu.shared<std::uint32_t>(4));
    ASSERT_OK(zeKernelSetArgumentValue(kernel, 3, kGroupSize * sizeof(float), nullptr));
    for (auto* const handle : listOf(zetMetricGroupGet, gpu.device())) {
        zet_metric_group_properties_t properties{};
        ASSERT_OK(zetMetricGroupGetProperties(handle, &properties));
        if (properties.samplingType != kEventBased) continue;
        for (const auto& [column, value] : Bench(gpu, properties.name).run(kernel, kGroups))
            if (!times.contains(column))
                std::printf("%s.%s %llu\n", properties.name, column.c_str(),
                            static_cast<unsigned long long>(value.value.ui64));
    }
    // Threads name themselves when they first run.
    EXPECT_TRUE(waitFor([] { return threadsNamed("zetl-worker") == std::atoi(std::getenv(kCores)); }));
}

std::vector<std::string> linesOf(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

constexpr int kRuns = effort(20, 2);
constexpr std::size_t kModelledProfiles = effort(2, 1);

TEST(ToolsModel, EveryRunGivesTheSameInEveryGroup) {
    constexpr const char* kWorkers[] = {"1", "8", "2"};
    constexpr std::array kModels{"small-two-by-two", "tiny"};
    for (const char* profile : std::span(kModels).first(kModelledProfiles)) {
        std::vector<std::string> first;
        for (int run = 0; run < kRuns; ++run) {
            const auto outcome = measured("everyGroupAroundALaunch", profile)
                                     .with(kCores, kWorkers[run % 3])
                                     .run(std::chrono::seconds(120));
            ASSERT_TRUE(outcome.good()) << outcome;
            const auto lines = linesOf(outcome.output);
            if (run == 0) first = lines;
            ASSERT_GT(first.size(), 100u);
            ASSERT_EQ(lines, first) << "run " << run << " with " << kWorkers[run % 3] << " workers, " << profile;
        }
    }
}

/// Prints the counts of three launches on each of two lists that nothing orders, and then of as many that an event
/// orders one behind the other.
SCENARIO(launchesOnTwoLists) {
    constexpr std::uint32_t kGroupSize = 128;
    constexpr int kLaunches = 3;
    const ze_group_count_t groups{16, 1, 1};
    const Gpu gpu;
    const auto module = gpu.moduleOf("model_kernels");
    const auto kernel = Gpu::kernelOf(module, "sum", kGroupSize);
    const auto pool = gpu.pool(1);
    const auto event = Gpu::event(pool);
    const Queries queries(gpu, "KernelSummary");
    const auto edge = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const auto launchOn = [&](ze_command_list_handle_t list, ze_event_handle_t signal, ze_event_handle_t wait) {
        Gpu::arguments(kernel, gpu.shared<float>(std::size_t{groups.groupCountX} * kGroupSize * 4 * 32),
                       gpu.shared<float>(std::size_t{groups.groupCountX} * kGroupSize));
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, signal, wait != nullptr ? 1 : 0,
                                                  wait != nullptr ? &wait : nullptr));
    };
    double cycles[2] = {};
    launchOn(edge, nullptr, nullptr);  // L3 has what all launches read
    for (const bool ordered : {false, true}) {
        auto* const query = queries[ordered ? 1 : 0];
        ASSERT_OK(zetCommandListAppendMetricQueryBegin(edge, query));
        const auto one = gpu.immediate();
        const auto other = gpu.immediate();
        for (int i = 0; i < kLaunches; ++i) launchOn(one, ordered && i == kLaunches - 1 ? event : nullptr, nullptr);
        for (int i = 0; i < kLaunches; ++i) launchOn(other, nullptr, ordered && i == 0 ? event : nullptr);
        ASSERT_OK(gpu.synchronize(one, UINT64_MAX));
        ASSERT_OK(gpu.synchronize(other, UINT64_MAX));
        ASSERT_OK(zetCommandListAppendMetricQueryEnd(edge, query, nullptr, 0, nullptr));
        const Row row = queries.row(query);
        cycles[ordered ? 1 : 0] = at(row, "GpuCoreClocks");
        for (const char* column : {"GpuCoreClocks", "GPU_MEMORY_BYTE_READ", "L3_HIT", "LOAD_STORE_CACHE_HIT"})
            std::printf("%d %s %llu\n", ordered, column, static_cast<unsigned long long>(row.at(column).value.ui64));
    }
    EXPECT_LT(cycles[0] * 1.2, cycles[1]) << "side by side";
}

TEST(ToolsModel, LaunchesOnTwoListsAreSideBySideInEveryRun) {
    constexpr const char* kWorkers[] = {"1", "8", "2"};
    std::vector<std::string> first;
    for (int run = 0; run < kRuns; ++run) {
        const auto outcome =
            measured("launchesOnTwoLists", "small").with(kCores, kWorkers[run % 3]).run(std::chrono::seconds(120));
        ASSERT_TRUE(outcome.good()) << outcome;
        const auto lines = linesOf(outcome.output);
        if (run == 0) first = lines;
        ASSERT_EQ(lines, first) << "run " << run << " with " << kWorkers[run % 3] << " workers";
    }
}

}  // namespace
}  // namespace zetl::test
