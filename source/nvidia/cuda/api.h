// libcuda, opened at run time: nothing of CUDA is linked.
#pragma once

#include <cuda.h>

#include <string>

namespace zetl::nvidia {

/// The functions by their names in cuda.h, which may stand for versioned ones (cuMemAlloc is cuMemAlloc_v2).
struct Api {
#define FUNCTION(name) decltype(&::name) name;
#include "nvidia/cuda/functions.def"
#undef FUNCTION
};

/// Valid after openCuda() succeeded. Immutable from then on.
const Api& cuda() noexcept;

/// Opens the library, once: ZETL_CUDA_LIBRARY or libcuda.so.1. Empty, or why there is no CUDA here: the library is not
/// there, or is a version that lacks functions, which are named. Thread-safe; later calls give the first answer.
const std::string& openCuda();

}  // namespace zetl::nvidia
