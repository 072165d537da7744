#include "nvidia/cuda/result.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "driver/refusal.h"
#include "nvidia/cuda/api.h"

namespace zetl::nvidia {
namespace {

struct Meaning {
    CUresult cuda;
    Status status;
};

/// What is not here is UNKNOWN.
constexpr Meaning kMeanings[] = {
    {CUDA_ERROR_INVALID_VALUE, ZE_RESULT_ERROR_INVALID_ARGUMENT},
    {CUDA_ERROR_OUT_OF_MEMORY, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY},
    {CUDA_ERROR_NOT_INITIALIZED, ZE_RESULT_ERROR_UNINITIALIZED},
    {CUDA_ERROR_DEINITIALIZED, ZE_RESULT_ERROR_UNINITIALIZED},
    {CUDA_ERROR_NO_DEVICE, ZE_RESULT_ERROR_UNINITIALIZED},
    {CUDA_ERROR_NOT_READY, ZE_RESULT_NOT_READY},
    {CUDA_ERROR_NOT_SUPPORTED, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE},
    {CUDA_ERROR_NOT_PERMITTED, ZE_RESULT_ERROR_INVALID_ARGUMENT},
    {CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE},
    {CUDA_ERROR_INVALID_IMAGE, ZE_RESULT_ERROR_INVALID_NATIVE_BINARY},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, ZE_RESULT_ERROR_INVALID_NATIVE_BINARY},
    {CUDA_ERROR_INVALID_SOURCE, ZE_RESULT_ERROR_INVALID_NATIVE_BINARY},
    {CUDA_ERROR_INVALID_PTX, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE},
    {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION},
    {CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, ZE_RESULT_ERROR_INVALID_ARGUMENT},
    {CUDA_ERROR_INVALID_CONTEXT, ZE_RESULT_ERROR_INVALID_ARGUMENT},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, ZE_RESULT_ERROR_DEVICE_LOST},
    {CUDA_ERROR_ILLEGAL_ADDRESS, ZE_RESULT_ERROR_DEVICE_LOST},
    {CUDA_ERROR_LAUNCH_TIMEOUT, ZE_RESULT_ERROR_DEVICE_LOST},
    {CUDA_ERROR_ASSERT, ZE_RESULT_ERROR_DEVICE_LOST},
    {CUDA_ERROR_HARDWARE_STACK_ERROR, ZE_RESULT_ERROR_DEVICE_LOST},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, ZE_RESULT_ERROR_DEVICE_LOST},
    {CUDA_ERROR_MISALIGNED_ADDRESS, ZE_RESULT_ERROR_DEVICE_LOST},
    {CUDA_ERROR_INVALID_ADDRESS_SPACE, ZE_RESULT_ERROR_DEVICE_LOST},
    {CUDA_ERROR_INVALID_PC, ZE_RESULT_ERROR_DEVICE_LOST},
    {CUDA_ERROR_LAUNCH_FAILED, ZE_RESULT_ERROR_DEVICE_LOST},
    {CUDA_ERROR_ECC_UNCORRECTABLE, ZE_RESULT_ERROR_DEVICE_LOST},
    {CUDA_ERROR_DEVICE_UNAVAILABLE, ZE_RESULT_ERROR_DEVICE_LOST},
};

Status statusOf(CUresult result) noexcept {
    const auto row = std::find_if(std::begin(kMeanings), std::end(kMeanings),
                                  [result](const Meaning& meaning) { return meaning.cuda == result; });
    return row == std::end(kMeanings) ? ZE_RESULT_ERROR_UNKNOWN : row->status;
}

}  // namespace

const char* nameOf(CUresult result) noexcept {
    const char* name = nullptr;
    return cuda().cuGetErrorName(result, &name) == CUDA_SUCCESS && name ? name : "an unnamed error";
}

bool meansLost(CUresult result) noexcept { return statusOf(result) == ZE_RESULT_ERROR_DEVICE_LOST; }

Status check(CUresult result, const char* call) noexcept {
    if (result == CUDA_SUCCESS) return ZE_RESULT_SUCCESS;
    const Status status = statusOf(result);
    if (status == ZE_RESULT_NOT_READY) return status;
    const char* why = nullptr;
    cuda().cuGetErrorString(result, &why);
    const std::string_view text(call);
    return driver::refuse(status, "{} answers {} ({}): {}", text.substr(0, text.find('(')), nameOf(result),
                          static_cast<int>(result), why ? why : "no more is known");
}

}  // namespace zetl::nvidia
