#include "emulator/driver/execution/device_work.h"

#include "emulator/driver/device/device.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/command_queue.h"

namespace zetl::emulator::driver {

Status synchronizeDevice(Device& device) {
    Status worst = ZE_RESULT_SUCCESS;
    const auto wait = [&](auto& place) {
        const Device& where = *place.engine().device;
        if (&where != &device && where.parent() != &device) return;
        if (const Status status = place.synchronize(kForever); status != ZE_RESULT_SUCCESS) worst = status;
    };
    for (const auto& queue : live<CommandQueue>().all()) wait(*queue);
    for (const auto& list : live<CommandList>().all())
        if (list->immediate()) wait(*list);
    return worst;
}

}  // namespace zetl::emulator::driver
