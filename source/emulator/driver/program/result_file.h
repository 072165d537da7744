// The file of what launches left, if ZETL_RESULTS names a directory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/mutex.h"
#include "results/writer.h"

namespace zetl::emulator::driver {

struct ResultFile {
    Mutex mutex;
    std::optional<results::Writer> writer ZETL_GUARDED_BY(mutex);  ///< nothing once there was no room
};

/// Null if no results are wanted. Never destroyed: launches may end while the process exits. Thread-safe.
ResultFile* resultFile() noexcept;

/// The same if ZETL_RESULTS_INPUTS asks for what launches began with.
ResultFile* inputFile() noexcept;

/// Keeps the SPIR-V of a module for launches of its kernels; results::kNoModule if nobody wants it, or if there is no
/// room. Thread-safe.
std::uint64_t keepSource(std::span<const std::uint8_t> spirv) noexcept;

}  // namespace zetl::emulator::driver
