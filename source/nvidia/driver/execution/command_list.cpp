#include "nvidia/driver/execution/command_list.h"

#include "nvidia/driver/execution/graph.h"

namespace zetl::nvidia {

Result<std::shared_ptr<CommandList>> CommandList::create(std::shared_ptr<Context> context, Context::Member place,
                                                         const ze_command_list_desc_t& description) {
    auto engine = engineOf(std::move(context), std::move(place), description);
    if (!engine) return engine.code();
    const bool changes = driver::findInChain<ze_mutable_command_list_exp_desc_t>(
        &description, ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC);
    return std::make_shared<CommandList>(*std::move(engine), nullptr, changes);
}

Result<std::shared_ptr<CommandList>> CommandList::create(std::shared_ptr<Context> context, Context::Member place,
                                                         const ze_command_queue_desc_t& description) {
    auto engine = engineOf(std::move(context), std::move(place), description);
    if (!engine) return engine.code();
    auto stream = Stream::create(engine->context, engine->place, engine->priority);
    if (!stream) return stream.code();
    return std::make_shared<CommandList>(*std::move(engine), *std::move(stream));
}

CommandList::~CommandList() {
    if (captures::any()) captures::forget(*this);
}

Status CommandList::execute(const CommandSequence& commands) {
    const Status status = stream_->submit(commands);
    return status == ZE_RESULT_SUCCESS ? finishAppending() : status;
}

Status CommandList::record(Command command) {
    const Lock guard(mutex_);
    return recording_.append(std::move(command));
}

Status CommandList::finishAppending() {
    return engine_.synchronous() ? stream_->synchronize(kForever) : ZE_RESULT_SUCCESS;
}

Status CommandList::close() {
    const Lock guard(mutex_);
    if (!immediate()) recording_.close();
    return ZE_RESULT_SUCCESS;
}

Status CommandList::reset() {
    const Lock guard(mutex_);
    recording_.reset();
    ids_.clear();
    return ZE_RESULT_SUCCESS;
}

Status CommandList::hostSynchronize(std::uint64_t nanoseconds) {
    if (const Status bad = driver::checkWait(immediate()); bad != ZE_RESULT_SUCCESS) return bad;
    if (captures::any() && captures::graphOf(*this))
        return refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED,
                      "the list records into a graph; end its capture first");
    return stream_->synchronize(nanoseconds);
}

Result<std::shared_ptr<const CommandSequence>> CommandList::closedSequence(const Engine& engine) {
    const bool sameDevice = engine.place.device == engine_.place.device;
    const Status bad = driver::checkExecution(immediate(), engine_, engine, sameDevice);
    if (bad != ZE_RESULT_SUCCESS) return bad;
    const Lock guard(mutex_);
    return recording_.closedSequence();
}

Status CommandList::appendLists(std::uint32_t count, ze_command_list_handle_t* lists, ze_event_handle_t signal,
                                std::uint32_t waitCount, ze_event_handle_t* waits) {
    if (!immediate()) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "only immediate lists execute other lists");
    if (captures::any())
        if (const Status bad = captures::checkUnrecordable(*this, {signal, waitCount, waits}); bad != ZE_RESULT_SUCCESS)
            return bad;
    const auto sequences = driver::closedSequences<CommandList>(count, lists, engine_);
    if (!sequences) return sequences.code();
    // Commands of the lists may wait for events of their own, so they are submitted as such.
    auto before = eventsOf({nullptr, waitCount, waits});
    auto after = eventsOf({signal, 0, nullptr});
    if (!before || !after) return before ? after.code() : before.code();
    CommandSequence all{{*std::move(before), noWork, Submission::mayWait}};
    for (const auto& sequence : *sequences) all.insert(all.end(), sequence->begin(), sequence->end());
    all.push_back({*std::move(after), noWork, Submission::mayWait});
    return execute(all);
}

Status CommandList::appendSubmitterWork(std::function<Status(CUstream)> work, const EventUse& use) {
    return append(
        use, Submission::mayWait, work, [&work] { return std::move(work); }, [] { return Command::Node{}; });
}

Status CommandList::getDevice(ze_device_handle_t* out) {
    *out = engine_.place.device->handle();
    return ZE_RESULT_SUCCESS;
}

Status CommandList::getContext(ze_context_handle_t* out) {
    *out = engine_.context->handle();
    return ZE_RESULT_SUCCESS;
}

Status CommandList::getOrdinal(std::uint32_t* out) {
    *out = engine_.ordinal;
    return ZE_RESULT_SUCCESS;
}

Status CommandList::getIndex(std::uint32_t* out) {
    if (!immediate()) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list is not immediate");
    *out = engine_.index;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
