// The parts of a recorded command that may change (specification, extension "Mutable Command List").
#pragma once

#include <level_zero/ze_api.h>

namespace zetl::emulator::driver {

/// Allows kernels to change; headers before specification 1.11 have no name for the flag.
inline constexpr ze_mutable_command_exp_flags_t kMutableKernel = ZE_BIT(6);
/// The changes that the specification allows for an id without flags.
inline constexpr ze_mutable_command_exp_flags_t kMutableByDefault =
    ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS | ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT |
    ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE | ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET |
    ZE_MUTABLE_COMMAND_EXP_FLAG_SIGNAL_EVENT | ZE_MUTABLE_COMMAND_EXP_FLAG_WAIT_EVENTS;

}  // namespace zetl::emulator::driver
