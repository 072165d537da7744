#include "emulator/driver/memory/context.h"

#include <algorithm>

#include "base/never_destroyed.h"
#include "base/synchronized.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

Result<std::shared_ptr<Context>> Context::create(const ze_context_desc_t& description, std::uint32_t deviceCount,
                                                 ze_device_handle_t* devices) {
    if (description.flags & ~static_cast<ze_context_flags_t>(ZE_CONTEXT_FLAG_TBD))
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const auto* saving = findInChain<ze_context_power_saving_hint_exp_desc_t>(
        &description, ZE_STRUCTURE_TYPE_CONTEXT_DESC, ZE_STRUCTURE_TYPE_POWER_SAVING_HINT_EXP_DESC);
    if (saving && saving->hint > ZE_POWER_SAVING_HINT_TYPE_MAX)
        return refuse(ZE_RESULT_ERROR_INVALID_ENUMERATION, "a hint of {} to save power; it may be 0 to {}",
                      saving->hint, static_cast<std::uint32_t>(ZE_POWER_SAVING_HINT_TYPE_MAX));
    if (deviceCount == 0) return std::make_shared<Context>(Driver::instance().devices());
    if (!devices) return ZE_RESULT_ERROR_INVALID_SIZE;
    std::vector<std::shared_ptr<Device>> chosen;
    for (std::uint32_t i = 0; i < deviceCount; ++i) {
        auto device = find<Device>(devices[i]);
        if (!device) return device.code();
        chosen.push_back(*std::move(device));
    }
    return std::make_shared<Context>(std::move(chosen));
}

std::shared_ptr<Context> Context::byDefault() {
    static NeverDestroyed<Synchronized<std::shared_ptr<Context>>> known;
    return (*known).write([](std::shared_ptr<Context>& context) {
        if (context && live<Context>().find(context->handle())) return context;
        context = *create({ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0}, 0, nullptr);
        live<Context>().add(context);
        return context;
    });
}

bool Context::holds(Device& device) const noexcept {
    return std::any_of(devices_.begin(), devices_.end(),
                       [&](const auto& own) { return &own->root() == &device.root(); });
}

}  // namespace zetl::emulator::driver
