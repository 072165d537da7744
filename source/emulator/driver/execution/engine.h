// The context, the device and the place on it for which queues and lists are created.
#pragma once

#include <memory>

#include "driver/queue_place.h"

namespace zetl::emulator::driver {

class Context;
class Device;

/// Checked when it is made, constant afterwards.
struct Engine : zetl::driver::QueuePlace {
    std::shared_ptr<Context> context;
    std::shared_ptr<Device> device;

    /// True if kernels can be launched there.
    bool computes() const noexcept;
};

/// The engine that a ze_command_queue_desc_t or ze_command_list_desc_t names. Returns the codes of placeOf(), and
/// INVALID_ARGUMENT for a device outside the context.
template <class Description>
Result<Engine> engineOf(std::shared_ptr<Context> context, std::shared_ptr<Device> device,
                        const Description& description);

}  // namespace zetl::emulator::driver
