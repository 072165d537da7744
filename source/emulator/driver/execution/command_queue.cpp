#include "emulator/driver/execution/command_queue.h"

#include "emulator/driver/device/device.h"
#include "emulator/driver/device/tool_observer.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/fence.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

// ze_command_queue_qos_ext_desc_t, ..._properties_t and ze_command_queue_qos_ext_t of specification 1.19.
constexpr auto kServiceDescription = static_cast<ze_structure_type_t>(0x0002004c);
constexpr auto kServiceProperties = static_cast<ze_structure_type_t>(0x0002004d);
constexpr std::uint32_t kDefaultService = 0;
constexpr std::uint32_t kMediumService = 2;
constexpr std::uint32_t kLastService = 5;
struct ServiceDescription {
    ze_structure_type_t stype;
    const void* pNext;
    std::uint32_t service;
};
struct ServiceProperties {
    ze_structure_type_t stype;
    void* pNext;
    std::uint32_t service;
    ze_bool_t isOverridden;
};

Result<std::uint32_t> serviceOf(const ServiceDescription* description) {
    const std::uint32_t service = description ? description->service : kDefaultService;
    if (service > kLastService)
        return refuse(ZE_RESULT_ERROR_INVALID_ENUMERATION, "quality of service {}; the last one is {}", service,
                      kLastService);
    return service == kDefaultService ? kMediumService : service;
}

}  // namespace

Result<std::shared_ptr<CommandQueue>> CommandQueue::create(std::shared_ptr<Context> context,
                                                           std::shared_ptr<Device> device,
                                                           const ze_command_queue_desc_t& description) {
    auto engine = engineOf(std::move(context), std::move(device), description);
    if (!engine) return engine.code();
    const auto service = serviceOf(
        findInChain<ServiceDescription>(&description, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, kServiceDescription));
    if (!service) return service.code();
    return std::make_shared<CommandQueue>(*std::move(engine), *service);
}

CommandQueue::CommandQueue(Engine engine, std::uint32_t service)
    : engine_(std::move(engine)),
      priority_(engine_.priority),
      service_(service),
      stream_(std::make_shared<Stream>(engine_, Stream::Use::queue)) {
    if (const auto observer = toolObserver()) observer->queueCreated(*engine_.device);
}

CommandQueue::~CommandQueue() {
    if (const auto observer = toolObserver()) observer->queueDestroyed(*engine_.device);
}

Status CommandQueue::setPriority(ze_command_queue_priority_t priority) noexcept {
    if (priority > ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    priority_.store(priority, std::memory_order_relaxed);
    return ZE_RESULT_SUCCESS;
}

Status CommandQueue::setService(const void* description) {
    const auto& given = *static_cast<const ServiceDescription*>(description);
    if (given.stype != kServiceDescription) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const auto service = serviceOf(&given);
    if (service) service_.store(*service, std::memory_order_relaxed);
    return service.code();
}

Status CommandQueue::service(void* properties) const {
    auto& out = *static_cast<ServiceProperties*>(properties);
    if (out.stype != kServiceProperties) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    out.service = service_.load(std::memory_order_relaxed);
    out.isOverridden = false;
    return ZE_RESULT_SUCCESS;
}

Status CommandQueue::execute(std::uint32_t count, const ze_command_list_handle_t* lists, Fence* fence) {
    if (count == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
    auto sequences = zetl::driver::closedSequences<CommandList>(count, lists, engine_);
    if (!sequences) return sequences.code();
    if (fence && !fence->belongsTo(*this))
        return refuse(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT, "the fence was created for another queue");
    auto done = fence ? fence->state() : nullptr;
    if (engine_.synchronous()) return stream_->submitAndWait(*std::move(sequences), std::move(done));
    const auto submitted = stream_->submit(*std::move(sequences), std::move(done));
    return submitted ? ZE_RESULT_SUCCESS : submitted.code();
}

}  // namespace zetl::emulator::driver
