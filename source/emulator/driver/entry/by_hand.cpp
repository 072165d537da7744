#include "emulator/driver/entry/by_hand.h"

#include <algorithm>
#include <limits>

#include "driver/start.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/entry/start.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/graph.h"
#include "emulator/driver/execution/visitor.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/memory/context_memory.h"
#include "emulator/driver/sysman/readiness.h"

namespace zetl::emulator::driver {
namespace {

constexpr std::uint32_t kNoDevice = std::numeric_limits<std::uint32_t>::max();

template <class T>
ze_result_t visit(const char* function, typename T::Handle handle, const VisitDescription* description) noexcept {
    ze_result_t answer = ZE_RESULT_SUCCESS;
    const ze_result_t begun = onObject<T>(function, handle, [&](T& object) -> Status {
        return description ? object.visit(*description, answer) : ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    });
    return begun == ZE_RESULT_SUCCESS ? answer : begun;
}

}  // namespace

ze_result_t ZE_APICALL init(ze_init_flags_t flags) noexcept {
    return starting("zeInit", [&] { return acceptInit(flags); });
}

ze_result_t ZE_APICALL initDrivers(std::uint32_t* count, ze_driver_handle_t* drivers,
                                   ze_init_driver_type_desc_t* description) noexcept {
    return starting("zeInitDrivers",
                    [&] { return listIfWanted(description, count, drivers, Driver::instance().handle()); });
}

ze_result_t ZE_APICALL initSysman(zes_init_flags_t flags) noexcept {
    return starting("zesInit", [&]() -> Status {
        if (flags & ~zes_init_flags_t{ZES_INIT_FLAG_PLACEHOLDER}) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
        startSysman();
        return ZE_RESULT_SUCCESS;
    });
}

ze_context_handle_t ZE_APICALL getDefaultContext(ze_driver_handle_t driver) noexcept {
    ze_context_handle_t context = nullptr;
    onObject<Driver>("zeDriverGetDefaultContext", driver, [&](Driver&) {
        context = Context::byDefault()->handle();
        return ZE_RESULT_SUCCESS;
    });
    return context;
}

ze_context_handle_t ZE_APICALL getRuntimeContext() noexcept {
    ze_context_handle_t context = nullptr;
    boundary("zerGetDefaultContext", [&] {
        context = Context::byDefault()->handle();
        return ZE_RESULT_SUCCESS;
    });
    return context;
}

std::uint32_t ZE_APICALL identifierOf(ze_device_handle_t device) noexcept {
    std::uint32_t identifier = kNoDevice;
    onObject<Device>("zerTranslateDeviceHandleToIdentifier", device, [&](Device& object) -> Status {
        const auto& all = Driver::instance().listed();
        const auto place = std::ranges::find_if(all, [&](const auto& one) { return one.get() == &object; });
        if (place == all.end())
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the device is not one that zeDeviceGet lists");
        identifier = static_cast<std::uint32_t>(place - all.begin());
        return ZE_RESULT_SUCCESS;
    });
    return identifier;
}

ze_device_handle_t ZE_APICALL deviceOf(std::uint32_t identifier) noexcept {
    ze_device_handle_t device = nullptr;
    boundary("zerTranslateIdentifierToDeviceHandle", [&]() -> Status {
        const auto& all = Driver::instance().listed();
        if (identifier >= all.size())
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "device {}; there are {}", identifier, all.size());
        device = all[identifier]->handle();
        return ZE_RESULT_SUCCESS;
    });
    return device;
}

ze_result_t ZE_APICALL visitGraph(ze_graph_handle_t graph, const VisitDescription* description) noexcept {
    return visit<Graph>("zeGraphVisitExt", graph, description);
}

ze_result_t ZE_APICALL visitList(ze_command_list_handle_t list, const VisitDescription* description) noexcept {
    return visit<CommandList>("zeCommandListVisitExt", list, description);
}

ze_result_t ZE_APICALL registerFreeCallback(ze_context_handle_t context, FreeCallbackDescription* description,
                                            void* pointer) noexcept {
    return boundary("zexMemFreeRegisterCallbackExt", [&]() -> Status {
        const auto object = find<Context>(context);
        if (!object || !description || !pointer || !description->pfnCallback) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        return setFreeCallback(**object, pointer, {description->pfnCallback, description->pUserData});
    });
}

}  // namespace zetl::emulator::driver
