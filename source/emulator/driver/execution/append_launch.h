// The functions zeCommandListAppendLaunch... of command lists.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "emulator/driver/execution/event_use.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {

class CommandList;
class Kernel;

// All return INVALID_COMMAND_LIST_TYPE for a list whose engine only copies, and the codes of KernelSnapshot::check()
// and CommandList::append().
Status appendLaunch(CommandList& list, const Kernel& kernel, const ze_group_count_t& count, const EventUse& events);
/// INVALID_ARGUMENT if the groups cannot be resident together.
Status appendCooperativeLaunch(CommandList& list, const Kernel& kernel, const ze_group_count_t& count,
                               const EventUse& events);
/// UNSUPPORTED_FEATURE for parameters that are not known.
Status appendLaunchWithParameters(CommandList& list, const Kernel& kernel, const ze_group_count_t& count,
                                  const void* parameters, const EventUse& events);
/// Sets the kernel's group size and arguments first, which it keeps.
Status appendLaunchWithArguments(CommandList& list, Kernel& kernel, const ze_group_count_t& count,
                                 const ze_group_size_t& size, void** arguments, const void* parameters,
                                 const EventUse& events);
// Numbers are read from memory when the launch executes.
Status appendIndirectLaunch(CommandList& list, const Kernel& kernel, const ze_group_count_t* count,
                            const EventUse& events);
Status appendIndirectLaunches(CommandList& list, std::uint32_t kernelCount, ze_kernel_handle_t* kernels,
                              const std::uint32_t* count, const ze_group_count_t* groupCounts, const EventUse& events);

}  // namespace zetl::emulator::driver
