#include "emulator/driver/command_list.h"

#include "emulator/driver/boundary.h"
#include "emulator/driver/device.h"
#include "emulator/driver/event.h"
#include "emulator/driver/tool_observer.h"

namespace zetl::emulator::driver {

Result<std::shared_ptr<CommandList>> CommandList::create(std::shared_ptr<Context> context,
                                                         std::shared_ptr<Device> device,
                                                         const ze_command_list_desc_t& description) {
    auto engine = engineOf(std::move(context), std::move(device), description);
    if (!engine) return engine.code();
    return std::make_shared<CommandList>(*std::move(engine), false);
}

Result<std::shared_ptr<CommandList>> CommandList::createImmediate(std::shared_ptr<Context> context,
                                                                  std::shared_ptr<Device> device,
                                                                  const ze_command_queue_desc_t& description) {
    auto engine = engineOf(std::move(context), std::move(device), description);
    if (!engine) return engine.code();
    return std::make_shared<CommandList>(*std::move(engine), true);
}

Result<std::shared_ptr<CommandList>> CommandList::clone() {
    if (immediate()) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "an immediate list has nothing to clone");
    auto copy = std::make_shared<CommandList>(engine_, false);
    std::lock_guard guard(mutex_);
    if (!closed_) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list is not closed");
    copy->recorded_ = std::make_shared<CommandSequence>(*recorded_);
    copy->closed_ = true;
    return copy;
}

CommandList::CommandList(Engine engine, bool immediate)
    : engine_(std::move(engine)), stream_(immediate ? std::make_shared<Stream>(engine_.device) : nullptr) {
    if (const auto observer = toolObserver(); observer && immediate) observer->queueCreated(*engine_.device);
}

CommandList::~CommandList() {
    if (const auto observer = toolObserver(); observer && immediate()) observer->queueDestroyed(*engine_.device);
}

Result<Command> CommandList::makeCommand(std::unique_ptr<const Operation> operation, const EventUse& events) {
    if (events.waitCount > 0 && !events.waits)
        return refuse(ZE_RESULT_ERROR_INVALID_SIZE, "{} events to wait for, but no list of them", events.waitCount);
    Command command;
    command.operation = std::move(operation);
    for (std::uint32_t i = 0; i < events.waitCount; ++i) {
        const auto event = find<Event>(events.waits[i]);
        if (!event) return event.code();
        command.waits.push_back((*event)->state());
    }
    if (events.signal) {
        const auto event = find<Event>(events.signal);
        if (!event) return event.code();
        command.signal = (*event)->stateToSignal();
        command.renewsSignal = (*event)->pool().counterBased();
    }
    return command;
}

Status CommandList::submit(std::vector<std::shared_ptr<const CommandSequence>> sequences) {
    const Status accepted = stream_->submit(std::move(sequences));
    return accepted == ZE_RESULT_SUCCESS && engine_.synchronous ? stream_->synchronize(kForever) : accepted;
}

Status CommandList::append(std::unique_ptr<const Operation> operation, const EventUse& events) {
    auto command = makeCommand(std::move(operation), events);
    if (!command) return command.code();
    if (immediate()) {
        auto single = std::make_shared<CommandSequence>();
        single->push_back(*std::move(command));
        return submit({std::move(single)});
    }
    std::lock_guard guard(mutex_);
    if (closed_) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list is closed; reset it before appending");
    recorded_->push_back(*std::move(command));
    return ZE_RESULT_SUCCESS;
}

Status CommandList::appendLists(std::uint32_t count, const ze_command_list_handle_t* lists, const EventUse& events) {
    if (!immediate()) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "only immediate lists execute other lists");
    auto head = std::make_shared<CommandSequence>(), tail = std::make_shared<CommandSequence>();
    std::vector<std::shared_ptr<const CommandSequence>> sequences{head};
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto list = find<CommandList>(lists[i]);
        if (!list) return list.code();
        auto sequence = (*list)->closedSequence(engine_);
        if (!sequence) return sequence.code();
        sequences.push_back(*std::move(sequence));
    }
    auto before = makeCommand(nullptr, {nullptr, events.waitCount, events.waits});
    auto after = makeCommand(nullptr, {events.signal, 0, nullptr});
    if (!before || !after) return before ? after.code() : before.code();
    head->push_back(*std::move(before));
    tail->push_back(*std::move(after));
    sequences.push_back(std::move(tail));
    return submit(std::move(sequences));
}

Status CommandList::close() {
    std::lock_guard guard(mutex_);
    closed_ = !immediate();
    return ZE_RESULT_SUCCESS;
}

Status CommandList::reset() {
    auto fresh = std::make_shared<CommandSequence>();
    std::lock_guard guard(mutex_);
    recorded_ = std::move(fresh);
    closed_ = false;
    return ZE_RESULT_SUCCESS;
}

Status CommandList::synchronize(std::uint64_t nanoseconds) {
    if (!immediate())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "only immediate lists can be waited for; wait for the queue");
    return stream_->synchronize(nanoseconds);
}

Result<std::shared_ptr<const CommandSequence>> CommandList::closedSequence(const Engine& engine) {
    if (immediate()) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "an immediate list cannot be executed by a queue");
    if (engine.ordinal != engine_.ordinal || &engine.device->root() != &engine_.device->root())
        return refuse(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
                      "the list is for queue group {}, the queue is of group {}", engine_.ordinal, engine.ordinal);
    std::lock_guard guard(mutex_);
    if (!closed_) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the list is not closed");
    return std::shared_ptr<const CommandSequence>(recorded_);
}

}  // namespace zetl::emulator::driver
