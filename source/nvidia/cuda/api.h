// libcuda, opened at run time; the project links nothing of CUDA.
#pragma once

#include <cuda.h>

#include <string>

namespace zetl::nvidia {

/// The functions under their names in cuda.h, which may stand for versioned ones (cuMemAlloc is cuMemAlloc_v2).
struct Api {
#define FUNCTION(name) decltype(&::name) name;
#include "nvidia/cuda/functions.def"
#undef FUNCTION
};

/// Valid after openCuda() succeeded. Immutable from then on.
const Api& cuda() noexcept;

/// Opens the library once: ZETL_CUDA_LIBRARY or libcuda.so.1. Returns an empty text, or the reason why CUDA is not
/// available: the library is missing, or its version lacks the functions that the text names. Thread-safe; later calls
/// return the first answer.
const std::string& openCuda();

}  // namespace zetl::nvidia
