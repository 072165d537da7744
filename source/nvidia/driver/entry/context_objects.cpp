// The functions of a context that create queues, lists, event pools and modules.
#include "nvidia/driver/device/context.h"
#include "nvidia/driver/execution/command_list.h"
#include "nvidia/driver/execution/command_queue.h"
#include "nvidia/driver/execution/event_pool.h"
#include "nvidia/driver/program/module.h"

namespace zetl::nvidia {
namespace {

/// Makes and registers an object of the context on one of its devices, and returns its handle.
template <class T, class... A>
Status make(Context& context, ze_device_handle_t device, typename T::Handle* out, const A&... arguments) {
    auto member = context.member(device);
    if (!member) return member.code();
    if ((... || !arguments) || !out) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    auto made = T::create(context.shared_from_this(), *std::move(member), *arguments...);
    if (!made) return made.code();
    *out = live<T>().add(*std::move(made));
    return ZE_RESULT_SUCCESS;
}

}  // namespace

Status Context::createQueue(ze_device_handle_t device, const ze_command_queue_desc_t* description,
                            ze_command_queue_handle_t* out) {
    return make<CommandQueue>(*this, device, out, description);
}

Status Context::createList(ze_device_handle_t device, const ze_command_list_desc_t* description,
                           ze_command_list_handle_t* out) {
    return make<CommandList>(*this, device, out, description);
}

Status Context::createImmediateList(ze_device_handle_t device, const ze_command_queue_desc_t* description,
                                    ze_command_list_handle_t* out) {
    return make<CommandList>(*this, device, out, description);
}

Status Context::createEventPool(const ze_event_pool_desc_t* description, std::uint32_t count,
                                ze_device_handle_t* devices, ze_event_pool_handle_t* out) {
    if (count > 0 && !devices) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    auto place = count > 0 ? member(devices[0]) : Result<Member>(first());
    if (!place) return place.code();
    auto pool = EventPool::create(shared_from_this(), *std::move(place), *description);
    if (!pool) return pool.code();
    *out = live<EventPool>().add(*std::move(pool));
    return ZE_RESULT_SUCCESS;
}

Status Context::createModule(ze_device_handle_t device, const ze_module_desc_t* description, ze_module_handle_t* out,
                             ze_module_build_log_handle_t* log) {
    auto place = member(device);
    if (!place) return place.code();
    if (!description || !out) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    std::string words;
    auto module = Module::create(shared_from_this(), *std::move(place), *description, words);
    BuildLog::give(std::move(words), log);
    if (!module) return module.code();
    *out = live<Module>().add(*std::move(module));
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
