#include "emulator/machine/memory/scratch_area.h"

#include <algorithm>
#include <bit>

namespace zetl::emulator::machine {
namespace {

constexpr std::uint64_t kLeastStride = 1024;

}  // namespace

ScratchAreas::~ScratchAreas() {
    for (const auto& [stride, area] : areas_) memory_.free(area.base);
}

ScratchAreas::Area ScratchAreas::find(std::uint32_t bytes) {
    const std::uint64_t stride = std::max(kLeastStride, std::bit_ceil(std::uint64_t{bytes}));
    const Lock guard(mutex_);
    const auto known = areas_.find(stride);
    if (known != areas_.end()) return known->second;
    const Area area{memory_.allocate({stride * slots_, 0, MemoryKind::internal, 0, nullptr, 0}).address, stride};
    if (area.base != 0) areas_[stride] = area;
    return area;
}

}  // namespace zetl::emulator::machine
