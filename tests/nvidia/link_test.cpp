// Modules that are linked when they are on the device, on NVIDIA's GPU or what stands in for it.
#include <ze_tools_layer/level_zero.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernels.h"
#include "nvidia_gpu.h"
#include "support/level_zero.h"

namespace zetl::test {
namespace {

/// Links them; `words` gets the build log.
ze_result_t link(std::vector<ze_module_handle_t> modules, std::string& words) {
    ze_module_build_log_handle_t log = nullptr;
    const ze_result_t result = zeModuleDynamicLink(static_cast<std::uint32_t>(modules.size()), modules.data(), &log);
    words = takeBuildLog(log);
    return result;
}
void linkWell(const std::vector<ze_module_handle_t>& modules) {
    std::string words;
    ASSERT_EQ(link(modules, words), ZE_RESULT_SUCCESS) << words;
}

ze_result_t createKernel(ze_module_handle_t module, const char* name) {
    const ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, name};
    ze_kernel_handle_t kernel = nullptr;
    return zeKernelCreate(module, &description, &kernel);
}

/// Launches it with four work-items on four numbers, and what else it takes.
template <class... A>
std::vector<int> launch(const Gpu& gpu, ze_module_handle_t module, const char* name, const A&... more) {
    const auto kernel = Gpu::kernelOf(module, name, 4);
    int* const data = gpu.host(4);
    for (int i = 0; i < 4; ++i) data[i] = i;
    Gpu::arguments(kernel, data, more...);
    EXPECT_OK(zeCommandListAppendLaunchKernel(gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS), kernel, &kOneGroup,
                                              nullptr, 0, nullptr));
    return {data, data + 4};
}

/// callScaled on the number.
int callScaled(const Gpu& gpu, ze_module_handle_t module, int number) {
    const auto kernel = Gpu::kernelOf(module, "callScaled");
    int* const data = gpu.host(1);
    *data = number;
    Gpu::arguments(kernel, data);
    EXPECT_OK(zeCommandListAppendLaunchKernel(gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS), kernel, &kOneGroup,
                                              nullptr, 0, nullptr));
    return *data;
}

SCENARIO(linksModules) {
    const Gpu gpu;
    const auto caller = ptxModule(gpu, kScaled);
    const auto callee = ptxModule(gpu, kScaling);
    EXPECT_EQ(createKernel(caller, "callScaled"), ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);
    EXPECT_EQ(createKernel(caller, "absent"), ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
    void* none = nullptr;
    EXPECT_EQ(zeModuleGetGlobalPointer(caller, "added", nullptr, &none), ZE_RESULT_ERROR_INVALID_GLOBAL_NAME);
    ze_module_properties_t properties{ZE_STRUCTURE_TYPE_MODULE_PROPERTIES, nullptr, 0};
    ASSERT_OK(zeModuleGetProperties(caller, &properties));
    EXPECT_EQ(properties.flags, ze_module_property_flags_t{ZE_MODULE_PROPERTY_FLAG_IMPORTS});
    const auto names = listOf<ze_module_handle_t, const char*>(zeModuleGetKernelNames, caller);
    EXPECT_EQ(std::vector<std::string>(names.begin(), names.end()), std::vector<std::string>{"callScaled"});
    std::string words;
    EXPECT_EQ(link({caller}, words), ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
    EXPECT_NE(words.find("undefined symbol added\nundefined symbol scaled\n"), std::string::npos) << words;
    linkWell({caller, callee});
    EXPECT_EQ(callScaled(gpu, caller, 4), 17);
    // The callee's variable is the one that the caller's kernel reads.
    void* added = nullptr;
    std::size_t size = 0;
    ASSERT_OK(zeModuleGetGlobalPointer(callee, "added", &size, &added));
    EXPECT_EQ(size, sizeof(int));
    const int seven = 7;
    ASSERT_OK(zeCommandListAppendMemoryCopy(gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS), added, &seven,
                                            sizeof seven, nullptr, 0, nullptr));
    EXPECT_EQ(callScaled(gpu, caller, 4), 19);
    EXPECT_EQ(createKernel(callee, "callScaled"), ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
    linkWell({caller, callee});
}
TEST(NvidiaLink, ResolvesFunctionsAndVariables) { EXPECT_RUNS(onNvidia("linksModules")); }

SCENARIO(listsWhatModulesLack) {
    const Gpu gpu;
    ze_module_handle_t modules[] = {ptxModule(gpu, kScaled), ptxModule(gpu, kScaling)};
    const auto inspect = gpu.function<decltype(zeModuleInspectLinkageExt)>("zeModuleInspectLinkageExt");
    const auto textFor = [&](std::uint32_t count) {
        ze_linkage_inspection_ext_desc_t description{ZE_STRUCTURE_TYPE_LINKAGE_INSPECTION_EXT_DESC, nullptr, 7};
        ze_module_build_log_handle_t log = nullptr;
        EXPECT_OK(inspect(&description, count, modules, &log));
        return takeBuildLog(log);
    };
    EXPECT_STREQ(textFor(1).c_str(),
                 "imports:\n  added\n  scaled\nunresolvable imports:\n  added\n  scaled\nexports:\n");
    EXPECT_STREQ(textFor(2).c_str(),
                 "imports:\n  added\n  scaled\nunresolvable imports:\nexports:\n  added\n  scaled\n");
}
TEST(NvidiaLink, ListsWhatModulesLack) { EXPECT_RUNS(onNvidia("listsWhatModulesLack")); }

/// A variable must not be there twice.
SCENARIO(keepsVariablesOfModulesInUse) {
    const Gpu gpu;
    const auto caller = ptxModule(gpu, kScaled);
    const auto callee = ptxModule(gpu, kScaling);
    void* added = nullptr;
    ASSERT_OK(zeModuleGetGlobalPointer(callee, "added", nullptr, &added));
    std::string words;
    EXPECT_EQ(link({caller, callee}, words), ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
    EXPECT_NE(words.find("which is in use"), std::string::npos) << words;
    EXPECT_EQ(createKernel(caller, "callScaled"), ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);
}
TEST(NvidiaLink, KeepsVariablesOfModulesInUse) { EXPECT_RUNS(onNvidia("keepsVariablesOfModulesInUse")); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

/// Functions can be there twice.
SCENARIO(linksALibraryTwice) {
    const Gpu gpu;
    const auto text =
        replaced(kScaled, ".extern .global .align 4 .u32 added;", ".visible .global .align 4 .u32 added = 1;");
    const auto library = ptxModule(gpu, replaced(kScaling, ".visible .global .align 4 .u32 added = 5;", "").c_str());
    for (int i = 0; i < 2; ++i) {
        const auto caller = ptxModule(gpu, text.c_str());
        linkWell({caller, library});
        EXPECT_EQ(callScaled(gpu, caller, 4), 13);
    }
}
TEST(NvidiaLink, LinksALibraryTwice) { EXPECT_RUNS(onNvidia("linksALibraryTwice")); }

SCENARIO(compilesWhatItWillLink) {
    const Gpu gpu;
    const std::string text = std::string(kScaled) + "broken!\n";
    ze_module_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
    description.format = ZE_MODULE_FORMAT_NATIVE;
    description.inputSize = text.size();
    description.pInputModule = reinterpret_cast<const std::uint8_t*>(text.data());
    ze_module_handle_t module = nullptr;
    ze_module_build_log_handle_t log = nullptr;
    EXPECT_EQ(zeModuleCreate(gpu.context(), gpu.device(), &description, &module, &log),
              ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    EXPECT_GT(takeBuildLog(log).size(), 10u);
}
TEST(NvidiaLink, CompilesWhatItWillLink) { EXPECT_RUNS(onNvidia("compilesWhatItWillLink")); }

/// The functions lie in another module than the kernels.
void callAcrossModules(const char* flags) {
    const Gpu gpu;
    const auto caller = gpu.moduleOf("driver_caller", flags);
    const auto callee = gpu.moduleOf("driver_callee", flags);
    EXPECT_EQ(createKernel(caller, "call"), ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);
    linkWell({caller, callee});
    EXPECT_OK(createKernel(caller, "call"));
    if (!realGpu()) return;
    EXPECT_EQ(launch(gpu, caller, "call"), (std::vector{0, 3, 6, 9}));
    EXPECT_EQ(launch(gpu, caller, "callCounted"), (std::vector{10, 12, 14, 16}));
    EXPECT_EQ(launch(gpu, caller, "callPlace"), (std::vector{4400, 4401, 4402, 4403}));
    EXPECT_EQ(launch(gpu, caller, "callAndPrint"), (std::vector{0, -1, -2, -3}));
    EXPECT_EQ(launch(gpu, caller, "printAndCall"), (std::vector{0, -1, -2, -3}));
}
SCENARIO(linksSpirv) { callAcrossModules("-ze-library-compilation"); }
SCENARIO(linksPlainSpirv) { callAcrossModules("-library-compilation -ze-opt-disable"); }

class NvidiaSpirvLink : public testing::TestWithParam<const char*> {};
TEST_P(NvidiaSpirvLink, KernelsCallFunctionsOfOtherModules) {
    NEEDS_LLVM;
    EXPECT_RUNS(onNvidia(GetParam()));
}
INSTANTIATE_TEST_SUITE_P(Builds, NvidiaSpirvLink, testing::Values("linksSpirv", "linksPlainSpirv"));

/// One module of several, of which one calls functions of the other, or any whose pointer it is given.
ze_module_handle_t programOf(const Gpu& gpu, const std::vector<std::string>& sources) {
    std::vector<std::vector<std::uint8_t>> parts;
    for (const auto& each : sources)
        parts.push_back(readFile(inBuildTree("tests/emulated_gpu/kernels/" + each + ".spv")));
    std::vector<std::size_t> sizes;
    std::vector<const std::uint8_t*> inputs;
    for (const auto& each : parts) {
        sizes.push_back(each.size());
        inputs.push_back(each.data());
    }
    ze_module_program_exp_desc_t program{};
    program.stype = ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC;
    program.count = static_cast<std::uint32_t>(parts.size());
    program.inputSizes = sizes.data();
    program.pInputModules = inputs.data();
    const ze_module_desc_t description{
        ZE_STRUCTURE_TYPE_MODULE_DESC, &program, ZE_MODULE_FORMAT_IL_SPIRV, 0, nullptr, nullptr, nullptr};
    ze_module_handle_t module = nullptr;
    EXPECT_OK(zeModuleCreate(gpu.context(), gpu.device(), &description, &module, nullptr));
    return module;
}

std::uint64_t addressOf(ze_module_handle_t module, const char* function) {
    void* address = nullptr;
    EXPECT_OK(zeModuleGetFunctionPointer(module, function, &address));
    return reinterpret_cast<std::uint64_t>(address);
}

SCENARIO(buildsPrograms) {
    const Gpu gpu;
    const auto module = programOf(gpu, {"driver_caller", "driver_callee"});
    EXPECT_OK(createKernel(module, "call"));
    const auto lacking = programOf(gpu, {"driver_caller", "driver_pointer"});
    EXPECT_EQ(createKernel(lacking, "apply"), ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);
    if (!realGpu()) return;
    EXPECT_EQ(launch(gpu, module, "call"), (std::vector{0, 3, 6, 9}));
}
TEST(NvidiaLink, BuildsProgramsOfSeveralModules) {
    NEEDS_LLVM;
    EXPECT_RUNS(onNvidia("buildsPrograms"));
}

SCENARIO(callsSpirvByPointer) {
    const Gpu gpu;
    const auto module = programOf(gpu, {"driver_pointer", "driver_callee"});
    const std::uint64_t scaled = addressOf(module, "scaled");
    const std::uint64_t negated = addressOf(module, "negated");
    EXPECT_NE(scaled, negated);
    EXPECT_OK(createKernel(module, "apply"));
    if (!realGpu()) return;
    EXPECT_EQ(launch(gpu, module, "apply", scaled), (std::vector{0, 3, 6, 9}));
    EXPECT_EQ(launch(gpu, module, "apply", negated), (std::vector{0, -1, -2, -3}));
    auto* const both = gpu.host<std::uint64_t>(2);
    both[0] = scaled;
    both[1] = negated;
    EXPECT_EQ(launch(gpu, module, "applyEach", both), (std::vector{0, -1, 6, -3}));
}
SCENARIO(callsOwnFunctionsByPointer) {
    const Gpu gpu;
    const auto module = gpu.moduleOf("portable_pointers");
    EXPECT_OK(createKernel(module, "choose"));
    if (!realGpu()) return;
    EXPECT_EQ(launch(gpu, module, "choose", 1), (std::vector{0, 203, 404, 609}));
    EXPECT_EQ(launch(gpu, module, "choose", 0), (std::vector{0, 303, 604, 909}));
}
TEST(NvidiaLink, FunctionsOfSpirvAreCalledByPointers) {
    NEEDS_LLVM;
    EXPECT_RUNS(onNvidia("callsSpirvByPointer"));
    EXPECT_RUNS(onNvidia("callsOwnFunctionsByPointer"));
}

}  // namespace
}  // namespace zetl::test
