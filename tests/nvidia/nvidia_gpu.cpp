#include "nvidia_gpu.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "kernels.h"

namespace zetl::test {

bool realGpu() { return std::getenv("ZETL_TEST_REAL_GPU") != nullptr; }

Process onNvidia(const std::string& scenario) {
    if (!realGpu()) return onStandIn(scenario);
    return Process({thisProgram(), "--scenario=" + scenario})
        .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("lib/libze_nvidia_gpu.so.1"))
        .with("ZETL_TEST_REAL_GPU", "1")
        .with("ZETL_LOG", "nvidia=warn");
}

Process onStandIn(const std::string& scenario, const std::string& failure) {
    return Process({thisProgram(), "--scenario=" + scenario})
        .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("lib/libze_nvidia_gpu.so.1"))
        .with("ZETL_CUDA_LIBRARY", inBuildTree("tests/nvidia/libcuda_stand_in.so"))
        .with("STAND_IN_FAILURES", failure)
        .without("ZETL_TEST_REAL_GPU")
        .with("ZETL_LOG", "nvidia=warn");
}

Process onCounters(const std::string& scenario, const std::string& failure) {
    auto process = onNvidia(scenario).with("ZET_ENABLE_METRICS", "1").with("ZETL_LOG", "nvidia=warn,metrics=warn");
    if (!realGpu())
        process.with("ZETL_CUPTI_LIBRARY", inBuildTree("tests/nvidia/libcupti_stand_in.so"))
            .with("STAND_IN_CUPTI", failure);
    return process;
}

unsigned standInCalls(const char* function) {
    void* const library = dlopen(std::getenv("ZETL_CUDA_LIBRARY"), RTLD_NOW | RTLD_NOLOAD);
    const auto calls = reinterpret_cast<unsigned (*)(const char*)>(dlsym(library, "standInCalls"));
    return calls(function);
}

ze_module_handle_t ptxModule(const Gpu& gpu, const char* text, const char* flags) {
    const char* source = text ? text : kKernels;
    ze_module_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
    description.format = ZE_MODULE_FORMAT_NATIVE;
    description.inputSize = std::strlen(source);
    description.pInputModule = reinterpret_cast<const std::uint8_t*>(source);
    description.pBuildFlags = flags;
    ze_module_handle_t module = nullptr;
    EXPECT_OK(zeModuleCreate(gpu.context(), gpu.device(), &description, &module, nullptr));
    return module;
}

ze_kernel_handle_t ptxKernel(const Gpu& gpu, const char* name, std::uint32_t groupSize) {
    const ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, name};
    ze_kernel_handle_t kernel = nullptr;
    EXPECT_OK(zeKernelCreate(ptxModule(gpu), &description, &kernel));
    EXPECT_OK(zeKernelSetGroupSize(kernel, groupSize, 1, 1));
    return kernel;
}

bool llvmIsThere() {
    const char* const other = std::getenv("ZETL_SPIRV_TO_PTX");
    const std::string program = other ? other : inBuildTree("lib/ze-tools-layer/zetl_spirv_to_ptx");
    return Process({program, "--identify", "any"}).run().good();
}

}  // namespace zetl::test
