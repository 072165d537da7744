// Instruction sampling on NVIDIA's GPU: on a real one where its warps were, elsewhere what CUPTI's stand-in says.
#include <elf.h>
#include <gmock/gmock.h>
#include <level_zero/zet_api.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "emulated_gpu/stream.h"
#include "nvidia_gpu.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kGroup = "NvidiaStallSampling";
constexpr std::uint32_t kEvery = 20'000;  // nanoseconds
constexpr std::uint32_t kSpinningGroups = 64;

/// Opens a streamer with whatever period the device grants next to the one that is wanted.
zet_metric_streamer_handle_t sampling(const Gpu& gpu, zet_metric_group_handle_t group) {
    activate(gpu, group);
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 1000, kEvery};
    zet_metric_streamer_handle_t streamer = nullptr;
    EXPECT_OK(zetMetricStreamerOpen(gpu.context(), gpu.device(), group, &description, nullptr, &streamer));
    EXPECT_GT(description.samplingPeriod, kEvery / 2);
    EXPECT_LT(description.samplingPeriod, kEvery * 2);
    return streamer;
}

ze_result_t readInto(std::vector<std::uint8_t>& raw, zet_metric_streamer_handle_t streamer) {
    std::size_t size = 0;
    if (const auto bad = zetMetricStreamerReadData(streamer, UINT32_MAX, &size, nullptr)) return bad;
    const auto old = raw.size();
    raw.resize(old + size);
    const auto result = zetMetricStreamerReadData(streamer, UINT32_MAX, &size, raw.data() + old);
    raw.resize(old + size);
    return result;
}

struct Code {
    std::uint64_t base = 0;
    std::uint64_t bytes = 0;
    bool holds(std::uint64_t address) const { return address - base < bytes; }
};

Code codeOf(const Gpu& gpu, ze_kernel_handle_t kernel) {
    Code code;
    std::size_t bytes = 0;
    using Base = ze_result_t(ze_kernel_handle_t, std::uint64_t*);
    EXPECT_OK(gpu.function<Base>("zexKernelGetBaseAddress")(kernel, &code.base));
    EXPECT_OK(gpu.function<decltype(zeKernelGetBinaryExp)>("zeKernelGetBinaryExp")(kernel, &bytes, nullptr));
    code.bytes = bytes;
    return code;
}

std::uint64_t looksOf(const Row& row) {
    std::uint64_t sum = 0;
    for (const auto& [name, value] : row)
        if (name != "IP") sum += value.value.ui64;
    return sum;
}

void launchSpins(const Gpu& gpu, ze_kernel_handle_t kernel, std::chrono::nanoseconds time) {
    const auto nanoseconds = static_cast<std::uint64_t>(time.count());
    Gpu::arguments(kernel, nanoseconds);
    const ze_group_count_t groups{kSpinningGroups, 1, 1};
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
}

/// Looks at the kernel, and at all else.
struct Looks {
    std::uint64_t within = 0;
    std::uint64_t elsewhere = 0;
};

Looks looksAt(const Code& code, zet_metric_group_handle_t group, const std::vector<std::uint8_t>& raw) {
    Looks looks;
    for (const auto& row : rowsOf(group, raw))
        (code.holds(row.at("IP").value.ui64 * 8) ? looks.within : looks.elsewhere) += looksOf(row);
    return looks;
}

SCENARIO(findsTheKernel) {
    const Gpu gpu;
    auto* const group = test::group(gpu, kGroup, kTimeBased);
    const auto columns = columnsOf(group);
    EXPECT_EQ(columns.front(), "IP");
    EXPECT_NE(std::find(columns.begin(), columns.end(), "stalled_long_scoreboard"), columns.end());
    const auto kernel = ptxKernel(gpu, realGpu() ? "spin" : "add");
    const auto code = codeOf(gpu, kernel);
    auto* const streamer = sampling(gpu, group);
    std::vector<std::uint8_t> raw;
    Looks looks;
    EXPECT_TRUE(waitFor([&] {
        if (realGpu()) launchSpins(gpu, kernel, 20ms);
        EXPECT_OK(readInto(raw, streamer));
        if (!raw.empty()) looks = looksAt(code, group, raw);
        return looks.within > 0;
    }));
    EXPECT_OK(zetMetricStreamerClose(streamer));
    std::printf("samples: %lu of the kernel, %lu of other code\n", looks.within, looks.elsewhere);
    if (realGpu()) return;
    for (const auto& row : rowsOf(group, raw)) {
        const auto issued = row.at("stalled_selected").value.ui64;
        EXPECT_GT(issued, 0u);
        EXPECT_EQ(row.at("stalled_long_scoreboard").value.ui64 * 2, issued) << "and its twin is not added";
        EXPECT_EQ(row.at("stalled_misc").value.ui64 * 2, issued * 3);
        const auto address = row.at("IP").value.ui64 * 8;
        EXPECT_TRUE(address == 0 || address == code.base + 16) << address;
    }
}
TEST(NvidiaSampling, FindsTheKernel) { EXPECT_RUNS(onCounters("findsTheKernel")); }

/// What other threads launch, load and unload while one reads.
SCENARIO(goesOnBesideLaunches) {
    const Gpu gpu;
    auto* const group = test::group(gpu, kGroup, kTimeBased);
    auto* const streamer = sampling(gpu, group);
    std::atomic<int> working{3};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) {
                const auto kernel = ptxKernel(gpu, "spin");
                for (int k = 0; k < 20; ++k) launchSpins(gpu, kernel, 20us);
            }
            --working;
        });
    std::vector<std::uint8_t> raw;
    while (working > 0) {
        EXPECT_OK(readInto(raw, streamer));
        letPass(std::chrono::milliseconds(1));
    }
    for (auto& thread : threads) thread.join();
    EXPECT_OK(zetMetricStreamerClose(streamer));
    auto* const again = sampling(gpu, group);
    EXPECT_OK(zetMetricStreamerClose(again));
}
TEST(NvidiaSampling, GoesOnBesideLaunches) { EXPECT_RUNS(onCounters("goesOnBesideLaunches")); }

SCENARIO(closesBesideAKernel) {
    const Gpu gpu;
    auto* const streamer = sampling(gpu, group(gpu, kGroup, kTimeBased));
    const auto kernel = ptxKernel(gpu, "spin");
    const std::uint64_t nanoseconds = 300'000'000;
    Gpu::arguments(kernel, nanoseconds);
    const auto list = gpu.immediate();
    const auto began = std::chrono::steady_clock::now();
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    EXPECT_OK(zetMetricStreamerClose(streamer));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    std::printf("samples: closed %.0f ms after the launch of a kernel of 300 ms\n", took.count());
    EXPECT_OK(gpu.synchronize(list, UINT64_MAX));
}
TEST(NvidiaSampling, ClosesBesideAKernel) { EXPECT_RUNS(onCounters("closesBesideAKernel")); }

SCENARIO(excludesCounters) {
    const Gpu gpu;
    auto* const samples = group(gpu, kGroup, kTimeBased);
    auto* const streamer = sampling(gpu, samples);
    zet_metric_group_handle_t both[] = {samples, group(gpu, "NvidiaCompute", kTimeBased)};
    EXPECT_NE(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 2, both), ZE_RESULT_SUCCESS);
    EXPECT_OK(zetMetricStreamerClose(streamer));
    const Stream counters(gpu, 1000, 1'000'000, "NvidiaCompute");
}
TEST(NvidiaSampling, ExcludesCounters) { EXPECT_RUNS(onCounters("excludesCounters")); }

ze_result_t calculated(zet_metric_group_handle_t group, const std::vector<std::uint8_t>& raw) {
    std::uint32_t sets = 0;
    std::uint32_t count = 0;
    const auto calculate = zetMetricGroupCalculateMultipleMetricValuesExp;
    EXPECT_OK(calculate(group, kMetricValues, raw.size(), raw.data(), &sets, &count, nullptr, nullptr));
    std::vector<std::uint32_t> counts(sets);
    std::vector<zet_typed_value_t> values(count);
    return calculate(group, kMetricValues, raw.size(), raw.data(), &sets, &count, counts.data(), values.data());
}

SCENARIO(goesOnAfterALoss) {
    const Gpu gpu;
    auto* const group = test::group(gpu, kGroup, kTimeBased);
    const auto kernel = ptxKernel(gpu, "add");
    auto* const streamer = sampling(gpu, group);
    std::vector<std::uint8_t> raw;
    auto result = ZE_RESULT_SUCCESS;
    EXPECT_TRUE(waitFor([&] {
        EXPECT_OK(readInto(raw, streamer));
        if (!raw.empty()) result = calculated(group, raw);
        return result != ZE_RESULT_SUCCESS;
    }));
    EXPECT_EQ(result, ZE_RESULT_WARNING_DROPPED_DATA);
    raw.clear();
    EXPECT_TRUE(waitFor([&] {
        EXPECT_OK(readInto(raw, streamer));
        return !raw.empty() && looksAt(codeOf(gpu, kernel), group, raw).within > 0;
    }));
    EXPECT_OK(zetMetricStreamerClose(streamer));
}
TEST(NvidiaSampling, GoesOnAfterALoss) {
    if (realGpu()) GTEST_SKIP() << "a real buffer does not overflow on demand";
    auto process = onCounters("goesOnAfterALoss");
    EXPECT_RUNS(process.with("STAND_IN_OVERFLOW", "4"));
}

SCENARIO(isRefusedSamples) {
    const Gpu gpu;
    auto* const group = test::group(gpu, kGroup, kTimeBased);
    activate(gpu, group);
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 1000, kEvery};
    zet_metric_streamer_handle_t streamer = nullptr;
    EXPECT_EQ(zetMetricStreamerOpen(gpu.context(), gpu.device(), group, &description, nullptr, &streamer),
              std::strtol(std::getenv("EXPECTED"), nullptr, 16));
}
TEST(NvidiaSampling, NamesWhoMayNot) {
    if (realGpu()) GTEST_SKIP() << "a real library's answers cannot be scripted";
    for (const char* function : {"cuptiPCSamplingEnable", "cuptiPCSamplingSetConfigurationAttribute"}) {
        auto process = onCounters("isRefusedSamples", function + std::string("=35"));
        const auto outcome = process.with("EXPECTED", "70010000").run();
        EXPECT_TRUE(outcome.good()) << outcome;
        EXPECT_NE(outcome.output.find("NVreg_RestrictProfilingToAdminUsers=0"), std::string::npos) << outcome;
    }
}

SCENARIO(spinsForAWhile) {
    const Gpu gpu;
    const auto kernel = ptxKernel(gpu, "spin");
    for (int i = 0; i < 5; ++i) launchSpins(gpu, kernel, 20ms);
    letPass(20ms);  // samples come late
}
TEST(NvidiaSampling, ShowsAProgramsStalls) {
    Process zetl({inBuildTree("bin/zetl"), "stalls", "--code", "--", thisProgram(), "--scenario=spinsForAWhile"});
    zetl.with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("lib/libze_nvidia_gpu.so.1"));
    if (!realGpu())
        zetl.with("ZETL_CUDA_LIBRARY", inBuildTree("tests/nvidia/libcuda_stand_in.so"))
            .with("ZETL_CUPTI_LIBRARY", inBuildTree("tests/nvidia/libcupti_stand_in.so"));
    const auto outcome = zetl.run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("stalled_selected"), std::string::npos) << outcome;
    EXPECT_NE(outcome.output.find(realGpu() ? "\nspin: " : "\nadd: "), std::string::npos) << outcome;
    EXPECT_THAT(outcome.output, testing::ContainsRegex(" [0-9a-f]+:  (0x|[A-Z@])"))
        << "an instruction's words, or its mnemonic where nvdisasm is installed: " << outcome;
}

/// The process ends while CUPTI samples and a thread fetches.
SCENARIO(endsWhileItSamples) {
    const Gpu gpu;
    const auto kernel = ptxKernel(gpu, "spin");
    sampling(gpu, group(gpu, kGroup, kTimeBased));
    launchSpins(gpu, kernel, 1ms);
}
TEST(NvidiaSampling, LetAProcessEnd) { EXPECT_RUNS(onCounters("endsWhileItSamples")); }

SCENARIO(losesTheDeviceWhileItSamples) {
    const Gpu gpu;
    auto* const streamer = sampling(gpu, group(gpu, kGroup, kTimeBased));
    const auto kernel = ptxKernel(gpu, "fault");
    const auto list = gpu.immediate();
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    EXPECT_EQ(gpu.synchronize(list, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_OK(zetMetricStreamerClose(streamer));
}
TEST(NvidiaSampling, SurvivesALostDevice) { EXPECT_RUNS(onCounters("losesTheDeviceWhileItSamples")); }

/// The debug image says where the driver stands for the code to lie; the native binary is as it was loaded.
SCENARIO(placesDebugInfo) {
    const Gpu gpu;
    const auto kernel = ptxKernel(gpu, "add");
    const auto module = ptxModule(gpu);
    const auto debugInfo = gpu.function<decltype(zetModuleGetDebugInfo)>("zetModuleGetDebugInfo");
    std::size_t size = 0;
    ASSERT_OK(debugInfo(module, ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, &size, nullptr));
    std::vector<std::uint8_t> placed(size);
    ASSERT_OK(debugInfo(module, ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, &size, placed.data()));
    std::vector<std::uint8_t> native(size);
    ASSERT_OK(zeModuleGetNativeBinary(module, &size, native.data()));
    ASSERT_EQ(native.size(), placed.size());
    Elf64_Ehdr head{};
    std::memcpy(&head, placed.data(), sizeof head);
    int code = 0;
    for (std::size_t i = 0; i < head.e_shnum; ++i) {
        Elf64_Shdr section{};
        Elf64_Shdr former{};
        const auto at = head.e_shoff + i * head.e_shentsize;
        std::memcpy(&section, placed.data() + at, sizeof section);
        std::memcpy(&former, native.data() + at, sizeof former);
        if (section.sh_addr == former.sh_addr) continue;
        ++code;
        EXPECT_EQ(former.sh_addr, 0u);
        EXPECT_FALSE(codeOf(gpu, kernel).holds(section.sh_addr)) << "the code of another module";
    }
    EXPECT_GT(code, 0);
}
TEST(NvidiaSampling, PlacesDebugInfo) { EXPECT_RUNS(onNvidia("placesDebugInfo")); }

}  // namespace
}  // namespace zetl::test
