// zeCommandListAppendMemoryFill.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"

namespace zetl::nvidia {

/// A fill with a pattern of any length; if the size is no multiple of it, the last repetition is cut short. CUDA fills
/// patterns of 1, 2 and 4 bytes itself; others are written once and copied onto the range, twice as much each time.
class Fill {
  public:
    Fill(void* to, const void* pattern, std::size_t patternSize, std::size_t size);

    /// True if CUDA fills the range itself.
    static bool isOneOperation(const void* to, std::size_t patternSize, std::size_t size) noexcept;

    /// The stream's context is current.
    Status submit(CUstream stream) const;

  private:
    Status submitByDoubling(CUstream stream) const;

    const CUdeviceptr to_;
    const std::size_t size_;
    std::vector<std::uint8_t> pattern_;
};

}  // namespace zetl::nvidia
