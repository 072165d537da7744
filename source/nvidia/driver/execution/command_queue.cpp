#include "nvidia/driver/execution/command_queue.h"

#include "nvidia/driver/execution/command_list.h"
#include "nvidia/driver/execution/fence.h"

namespace zetl::nvidia {

Result<std::shared_ptr<CommandQueue>> CommandQueue::create(std::shared_ptr<Context> context, Context::Member place,
                                                           const ze_command_queue_desc_t& description) {
    auto engine = engineOf(std::move(context), std::move(place), description);
    if (!engine) return engine.code();
    auto stream = Stream::create(engine->context, engine->place, engine->priority);
    if (!stream) return stream.code();
    return std::make_shared<CommandQueue>(*std::move(engine), *std::move(stream));
}

Status CommandQueue::executeCommandLists(std::uint32_t count, ze_command_list_handle_t* lists,
                                         std::shared_ptr<Fence> fence) {
    if (count == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
    if (fence && !fence->belongsTo(*this))
        return refuse(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT, "the fence was created for another queue");
    const auto sequences = driver::closedSequences<CommandList>(count, lists, engine_);
    if (!sequences) return sequences.code();
    for (const auto& sequence : *sequences)
        if (const Status bad = stream_->submit(*sequence); bad != ZE_RESULT_SUCCESS) return bad;
    if (fence) {
        const auto signal = [fence](CUstream stream) { return fence->appendSignal(stream); };
        const Status bad = stream_->submit({{{}, signal, Submission::mayWait}});
        if (bad != ZE_RESULT_SUCCESS) return bad;
    }
    return engine_.synchronous() ? stream_->synchronize(kForever) : ZE_RESULT_SUCCESS;
}

Status CommandQueue::getOrdinal(std::uint32_t* out) {
    *out = engine_.ordinal;
    return ZE_RESULT_SUCCESS;
}

Status CommandQueue::getIndex(std::uint32_t* out) {
    *out = engine_.index;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
