#include "nvidia/driver/entry/context_objects.h"

#include "nvidia/driver/device/context.h"
#include "nvidia/driver/execution/command_list.h"
#include "nvidia/driver/execution/command_queue.h"
#include "nvidia/driver/execution/event_pool.h"
#include "nvidia/driver/memory/physical_memory.h"
#include "nvidia/driver/program/module.h"

namespace zetl::nvidia {
namespace {

template <class T, class D>
Result<std::shared_ptr<T>> make(Context& context, const Device& device, const D& description) {
    auto member = context.member(device);
    if (!member) return member.code();
    return T::create(context.shared_from_this(), *std::move(member), description);
}

}  // namespace

Result<std::shared_ptr<CommandQueue>> createQueue(Context& context, const Device& device,
                                                  const ze_command_queue_desc_t& description) {
    return make<CommandQueue>(context, device, description);
}

Result<std::shared_ptr<CommandList>> createList(Context& context, const Device& device,
                                                const ze_command_list_desc_t& description) {
    return make<CommandList>(context, device, description);
}

Result<std::shared_ptr<CommandList>> createImmediateList(Context& context, const Device& device,
                                                         const ze_command_queue_desc_t& description) {
    return make<CommandList>(context, device, description);
}

Result<std::shared_ptr<EventPool>> createEventPool(Context& context, const ze_event_pool_desc_t& description,
                                                   std::uint32_t count, ze_device_handle_t* devices) {
    if (count == 0) return EventPool::create(context.shared_from_this(), context.first(), description);
    if (!devices) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const auto device = find<Device>(devices[0]);
    return device ? make<EventPool>(context, **device, description) : device.code();
}

Result<std::shared_ptr<Event>> createCounterEvent(Context& context, const Device& device,
                                                  const ze_event_counter_based_desc_t& description) {
    auto member = context.member(device);
    if (!member) return member.code();
    return Event::createCounter(context.shared_from_this(), *std::move(member), description);
}

Result<std::shared_ptr<EventPool>> openEventPool(Context& context, const ze_ipc_event_pool_handle_t& handle) {
    return EventPool::open(context.shared_from_this(), handle);
}

Status putEventPoolHandle(const ze_ipc_event_pool_handle_t& handle) { return readSharedWordsHandle(handle).code(); }

Result<std::shared_ptr<PhysicalMemory>> createPhysicalMemory(Context& context, Device* device,
                                                             const ze_physical_mem_desc_t& description) {
    if (device) return make<PhysicalMemory>(context, *device, description);
    if (description.flags & ZE_BIT(1)) return PhysicalMemory::create({}, context.first(), description);
    return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

Result<void*> reserveRange(Context& context, const void* wanted, std::size_t bytes) {
    return context.virtualMemory().reserve(wanted, bytes);
}

Status releaseRange(Context& context, const void* address, std::size_t bytes) {
    return context.virtualMemory().release(address, bytes);
}

Status mapRange(Context& context, const void* address, std::size_t bytes, const PhysicalMemory& physical,
                std::size_t offset, ze_memory_access_attribute_t access) {
    return context.virtualMemory().map(address, bytes, physical, offset, access);
}

Status unmapRange(Context& context, const void* address, std::size_t bytes) {
    return context.virtualMemory().unmap(address, bytes);
}

Status setRangeAccess(Context& context, const void* address, std::size_t bytes, ze_memory_access_attribute_t access) {
    return context.virtualMemory().setAccess(address, bytes, access);
}

Status getRangeAccess(Context& context, const void* address, std::size_t bytes, ze_memory_access_attribute_t& access,
                      std::size_t& accessBytes) {
    return context.virtualMemory().getAccess(address, bytes, access, accessBytes);
}

Status createModule(Context& context, const Device& device, const ze_module_desc_t& description,
                    ze_module_handle_t& out, ze_module_build_log_handle_t* log) {
    auto place = context.member(device);
    if (!place) return place.code();
    std::string words;
    auto module = Module::create(context.shared_from_this(), *std::move(place), description, words);
    BuildLog::give(std::move(words), log);
    if (!module) return module.code();
    out = live<Module>().add(*std::move(module));
    return ZE_RESULT_SUCCESS;
}

Status synchronizeDevice(const Device& device) {
    Status worst = ZE_RESULT_SUCCESS;
    const auto note = [&](Status status) {
        if (status != ZE_RESULT_SUCCESS) worst = status;
    };
    for (const auto& queue : live<CommandQueue>().all())
        if (queue->engine().place.device.get() == &device) note(queue->synchronize(kForever));
    for (const auto& list : live<CommandList>().all())
        if (list->immediate() && list->engine().place.device.get() == &device) note(list->hostSynchronize(kForever));
    return worst;
}

}  // namespace zetl::nvidia
