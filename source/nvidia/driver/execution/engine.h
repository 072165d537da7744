// The context, the device and the place on it for which queues and lists are created.
#pragma once

#include <memory>

#include "driver/queue_place.h"
#include "nvidia/driver/device/context.h"
#include "nvidia/driver/device/queue_group.h"

namespace zetl::nvidia {

/// Checked when it is made, constant afterwards.
struct Engine : driver::QueuePlace {
    std::shared_ptr<Context> context;
    Context::Member place;

    /// True if kernels can be launched there.
    bool computes() const noexcept { return queueGroups()[ordinal].computes(); }
};

/// The engine that a ze_command_queue_desc_t or ze_command_list_desc_t names. Returns the codes of placeOf().
template <class Description>
Result<Engine> engineOf(std::shared_ptr<Context> context, Context::Member member, const Description& description) {
    const auto place = driver::placeOf(queueGroups(), description);
    if (!place) return place.code();
    return Engine{*place, std::move(context), std::move(member)};
}

}  // namespace zetl::nvidia
