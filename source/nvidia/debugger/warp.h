// The hardware threads of NVIDIA GPUs: warps, by their places.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <compare>
#include <cstdint>

#include "nvidia/driver/device/attributes.h"

namespace zetl::nvidia {

inline constexpr std::uint32_t kLanes = 32;

/// Numbered as in CUDA's debugger: warps of an SM, which are assigned to its sub-partitions in turn.
struct Warp {
    std::uint32_t sm = 0;
    std::uint32_t warp = 0;
    auto operator<=>(const Warp&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// In the levels of the device: slice, SM, sub-partition, warp.
constexpr zetl_thread_t threadOf(const Warp& warp) noexcept {
    return {{0, warp.sm, warp.warp % kSubPartitions, warp.warp / kSubPartitions, 0, 0}};
}

/// For a thread that is no wildcard.
constexpr Warp warpOf(const zetl_thread_t& thread) noexcept {
    return {thread.level[1], thread.level[3] * kSubPartitions + thread.level[2]};
}

constexpr bool contains(const zetl_thread_t& set, const Warp& warp) noexcept {
    const auto thread = threadOf(warp);
    for (std::uint32_t i = 0; i < 4; ++i)
        if (set.level[i] != ZETL_ANY && set.level[i] != thread.level[i]) return false;
    return true;
}

}  // namespace zetl::nvidia
