#include "nvidia/driver/memory/region.h"

#include <algorithm>

#include "driver/refusal.h"
#include "driver/region_overlap.h"
#include "nvidia/cuda/api.h"
#include "nvidia/cuda/result.h"

namespace zetl::nvidia {
namespace {

RegionSide complete(RegionSide side) noexcept {
    side.region.depth = std::max(side.region.depth, 1u);
    if (side.pitch == 0) side.pitch = side.region.width;
    if (side.slicePitch == 0) side.slicePitch = side.pitch * side.region.height;
    return side;
}

std::uint64_t begin(const RegionSide& side) noexcept {
    return reinterpret_cast<std::uint64_t>(side.base) + std::uint64_t{side.region.originZ} * side.slicePitch +
           std::uint64_t{side.region.originY} * side.pitch + side.region.originX;
}

zetl::driver::ByteBox boxOf(const RegionSide& side) noexcept {
    return {begin(side), side.region.width, side.region.height, side.region.depth, side.pitch, side.slicePitch};
}

/// Plain host memory is not known to CUDA and has to be named as such.
CUmemorytype memoryTypeOf(std::uint64_t pointer) noexcept {
    unsigned kind = 0;
    const CUresult known = cuda().cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer);
    return known == CUDA_SUCCESS ? CU_MEMORYTYPE_UNIFIED : CU_MEMORYTYPE_HOST;
}

bool sameExtent(const ze_copy_region_t& a, const ze_copy_region_t& b) noexcept {
    return a.width == b.width && a.height == b.height && a.depth == b.depth;
}

}  // namespace

RegionCopy::RegionCopy(RegionSide to, RegionSide from) noexcept : to_(complete(to)), from_(complete(from)) {}

Status RegionCopy::check() const {
    if (!sameExtent(to_.region, from_.region))
        return driver::refuse(ZE_RESULT_ERROR_INVALID_SIZE,
                              "source and target regions differ in width, height or depth");
    for (const RegionSide* side : {&to_, &from_})
        if (side->region.depth > 1 && (side->pitch == 0 || side->slicePitch % side->pitch != 0))
            return driver::refuse(ZE_RESULT_ERROR_INVALID_SIZE, "a slice of {} bytes is no whole number of rows of {}",
                                  side->slicePitch, side->pitch);
    const bool empty = to_.region.width == 0 || to_.region.height == 0;
    const bool alike = to_.pitch == from_.pitch && to_.slicePitch == from_.slicePitch;
    if (!empty && alike && overlap(boxOf(to_), boxOf(from_)))
        return driver::refuse(ZE_RESULT_ERROR_OVERLAPPING_REGIONS, "source and target of a region copy overlap");
    return ZE_RESULT_SUCCESS;
}

Status RegionCopy::submit(CUstream stream) const {
    if (to_.region.width == 0 || to_.region.height == 0) return ZE_RESULT_SUCCESS;
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = memoryTypeOf(begin(from_));
    copy.srcHost = reinterpret_cast<const void*>(begin(from_));
    copy.srcDevice = begin(from_);
    copy.srcPitch = from_.pitch;
    copy.srcHeight = from_.pitch ? from_.slicePitch / from_.pitch : 0;
    copy.dstMemoryType = memoryTypeOf(begin(to_));
    copy.dstHost = reinterpret_cast<void*>(begin(to_));
    copy.dstDevice = begin(to_);
    copy.dstPitch = to_.pitch;
    copy.dstHeight = to_.pitch ? to_.slicePitch / to_.pitch : 0;
    copy.WidthInBytes = to_.region.width;
    copy.Height = to_.region.height;
    copy.Depth = to_.region.depth;
    return ZETL_CUDA(cuMemcpy3DAsync(&copy, stream));
}

}  // namespace zetl::nvidia
