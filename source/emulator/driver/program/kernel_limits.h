// How large the groups of a kernel may be, and how many of them fit on the device at once.
#pragma once

#include <cstdint>

#include "binary/kernel_image.h"
#include "emulator/module/payload.h"

namespace zetl::emulator::machine {
struct DeviceProfile;
}

namespace zetl::emulator::driver {

/// Work items of the largest group: what the device allows and what the hardware threads of one sub-slice can hold.
std::uint32_t largestGroup(const binary::KernelImage& kernel, const machine::DeviceProfile& profile) noexcept;

/// A group size that divides the global size, with which the fewest hardware threads hold all work-items; of those that
/// are as good, the one with the most in x, then y. What the source requires if it does.
module::Extent suggestGroupSize(const binary::KernelImage& kernel, const machine::DeviceProfile& profile,
                                const module::Extent& globalSize) noexcept;

/// Whether the work-items of the grid can be counted in 64 bits. What is larger would take longer than any machine
/// lives, and its ids would repeat.
bool countable(const module::Extent& groupSize, const module::Extent& groupCount) noexcept;

/// Groups of that size that are resident at once on one tile, limited by threads and local memory.
std::uint32_t residentGroups(const binary::KernelImage& kernel, const machine::DeviceProfile& profile,
                             const module::Extent& groupSize, std::uint64_t localBytes) noexcept;

}  // namespace zetl::emulator::driver
