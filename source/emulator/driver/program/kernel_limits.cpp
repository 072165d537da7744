#include "emulator/driver/program/kernel_limits.h"

#include <algorithm>

#include "emulator/machine/profile.h"

namespace zetl::emulator::driver {
namespace {

/// The largest divisor that is less than `below`. There is one, since `below` is at least 2.
std::uint32_t divisorBelow(std::uint32_t below, std::uint32_t value) noexcept {
    do --below;
    while (value % below != 0);
    return below;
}

/// Calls f(divisor) for the divisors of `value` up to the limit, the largest first, until it returns true.
template <class F>
bool anyDivisor(std::uint32_t value, std::uint32_t limit, F&& f) {
    for (std::uint32_t divisor = std::min(value, limit) + 1; divisor > 1;) {
        divisor = divisorBelow(divisor, value);
        if (f(divisor)) return true;
    }
    return false;
}

std::uint32_t simdOf(const binary::KernelImage& kernel) noexcept { return std::max(kernel.environment.simdSize, 1u); }

}  // namespace

std::uint32_t largestGroup(const binary::KernelImage& kernel, const machine::DeviceProfile& profile) noexcept {
    const std::uint32_t threads = profile.usableThreadsPerSubslice(kernel.environment.grfCount);
    return std::min(profile.maxGroupSize, threads * simdOf(kernel));
}

// Intel's driver judges sizes like this (compute-runtime, shared/source/helpers/local_work_size.cpp): by the number of
// hardware threads that all groups take. Each group of n items has as many as hold n, so sizes compare by threads(n) /
// n.
module::Extent suggestGroupSize(const binary::KernelImage& kernel, const machine::DeviceProfile& profile,
                                const module::Extent& globalSize) noexcept {
    const auto& required = kernel.environment.requiredGroupSize;
    if (required[0] != 0) return required;
    const std::uint64_t simd = simdOf(kernel);
    const std::uint32_t room = largestGroup(kernel, profile);
    const auto global = [&](int dimension) { return std::max(globalSize[dimension], 1u); };
    module::Extent best{1, 1, 1};
    std::uint64_t items = 0;
    std::uint64_t threads = 1;
    anyDivisor(global(0), room, [&](std::uint32_t x) {
        return anyDivisor(global(1), room / x, [&](std::uint32_t y) {
            return anyDivisor(global(2), room / (x * y), [&](std::uint32_t z) {
                const std::uint64_t n = std::uint64_t{x} * y * z;
                const std::uint64_t taken = (n + simd - 1) / simd;
                if (taken * items < threads * n) {
                    best = {x, y, z};
                    items = n;
                    threads = taken;
                }
                return items % simd == 0;  // all lanes of all threads are used: no size is better
            });
        });
    });
    return best;
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
