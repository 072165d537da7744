#include "nvidia/driver/program/loaded_code.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "compiler/ptx_symbols.h"
#include "nvidia/cuda/api.h"
#include "nvidia/cuda/current.h"
#include "nvidia/cuda/result.h"
#include "nvidia/driver/program/rewriter.h"

namespace zetl::nvidia {
namespace {

/// A range of addresses that no other image has.
std::uint64_t rangeFor(const Bytes& image) {
    constexpr std::uint64_t kFirst = 1 << 20;
    constexpr std::uint64_t kStep = 1 << 12;
    static std::atomic<std::uint64_t> next{kFirst};
    return next.fetch_add((image.size() + kStep) / kStep * kStep);
}

Status listKernels(CUmodule module, std::vector<std::string>& names) {
    unsigned count = 0;
    Status status = ZETL_CUDA(cuModuleGetFunctionCount(&count, module));
    std::vector<CUfunction> functions(count);
    if (status == ZE_RESULT_SUCCESS && count > 0)
        status = ZETL_CUDA(cuModuleEnumerateFunctions(functions.data(), count, module));
    if (status != ZE_RESULT_SUCCESS) return status;
    for (CUfunction function : functions) {
        const char* name = nullptr;
        if (const Status bad = ZETL_CUDA(cuFuncGetName(&name, function)); bad != ZE_RESULT_SUCCESS) return bad;
        names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return ZE_RESULT_SUCCESS;
}

bool defines(CUmodule module, const char* variable) {
    CUdeviceptr place = 0;
    std::size_t bytes = 0;
    return nvidia::cuda().cuModuleGetGlobal(&place, &bytes, module, variable) == CUDA_SUCCESS;
}

}  // namespace

Result<std::shared_ptr<const LoadedCode>> LoadedCode::load(const Context::Member& place, Bytes image) {
    Bytes code = rewritten(*place.device, std::move(image));
    CUmodule module = nullptr;
    std::vector<std::string> kernels;
    Status status = ZETL_CUDA(cuModuleLoadDataEx(&module, code.data(), 0, nullptr, nullptr));
    if (status == ZE_RESULT_SUCCESS) status = listKernels(module, kernels);
    if (status == ZE_RESULT_SUCCESS)
        return std::make_shared<const LoadedCode>(place, std::move(code), module, std::move(kernels));
    if (module) nvidia::cuda().cuModuleUnload(module);
    return status;
}

LoadedCode::LoadedCode(Context::Member place, Bytes image, CUmodule module, std::vector<std::string> kernels)
    : place_(std::move(place)),
      image_(std::move(image)),
      module_(module),
      kernels_(std::move(kernels)),
      address_(rangeFor(image_)),
      takesGlobalOffset_(defines(module, compiler::kTakesGlobalOffset)) {}

LoadedCode::~LoadedCode() {
    const Current current(place_.work->context);
    nvidia::cuda().cuModuleUnload(module_);
}

}  // namespace zetl::nvidia
