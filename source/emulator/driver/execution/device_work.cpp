#include "emulator/driver/execution/device_work.h"

#include "emulator/driver/device/device.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/command_queue.h"

namespace zetl::emulator::driver {

Status synchronizeDevice(Device& device) {
    Status worst = ZE_RESULT_SUCCESS;
    const auto isHere = [&](const auto& place) {
        const Device& where = *place.engine().device;
        return &where == &device || where.parent() == &device;
    };
    const auto note = [&](Status status) {
        if (status != ZE_RESULT_SUCCESS) worst = status;
    };
    for (const auto& queue : live<CommandQueue>().all())
        if (isHere(*queue)) note(queue->synchronize(kForever));
    for (const auto& list : live<CommandList>().all())
        if (list->immediate() && isHere(*list)) note(list->finish(kForever));
    return worst;
}

}  // namespace zetl::emulator::driver
