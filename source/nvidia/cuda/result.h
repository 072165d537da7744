// Translates CUDA's results to Level Zero's codes.
#pragma once

#include <cuda.h>

#include "base/result.h"

namespace zetl::nvidia {

/// The name of the code, such as CUDA_ERROR_ILLEGAL_ADDRESS.
const char* nameOf(CUresult result) noexcept;

/// True if the result means that the context, with all that is in it, is lost.
bool meansLost(CUresult result) noexcept;

/// Returns SUCCESS, or the code that corresponds to the result. A failure is logged with the call and CUDA's own
/// description. `call` is the call's source text.
Status check(CUresult result, const char* call) noexcept;

/// Calls a function of libcuda by its name and checks the answer.
#define ZETL_CUDA(call) ::zetl::nvidia::check(::zetl::nvidia::cuda().call, #call)

}  // namespace zetl::nvidia
