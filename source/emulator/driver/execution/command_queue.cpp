#include "emulator/driver/execution/command_queue.h"

#include "emulator/driver/device/device.h"
#include "emulator/driver/device/tool_observer.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/fence.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

Result<std::shared_ptr<CommandQueue>> CommandQueue::create(std::shared_ptr<Context> context,
                                                           std::shared_ptr<Device> device,
                                                           const ze_command_queue_desc_t& description) {
    auto engine = engineOf(std::move(context), std::move(device), description);
    if (!engine) return engine.code();
    return std::make_shared<CommandQueue>(*std::move(engine));
}

CommandQueue::CommandQueue(Engine engine)
    : engine_(std::move(engine)),
      priority_(engine_.priority),
      stream_(std::make_shared<Stream>(engine_.device, Stream::Use::queue)) {
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
