// SPIR-V on NVIDIA's GPU: LLVM's tools make PTX of it. On a real GPU what it computed, elsewhere that it gets there.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>

#include "kernels.h"
#include "nvidia_gpu.h"
#include "support/level_zero.h"

namespace zetl::test {
namespace {

ze_kernel_handle_t kernelOf(ze_module_handle_t module, const char* name, std::uint32_t groupSize) {
    const ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, name};
    ze_kernel_handle_t kernel = nullptr;
    EXPECT_OK(zeKernelCreate(module, &description, &kernel));
    EXPECT_OK(zeKernelSetGroupSize(kernel, groupSize, 1, 1));
    return kernel;
}

void run(const Gpu& gpu, ze_kernel_handle_t kernel, std::uint32_t groups) {
    const ze_group_count_t count{groups, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS), kernel, &count, nullptr,
                                              0, nullptr));
}

SCENARIO(runsSpirv) {
    const Gpu gpu;
    const auto module = gpu.moduleOf("portable_kernels");
    auto* const data = gpu.host<std::uint32_t>(64);
    std::iota(data, data + 64, 0u);
    const auto add = kernelOf(module, "add", 32);
    Gpu::arguments(add, data, 5u);
    run(gpu, add, 2);
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(data[i], i + 5);
    // Eight bytes without a value are local memory where the kernel says that its parameter is such.
    const auto reverse = kernelOf(module, "reverse", 2);
    ASSERT_OK(zeKernelSetArgumentValue(reverse, 0, sizeof data, &data));
    ASSERT_OK(zeKernelSetArgumentValue(reverse, 1, 8, nullptr));
    run(gpu, reverse, 1);
    EXPECT_EQ(data[0], 1u);
    EXPECT_EQ(data[1], 0u);
}
TEST(NvidiaSpirv, Runs) {
    NEEDS_LLVM;
    EXPECT_RUNS(onNvidia("runsSpirv"));
}

std::string imageOf(ze_module_handle_t module) {
    std::size_t size = 0;
    EXPECT_OK(zeModuleGetNativeBinary(module, &size, nullptr));
    std::string image(size, '\0');
    EXPECT_OK(zeModuleGetNativeBinary(module, &size, reinterpret_cast<std::uint8_t*>(image.data())));
    return image;
}

/// The machine code's line table, or the stand-in's text, names the source of a module that is built with -g.
SCENARIO(keepsLines) {
    const Gpu gpu;
    constexpr const char* kSource = "slow_load.cl";
    EXPECT_EQ(imageOf(gpu.moduleOf("slow_load")).find(kSource), std::string::npos);
    const auto image = imageOf(gpu.moduleOf("slow_load", "-g"));
    EXPECT_NE(image.find(kSource), std::string::npos);
    if (realGpu()) return;
    EXPECT_NE(image.find("\t.loc\t1 "), std::string::npos);
    EXPECT_EQ(image.find(".section"), std::string::npos);
    EXPECT_EQ(image.find(", debug"), std::string::npos);
}
TEST(NvidiaSpirv, KeepsLines) {
    NEEDS_LLVM;
    EXPECT_RUNS(onNvidia("keepsLines"));
}

/// Also in functions that are not inlined, behind barriers, and in launches that are recorded.
void hasOffsets(const char* flags) {
    constexpr std::uint32_t kRow = 8;
    const Gpu gpu;
    const auto kernel = kernelOf(gpu.moduleOf("offset_kernels", flags), "offsetIds", 4);
    auto* const out = gpu.host<std::uint32_t>(kRow);
    Gpu::arguments(kernel, out);
    ze_kernel_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
    ASSERT_OK(zeKernelGetProperties(kernel, &properties));
    EXPECT_EQ(properties.numKernelArgs, 1u);
    EXPECT_EQ(zeKernelSetArgumentValue(kernel, 1, 4, out), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    const auto setOffset = gpu.function<decltype(zeKernelSetGlobalOffsetExp)>("zeKernelSetGlobalOffsetExp");
    const auto expectFrom = [&](std::uint32_t first) {
        run(gpu, kernel, 2);
        for (std::uint32_t i = 0; i < kRow; ++i) EXPECT_EQ(out[i], first + i);
    };
    expectFrom(0);
    ASSERT_OK(setOffset(kernel, 7, 2, 3));
    expectFrom(30207);
    ASSERT_OK(setOffset(kernel, 0, 0, 0));
    expectFrom(0);
    const auto ptx = ptxKernel(gpu, "add");
    EXPECT_OK(setOffset(ptx, 0, 0, 0));
    EXPECT_EQ(setOffset(ptx, 1, 0, 0), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}
SCENARIO(beginsElsewhere) { hasOffsets(""); }
SCENARIO(beginsElsewhereUnoptimized) { hasOffsets("-ze-opt-disable"); }
TEST(NvidiaSpirv, BeginsElsewhere) {
    NEEDS_LLVM;
    EXPECT_RUNS(onNvidia("beginsElsewhere"));
    EXPECT_RUNS(onNvidia("beginsElsewhereUnoptimized"));
}

/// The host sees what kernels do to variables outside functions, and the other way round.
SCENARIO(sharesVariables) {
    const Gpu gpu;
    const auto module = gpu.moduleOf("portable_features");
    const auto countUp = kernelOf(module, "countUp", 1);
    auto* const out = gpu.host<int>(2);
    Gpu::arguments(countUp, out);
    void* counter = nullptr;
    std::size_t size = 0;
    ASSERT_OK(zeModuleGetGlobalPointer(module, "counter", &size, &counter));
    EXPECT_EQ(size, sizeof(int));
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const int forty = 40;
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, counter, &forty, sizeof forty, nullptr, 0, nullptr));
    run(gpu, countUp, 1);
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, &out[1], counter, sizeof(int), nullptr, 0, nullptr));
    EXPECT_EQ(out[0], 40);
    EXPECT_EQ(out[1], 41);
}
TEST(NvidiaSpirv, SharesVariables) {
    NEEDS_LLVM;
    EXPECT_RUNS(onNvidia("sharesVariables"));
}

constexpr std::uint32_t kItemsOfGroup = 80;  // two warps and a half
constexpr std::uint32_t kItems = 2 * kItemsOfGroup;

/// Row by row what the kernel wrote and what it should have.
void compare(const int* out, const std::vector<std::function<int(std::uint32_t)>>& rows) {
    for (std::size_t row = 0; row < rows.size(); ++row)
        for (std::uint32_t i = 0; i < kItems; ++i)
            ASSERT_EQ(out[row * kItems + i], rows[row](i)) << "row " << row << ", thread " << i;
}

SCENARIO(computesInGroups) {
    const Gpu gpu;
    const auto module = gpu.moduleOf("portable_kernels");
    auto* const out = gpu.host<int>(6 * kItems);
    const auto groups = kernelOf(module, "groups", kItemsOfGroup);
    const auto subGroups = kernelOf(module, "subGroups", kItemsOfGroup);
    if (!realGpu()) return;
    Gpu::arguments(groups, out);
    run(gpu, groups, 2);
    const auto local = [](std::uint32_t i) { return static_cast<int>(i % kItemsOfGroup); };
    const auto sumTo = [](int n) { return n * (n + 1) / 2; };
    compare(out, {[&](auto) { return sumTo(kItemsOfGroup); }, [&](auto i) { return sumTo(local(i) + 1); },
                  [&](auto i) { return local(i) == 0 ? INT32_MIN : local(i); }, [](auto) { return int{kItemsOfGroup}; },
                  [](auto i) { return static_cast<int>(i); }});
    Gpu::arguments(subGroups, out);
    run(gpu, subGroups, 2);
    const auto lane = [&](std::uint32_t i) { return local(i) % 32; };
    const auto lanes = [&](std::uint32_t i) { return local(i) < 64 ? 32 : 16; };
    compare(out,
            {[&](auto i) { return sumTo(lanes(i)); }, [&](auto i) { return sumTo(lane(i)); }, [](auto) { return 1; },
             [](auto) { return 4; }, [&](auto i) { return local(i) / 32 * 100 + lanes(i); }, [](auto) { return 11; }});
}
TEST(NvidiaSpirv, ComputesInGroups) {
    NEEDS_LLVM;
    EXPECT_RUNS(onNvidia("computesInGroups"));
}

SCENARIO(computesAlone) {
    const Gpu gpu;
    const auto module = gpu.moduleOf("portable_kernels");
    const auto atomics = kernelOf(module, "atomics", kItemsOfGroup);
    const auto math = kernelOf(module, "math", kItemsOfGroup);
    if (!realGpu()) return;
    auto* const sum = gpu.device<int>(3);
    int found[3] = {0, -1000, 0};
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, sum, found, sizeof found, nullptr, 0, nullptr));
    Gpu::arguments(atomics, sum, sum + 1, sum + 2);
    run(gpu, atomics, 2);
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, found, sum, sizeof found, nullptr, 0, nullptr));
    EXPECT_EQ(found[0], int{kItems} * (int{kItems} - 1) / 2 - 100 * int{kItems});
    EXPECT_EQ(found[1], int{kItems} - 101);
    EXPECT_EQ(found[2], 2 * int{kItems});
    auto* const in = gpu.host<float>(kItems);
    auto* const out = gpu.host<float>(7 * kItems);
    for (std::uint32_t i = 0; i < kItems; ++i) in[i] = 0.05f + 0.02f * static_cast<float>(i);
    Gpu::arguments(math, in, out);
    run(gpu, math, 2);
    using Function = double (*)(double);
    const std::pair<Function, double> rows[] = {
        {[](double x) { return std::exp(x); }, 1e-6},      {[](double x) { return std::sin(x); }, 1e-6},
        {[](double x) { return std::pow(x, 1.5); }, 1e-6}, {[](double x) { return std::exp(x); }, 1e-5},
        {[](double x) { return std::sin(x); }, 1e-5},      {[](double x) { return std::pow(x, 1.5); }, 1e-5},
        {[](double x) { return std::log(x); }, 1e-5}};
    for (std::size_t row = 0; row < std::size(rows); ++row)
        for (std::uint32_t i = 0; i < kItems; ++i) {
            const double wanted = rows[row].first(in[i]);
            ASSERT_NEAR(out[row * kItems + i], wanted, rows[row].second * std::max(1.0, std::fabs(wanted)))
                << "row " << row << " of " << in[i];
        }
}
TEST(NvidiaSpirv, ComputesAlone) {
    NEEDS_LLVM;
    EXPECT_RUNS(onNvidia("computesAlone"));
}

/// The kernel's printf reaches the process's standard output when the host waits.
SCENARIO(prints) {
    const Gpu gpu;
    const auto module = gpu.moduleOf("portable_features");
    const auto kernel = kernelOf(module, "prints", 2);
    auto* const values = gpu.host<float>(2);
    values[0] = 0.5f;
    values[1] = 1.25f;
    Gpu::arguments(kernel, values);
    if (realGpu()) run(gpu, kernel, 1);
    EXPECT_NE(imageOf(module).find("vprintf"), std::string::npos);
}
TEST(NvidiaSpirv, Prints) {
    NEEDS_LLVM;
    const auto outcome = onNvidia("prints").run();
    EXPECT_EQ(outcome.exitCode, 0) << outcome;
    if (!realGpu()) return;
    EXPECT_EQ(outcome.times("work-item 0 of prints: 0.50, a, 10000000000%\n"), 1u) << outcome;
    EXPECT_EQ(outcome.times("work-item 1 of prints: 1.25, b, 10000000001%\n"), 1u) << outcome;
    EXPECT_EQ(outcome.times("no values\n"), 1u) << outcome;
}

float valueOf(std::uint16_t half) {
    const int exponent = half >> 10 & 31;
    const auto fraction = static_cast<float>(half & 1023) / 1024;
    const float value = exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
    return half & 0x8000 ? -value : value;
}

SCENARIO(computesHalves) {
    constexpr std::uint32_t kCount = 32;
    const Gpu gpu;
    const auto kernel = kernelOf(gpu.moduleOf("portable_features"), "halves", kCount);
    if (!realGpu()) return;
    auto* const in = gpu.host<std::uint16_t>(kCount);
    auto* const out = gpu.host<std::uint16_t>(5 * kCount);
    for (std::uint16_t i = 0; i < kCount; ++i) in[i] = static_cast<std::uint16_t>(0x3000 + i * 0x40);  // 0.125 to 0.5
    Gpu::arguments(kernel, in, out);
    run(gpu, kernel, 1);
    for (std::uint32_t i = 0; i < kCount; ++i) {
        const float x = valueOf(in[i]);
        const float wanted[] = {std::sin(x), std::pow(x, 1.5f), std::sqrt(x) + std::sqrt(x + 3), std::exp(x), 4 * x};
        for (std::size_t row = 0; row < std::size(wanted); ++row)
            EXPECT_NEAR(valueOf(out[row * kCount + i]), wanted[row], wanted[row] / 500) << "row " << row << " of " << x;
    }
}
TEST(NvidiaSpirv, ComputesHalves) {
    NEEDS_LLVM;
    EXPECT_RUNS(onNvidia("computesHalves"));
}

SCENARIO(knowsGroups) {
    const Gpu gpu;
    const auto module = gpu.moduleOf("portable_features");
    const ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "required"};
    ze_kernel_handle_t required = nullptr;
    ASSERT_OK(zeKernelCreate(module, &description, &required));
    ze_kernel_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
    ASSERT_OK(zeKernelGetProperties(required, &properties));
    EXPECT_EQ(properties.requiredGroupSizeX, 4u);
    EXPECT_EQ(properties.requiredGroupSizeY, 2u);
    EXPECT_EQ(properties.requiredGroupSizeZ, 1u);
    EXPECT_EQ(zeKernelSetGroupSize(required, 8, 1, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    EXPECT_OK(zeKernelSetGroupSize(required, 4, 2, 1));
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::uint32_t z = 0;
    ASSERT_OK(zeKernelSuggestGroupSize(required, 64, 64, 1, &x, &y, &z));
    EXPECT_EQ(x * 100 + y * 10 + z, 421u);
    const auto dimensions = kernelOf(module, "dimensions", 1);
    if (!realGpu()) return;
    auto* const out = gpu.host<int>(8);
    Gpu::arguments(required, out);
    run(gpu, required, 1);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(out[i], 42);
    Gpu::arguments(dimensions, out);
    run(gpu, dimensions, 1);
    EXPECT_EQ(out[0], 1);
    ASSERT_OK(zeKernelSetGroupSize(dimensions, 1, 3, 1));
    run(gpu, dimensions, 1);
    EXPECT_EQ(out[0], 2);
    ASSERT_OK(zeKernelSetGroupSize(dimensions, 1, 1, 2));
    run(gpu, dimensions, 1);
    EXPECT_EQ(out[0], 3);
}
TEST(NvidiaSpirv, KnowsGroups) {
    NEEDS_LLVM;
    EXPECT_RUNS(onNvidia("knowsGroups"));
}

/// LLVM makes other code without optimisation, and the results are the same.
SCENARIO(optimizesNothing) {
    const Gpu gpu;
    const auto plain = gpu.moduleOf("portable_kernels", "-cl-opt-disable");
    const auto add = kernelOf(plain, "add", 32);
    if (!realGpu()) {
        EXPECT_NE(imageOf(plain), imageOf(gpu.moduleOf("portable_kernels")));
        return;
    }
    auto* const data = gpu.host<std::uint32_t>(64);
    std::iota(data, data + 64, 0u);
    Gpu::arguments(add, data, 5u);
    run(gpu, add, 2);
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(data[i], i + 5);
}
TEST(NvidiaSpirv, OptimizesNothingIfAsked) {
    NEEDS_LLVM;
    EXPECT_RUNS(onNvidia("optimizesNothing"));
}

/// Builds it and gives the build's log.
std::string refused(const Gpu& gpu, const std::vector<std::uint8_t>& spirv, ze_result_t expected) {
    ze_module_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
    description.format = ZE_MODULE_FORMAT_IL_SPIRV;
    description.inputSize = spirv.size();
    description.pInputModule = spirv.data();
    ze_module_handle_t module = nullptr;
    ze_module_build_log_handle_t log = nullptr;
    EXPECT_EQ(zeModuleCreate(gpu.context(), gpu.device(), &description, &module, &log), expected);
    return takeBuildLog(log);
}

SCENARIO(namesWhatIsMissing) {
    const Gpu gpu;
    const auto log = refused(gpu, readFile(inBuildTree("tests/emulated_gpu/kernels/driver_caller.spv")),
                             ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    EXPECT_NE(log.find("scaled: there is no such function"), std::string::npos) << log;
    EXPECT_NE(log.find("build with -ze-library-compilation"), std::string::npos) << log;
    refused(gpu, {1, 2, 3, 4, 5, 6, 7, 8}, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    // Sound for us, and not for the translator.
    std::vector<std::uint8_t> cut = readFile(inBuildTree("tests/emulated_gpu/kernels/portable_kernels.spv"));
    const std::uint32_t nonsense = 1 << 16 | 0x1fff;
    std::memcpy(&cut[cut.size() / 8 * 4], &nonsense, sizeof nonsense);
    EXPECT_FALSE(refused(gpu, cut, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE).empty());
}
TEST(NvidiaSpirv, NamesWhatIsMissing) {
    NEEDS_LLVM;
    EXPECT_RUNS(onNvidia("namesWhatIsMissing"));
}

SCENARIO(lacksTools) {
    const Gpu gpu;
    const auto log = refused(gpu, readFile(inBuildTree("tests/emulated_gpu/kernels/portable_kernels.spv")),
                             ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
    EXPECT_NE(log.find("/nowhere/zetl_spirv_to_ptx"), std::string::npos) << log;
}
TEST(NvidiaSpirv, SaysThatToolsAreMissing) {
    auto process = onNvidia("lacksTools");
    EXPECT_RUNS(process.with("ZETL_SPIRV_TO_PTX", "/nowhere/zetl_spirv_to_ptx").with("ZETL_BUILD_CACHE", ""));
}

}  // namespace
}  // namespace zetl::test
