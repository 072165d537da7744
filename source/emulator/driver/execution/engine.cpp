#include "emulator/driver/execution/engine.h"

#include "emulator/driver/device/device.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

bool Engine::computes() const noexcept { return device->queueGroups()[ordinal].computes(); }

template <class Description>
Result<Engine> engineOf(std::shared_ptr<Context> context, std::shared_ptr<Device> device,
                        const Description& description) {
    const auto place = placeOf(device->queueGroups(), description);
    if (!place) return place.code();
    if (!context->holds(*device))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the device is not one of those the context was created for");
    return Engine{*place, std::move(context), std::move(device)};
}

template Result<Engine> engineOf(std::shared_ptr<Context>, std::shared_ptr<Device>, const ze_command_queue_desc_t&);
template Result<Engine> engineOf(std::shared_ptr<Context>, std::shared_ptr<Device>, const ze_command_list_desc_t&);

}  // namespace zetl::emulator::driver
