// The registers of a warp, set by set.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <span>

namespace zetl::nvidia {

/// Our numbers, which zetDebugGetRegisterSetProperties returns (docs/reference/nvidia.md).
enum class RegisterSet : std::uint32_t {
    general = 1,           ///< R0 .. R254: 32 lanes of 4 bytes each
    predicate = 2,         ///< P0 .. P6: one bit per lane
    uniform = 3,           ///< UR0 .. UR62
    uniformPredicate = 4,  ///< UP0 .. UP6
    programCounter = 5,    ///< address of the next instruction
    faultCounter = 6,      ///< address of the instruction that faulted; 0: none did
    place = 7,             ///< blockIdx.x, y, z, threadIdx.x, y, z, blockDim.x, y, z: 32 lanes of 4 bytes each
    step = 8,              ///< 1: the warp's next run is one instruction
    laneMasks = 9,         ///< one bit per lane: has a thread; executes at the program counter
};

/// The content of a register for each lane. Lanes without a thread read as 0.
enum class Lanes { none, words, bits };

struct RegisterSetShape {
    zetl_register_set_t info;
    Lanes lanes;
    const char* prefix;  ///< of its registers' names in cuda-gdb, which numbers follow if there are several; null: none

    RegisterSet set() const noexcept { return static_cast<RegisterSet>(info.type); }
};

std::span<const RegisterSetShape> registerSets();
/// Null if there is no such set.
const RegisterSetShape* registerSet(std::uint32_t type);

}  // namespace zetl::nvidia
