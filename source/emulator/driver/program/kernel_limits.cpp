#include "emulator/driver/program/kernel_limits.h"

#include <algorithm>

#include "emulator/machine/profile.h"

namespace zetl::emulator::driver {
namespace {

std::uint32_t largestDivisor(std::uint32_t value, std::uint32_t limit) noexcept {
    for (std::uint32_t candidate = std::min(value, limit); candidate > 1; --candidate)
        if (value % candidate == 0) return candidate;
    return 1;
}

std::uint32_t simdOf(const binary::KernelImage& kernel) noexcept { return std::max(kernel.environment.simdSize, 1u); }

}  // namespace

std::uint32_t largestGroup(const binary::KernelImage& kernel, const machine::DeviceProfile& profile) noexcept {
    const std::uint32_t threads = profile.usableThreadsPerSubslice(kernel.environment.grfCount);
    return std::min(profile.maxGroupSize, threads * simdOf(kernel));
}

module::Extent suggestGroupSize(const binary::KernelImage& kernel, const machine::DeviceProfile& profile,
                                const module::Extent& globalSize) noexcept {
    const auto& required = kernel.environment.requiredGroupSize;
    if (required[0] != 0) return required;
    std::uint32_t room = largestGroup(kernel, profile);
    module::Extent size{1, 1, 1};
    for (int dimension = 0; dimension < 3; ++dimension) {
        size[dimension] = largestDivisor(std::max(globalSize[dimension], 1u), room);
        room /= size[dimension];
    }
    return size;
}

bool countable(const module::Extent& groupSize, const module::Extent& groupCount) noexcept {
    std::uint64_t items = 1;
    for (int dimension = 0; dimension < 3; ++dimension)
        if (groupSize[dimension] == 0 || groupCount[dimension] == 0) return true;
    for (int dimension = 0; dimension < 3; ++dimension)
        if (__builtin_mul_overflow(items, groupSize[dimension], &items) ||
            __builtin_mul_overflow(items, groupCount[dimension], &items))
            return false;
    return true;
}

std::uint32_t residentGroups(const binary::KernelImage& kernel, const machine::DeviceProfile& profile,
                             const module::Extent& groupSize, std::uint64_t localBytes) noexcept {
    module::LaunchShape shape;
    shape.groupSize = groupSize;
    const std::uint32_t threads = std::max(shape.threads(simdOf(kernel)), 1u);
    std::uint32_t groups = profile.usableThreadsPerSubslice(kernel.environment.grfCount) / threads;
    const std::uint64_t slm = kernel.environment.slmBytes + localBytes;
    if (slm > 0) groups = static_cast<std::uint32_t>(std::min<std::uint64_t>(groups, profile.slmBytes / slm));
    return groups * profile.subslices();
}

}  // namespace zetl::emulator::driver
