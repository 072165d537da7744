// NVIDIA's GPU as the tests use it: through the stock loader, in a process of its own. The GPU is the stand-in for
// libcuda or, with ZETL_TEST_REAL_GPU=1, what the machine has.
#pragma once

#include <string>

#include "emulated_gpu/gpu.h"
#include "support/scenario.h"

namespace zetl::test {

bool realGpu();

/// A fresh process that runs a scenario of this program on NVIDIA's driver alone.
Process onNvidia(const std::string& scenario);

/// The same with the stand-in in any case; `failure` names functions that answer with an error: "cuInit=100,...".
Process onStandIn(const std::string& scenario, const std::string& failure = "");

/// onNvidia() with metrics. `failure` names functions of the stand-in for libcupti that answer with an error.
Process onCounters(const std::string& scenario, const std::string& failure = "");

/// How often the driver has asked the stand-in for libcuda for something.
unsigned standInCalls(const char* function);

/// A module of `text`, which is PTX; kernels.h unless another is given.
ze_module_handle_t ptxModule(const Gpu& gpu, const char* text = nullptr, const char* flags = "");
ze_kernel_handle_t ptxKernel(const Gpu& gpu, const char* name, std::uint32_t groupSize = 1);

/// Whether LLVM's tools make PTX of SPIR-V here; tests/unit/compiler says what happens elsewhere.
bool llvmIsThere();
#define NEEDS_LLVM      \
    if (!llvmIsThere()) \
    GTEST_SKIP() << "LLVM's tools or libclc are not installed (docs/reference/nvidia.md, \"SPIR-V\")"

}  // namespace zetl::test
