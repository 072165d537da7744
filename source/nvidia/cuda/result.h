// What CUDA answers, as Level Zero's codes.
#pragma once

#include <cuda.h>

#include "base/result.h"

namespace zetl::nvidia {

/// The name of the code, such as CUDA_ERROR_ILLEGAL_ADDRESS.
const char* nameOf(CUresult result) noexcept;

/// True if the answer means that the context, with all that is in it, is lost.
bool meansLost(CUresult result) noexcept;

/// SUCCESS, or the code that stands for the answer, with a log line that names the call and CUDA's own word. `call` is
/// the call's source text.
Status check(CUresult result, const char* call) noexcept;

/// Calls a function of libcuda by its name and checks the answer.
#define ZETL_CUDA(call) ::zetl::nvidia::check(::zetl::nvidia::cuda().call, #call)

}  // namespace zetl::nvidia
