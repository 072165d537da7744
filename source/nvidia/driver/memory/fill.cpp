#include "nvidia/driver/memory/fill.h"

#include <algorithm>
#include <cstring>

#include "nvidia/cuda/api.h"
#include "nvidia/cuda/result.h"

namespace zetl::nvidia {
namespace {

template <class T>
T value(const std::vector<std::uint8_t>& pattern) noexcept {
    T result{};
    std::memcpy(&result, pattern.data(), sizeof result);
    return result;
}

bool aligned(CUdeviceptr to, std::size_t size, std::size_t unit) noexcept { return (to | size) % unit == 0; }

}  // namespace

Fill::Fill(void* to, const void* pattern, std::size_t patternSize, std::size_t size)
    : to_(reinterpret_cast<CUdeviceptr>(to)), size_(size), pattern_(patternSize) {
    std::memcpy(pattern_.data(), pattern, patternSize);
}

bool Fill::isOneOperation(const void* to, std::size_t patternSize, std::size_t size) noexcept {
    const bool served = patternSize == 1 || patternSize == 2 || patternSize == 4;
    return served && aligned(reinterpret_cast<CUdeviceptr>(to), size, patternSize);
}

Status Fill::submit(CUstream stream) const {
    if (size_ == 0) return ZE_RESULT_SUCCESS;
    const std::size_t unit = pattern_.size();
    if (unit == 1) return ZETL_CUDA(cuMemsetD8Async(to_, value<std::uint8_t>(pattern_), size_, stream));
    if (unit == 2 && aligned(to_, size_, unit))
        return ZETL_CUDA(cuMemsetD16Async(to_, value<std::uint16_t>(pattern_), size_ / unit, stream));
    if (unit == 4 && aligned(to_, size_, unit))
        return ZETL_CUDA(cuMemsetD32Async(to_, value<std::uint32_t>(pattern_), size_ / unit, stream));
    return submitByDoubling(stream);
}

Status Fill::submitByDoubling(CUstream stream) const {
    std::size_t done = std::min(pattern_.size(), size_);
    const auto pattern = reinterpret_cast<CUdeviceptr>(pattern_.data());
    if (const Status bad = ZETL_CUDA(cuMemcpyAsync(to_, pattern, done, stream)); bad != ZE_RESULT_SUCCESS) return bad;
    while (done < size_) {
        const std::size_t now = std::min(done, size_ - done);
        if (const Status bad = ZETL_CUDA(cuMemcpyAsync(to_ + done, to_, now, stream)); bad != ZE_RESULT_SUCCESS)
            return bad;
        done += now;
    }
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
