// zeCommandListAppendMemoryCopyRegion.
#pragma once

#include <cuda.h>
#include <level_zero/ze_api.h>

#include <cstdint>

#include "base/result.h"

namespace zetl::nvidia {

/// One side of a region copy, as the application specifies it.
struct RegionSide {
    const void* base = nullptr;
    ze_copy_region_t region{};
    std::uint32_t pitch = 0;       ///< bytes from row to row; 0: rows follow each other
    std::uint32_t slicePitch = 0;  ///< bytes from slice to slice; 0: slices follow each other
};

/// A copy of a box of rows and slices. Immutable.
class RegionCopy {
  public:
    RegionCopy(RegionSide to, RegionSide from) noexcept;

    /// INVALID_SIZE (the two boxes differ, or a slice is no whole number of rows), OVERLAPPING_REGIONS.
    Status check() const;
    /// The stream's context is current.
    Status submit(CUstream stream) const;

  private:
    RegionSide to_;
    RegionSide from_;
};

}  // namespace zetl::nvidia
