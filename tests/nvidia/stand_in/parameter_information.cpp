// What drivers older than CUDA 12.4 lack.
#include <cstddef>
#include <cstdint>

#include "stand_in.h"

CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* size) {
    if (index >= function->sizes.size()) return CUDA_ERROR_INVALID_VALUE;
    *offset = index * sizeof(std::uint64_t);
    *size = function->sizes[index];
    return CUDA_SUCCESS;
}
