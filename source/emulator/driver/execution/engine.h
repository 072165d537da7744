// Where commands go: the queue group, queue and mode that queues and lists are created with.
#pragma once

#include <level_zero/ze_api.h>

#include <memory>

#include "base/result.h"

namespace zetl::emulator::driver {

class Context;
class Device;

/// The place of a command queue or list: checked when it is made, constant afterwards.
struct Engine {
    std::shared_ptr<Context> context;
    std::shared_ptr<Device> device;
    std::uint32_t ordinal = 0;
    std::uint32_t index = 0;
    ze_command_queue_mode_t mode = ZE_COMMAND_QUEUE_MODE_DEFAULT;
    ze_command_queue_priority_t priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL;
    std::uint32_t flags = 0;  ///< ze_command_queue_flags_t, of a regular list ze_command_list_flags_t

    bool synchronous() const noexcept { return mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS; }

    /// True if kernels can be launched there.
    bool computes() const noexcept;
};

/// The engine a queue description names. INVALID_ENUMERATION, INVALID_ARGUMENT (no such ordinal or index, device
/// outside the context).
Result<Engine> engineOf(std::shared_ptr<Context> context, std::shared_ptr<Device> device,
                        const ze_command_queue_desc_t& description);
/// The group a list description names; index 0.
Result<Engine> engineOf(std::shared_ptr<Context> context, std::shared_ptr<Device> device,
                        const ze_command_list_desc_t& description);

}  // namespace zetl::emulator::driver
