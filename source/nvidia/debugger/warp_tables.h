// Warps and their lanes in cuda-gdb's tables.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "nvidia/debugger/mi_record.h"

namespace zetl::nvidia {

using Coordinates = std::array<std::uint32_t, 3>;

struct WarpRow {
    std::uint64_t counter = 0;  ///< address of the next instruction
    std::uint32_t lanes = 0;    ///< lanes that have a thread
    std::uint32_t active = 0;
    std::uint32_t kernel = 0;  ///< cuda-gdb's number of the launch
    Coordinates group{};
};

/// By their numbers in the SM for which -cuda-info-warps was called.
std::map<std::uint32_t, WarpRow> warpsFrom(const mi::Value& answer);
/// threadIdx by lane, from -cuda-info-lanes.
std::map<std::uint32_t, Coordinates> lanesFrom(const mi::Value& answer);
/// blockDim by launch, from -cuda-info-kernels.
std::map<std::uint32_t, Coordinates> groupSizesFrom(const mi::Value& answer);

}  // namespace zetl::nvidia
