// Modules that are linked when they are on the device, through the stock loader.
#include <unistd.h>

#include <cstdio>

#include "emulated_gpu/gpu.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

ze_module_handle_t build(const Gpu& gpu, const char* file, const char* flags) {
    const auto spirv = readFile(inBuildTree(std::string("tests/emulated_gpu/kernels/") + file));
    const ze_module_desc_t description{
        ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_IL_SPIRV, spirv.size(), spirv.data(), flags, nullptr};
    ze_module_handle_t module = nullptr;
    EXPECT_OK(zeModuleCreate(gpu.context(), gpu.device(), &description, &module, nullptr));
    return module;
}

/// Launches the kernel on four numbers, and what else it takes.
template <class... A>
std::vector<int> launch(const Gpu& gpu, ze_module_handle_t module, const char* name, const A&... more) {
    const ze_kernel_desc_t wanted{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, name};
    ze_kernel_handle_t kernel = nullptr;
    EXPECT_OK(zeKernelCreate(module, &wanted, &kernel));
    EXPECT_OK(zeKernelSetGroupSize(kernel, 4, 1, 1));
    auto* data = gpu.shared(4);
    for (int i = 0; i < 4; ++i) data[i] = i;
    Gpu::arguments(kernel, data, more...);
    const auto list = gpu.list();
    EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    EXPECT_OK(gpu.run(list));
    return {data, data + 4};
}

/// The functions lie in another module than the kernels.
void callAcrossModules(const char* options) {
    const Gpu gpu;
    const std::string flags = std::string("-ze-library-compilation ") + options;
    ze_module_handle_t modules[] = {build(gpu, "driver_caller.spv", flags.c_str()),
                                    build(gpu, "driver_callee.spv", flags.c_str())};
    ASSERT_OK(zeModuleDynamicLink(2, modules, nullptr));
    EXPECT_EQ(launch(gpu, modules[0], "call"), (std::vector{0, 3, 6, 9}));
    EXPECT_EQ(launch(gpu, modules[0], "callCounted"), (std::vector{10, 12, 14, 16}));
    EXPECT_EQ(launch(gpu, modules[0], "callPlace"), (std::vector{4400, 4401, 4402, 4403}));
    EXPECT_EQ(launch(gpu, modules[0], "callAndPrint"), (std::vector{0, -1, -2, -3}));
    EXPECT_EQ(launch(gpu, modules[0], "printAndCall"), (std::vector{0, -1, -2, -3}));
}

SCENARIO(callsAcrossModules) { callAcrossModules(""); }
SCENARIO(plainCallsAcrossModules) { callAcrossModules("-ze-opt-disable"); }
SCENARIO(debugCallsAcrossModules) { callAcrossModules("-g"); }
SCENARIO(largeCallsAcrossModules) { callAcrossModules("-ze-opt-large-register-file"); }

class Links : public testing::TestWithParam<const char*> {};
TEST_P(Links, FunctionsFindWhatTheKernelHas) {
    const Outcome outcome = emulated(GetParam()).run();
    EXPECT_TRUE(outcome.good()) << outcome;
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(outcome.times("negated " + std::to_string(i) + " in callee\n"), 2u) << outcome;
    EXPECT_EQ(outcome.times("called from caller\n"), 4u) << outcome;
}
INSTANTIATE_TEST_SUITE_P(Builds, Links,
                         testing::Values("callsAcrossModules", "plainCallsAcrossModules", "debugCallsAcrossModules",
                                         "largeCallsAcrossModules"));

std::uint64_t addressOf(ze_module_handle_t module, const char* function) {
    void* address = nullptr;
    EXPECT_OK(zeModuleGetFunctionPointer(module, function, &address));
    return reinterpret_cast<std::uint64_t>(address);
}

/// The modules know nothing of each other: the host carries the addresses.
void callByPointer(const char* options) {
    const Gpu gpu;
    const std::string flags = std::string("-ze-library-compilation ") + options;
    const auto callee = build(gpu, "driver_callee.spv", flags.c_str());
    const auto caller = build(gpu, "driver_pointer.spv", options);
    const std::uint64_t scaled = addressOf(callee, "scaled");
    const std::uint64_t negated = addressOf(callee, "negated");
    EXPECT_EQ(launch(gpu, caller, "apply", scaled), (std::vector{0, 3, 6, 9}));
    EXPECT_EQ(launch(gpu, caller, "apply", negated), (std::vector{0, -1, -2, -3}));
    auto* const both = gpu.shared<std::uint64_t>(2);
    both[0] = scaled;
    both[1] = negated;
    EXPECT_EQ(launch(gpu, caller, "applyEach", both), (std::vector{0, -1, 6, -3}));
}

SCENARIO(callsByPointer) { callByPointer(""); }
SCENARIO(plainCallsByPointer) { callByPointer("-ze-opt-disable"); }
SCENARIO(debugCallsByPointer) { callByPointer("-g"); }
SCENARIO(largeCallsByPointer) { callByPointer("-ze-opt-large-register-file"); }

class Pointers : public testing::TestWithParam<const char*> {};
TEST_P(Pointers, CallFunctionsOfAnotherModule) { EXPECT_RUNS(emulated(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Builds, Pointers,
                         testing::Values("callsByPointer", "plainCallsByPointer", "debugCallsByPointer",
                                         "largeCallsByPointer"));

}  // namespace
}  // namespace zetl::test
