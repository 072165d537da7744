// Where the threads of a launch start, and with which lanes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/machine/dispatch.h"

namespace zetl::emulator::machine {

/// Relative to the instruction base.
inline std::uint32_t entryOf(const Launch& launch) noexcept { return launch.kernelOffset + launch.entryOffset; }

/// The lanes of a thread that has all of them on. A kernel with one work-item per thread is vector code that masks its
/// lanes itself, and starts with all of them.
inline std::uint32_t fullLanes(const Launch& launch) noexcept {
    constexpr std::uint32_t kLanesOfVectorCode = 32;
    return launch.simd == 1 ? kLanesOfVectorCode : launch.simd;
}

/// The lanes with which thread `index` of a group starts, one bit each.
inline std::uint32_t lanesOf(const Launch& launch, std::uint32_t groupItems, std::uint32_t index) noexcept {
    const std::uint32_t lanes =
        launch.simd == 1 ? fullLanes(launch) : std::min(launch.simd, groupItems - index * launch.simd);
    return lanes == 32 ? ~0u : (1u << lanes) - 1;
}

/// The lanes with which all threads of a group start; 0 if the last one has fewer.
inline std::uint32_t commonLanes(const Launch& launch, std::uint32_t groupItems) noexcept {
    return groupItems % launch.simd == 0 ? fullLanes(launch) : 0;
}

/// Threads of a group that start with all lanes on: all `threads`, or all but the last.
inline std::uint32_t wholeThreads(const Launch& launch, std::uint32_t groupItems, std::uint32_t threads) noexcept {
    return launch.simd == 1 ? threads : groupItems / launch.simd;
}

}  // namespace zetl::emulator::machine
