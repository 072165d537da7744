// How large the groups of a kernel may be, and how many of them fit on the device at once.
#pragma once

#include <cstdint>

#include "binary/kernel_image.h"
#include "emulator/module/payload.h"

namespace zetl::emulator::machine {
struct DeviceProfile;
}

namespace zetl::emulator::driver {

/// The number of work-items of the largest group that the device allows and one sub-slice has hardware threads for.
std::uint32_t largestGroup(const binary::KernelImage& kernel, const machine::DeviceProfile& profile) noexcept;

/// A group size that divides the global size, with which the fewest hardware threads hold all work-items; of equally
/// good ones, the one with the most in x, then y. If the source requires a size, that one.
module::Extent suggestGroupSize(const binary::KernelImage& kernel, const machine::DeviceProfile& profile,
                                const module::Extent& globalSize) noexcept;

/// Whether the work-items of the grid can be counted in 64 bits. A larger grid would never end, and its ids would
/// repeat.
bool countable(const module::Extent& groupSize, const module::Extent& groupCount) noexcept;

/// The number of groups of that size that are resident at once on one tile, limited by threads and local memory.
std::uint32_t residentGroups(const binary::KernelImage& kernel, const machine::DeviceProfile& profile,
                             const module::Extent& groupSize, std::uint64_t localBytes) noexcept;

}  // namespace zetl::emulator::driver
