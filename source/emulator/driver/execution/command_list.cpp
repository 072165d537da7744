#include "emulator/driver/execution/command_list.h"

#include "driver/append_parameters.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/tool_observer.h"
#include "emulator/driver/execution/api_checks.h"
#include "emulator/driver/execution/graph.h"
#include "emulator/driver/execution/visitor.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

Result<std::shared_ptr<CommandList>> CommandList::create(std::shared_ptr<Context> context,
                                                         std::shared_ptr<Device> device,
                                                         const ze_command_list_desc_t& description) {
    auto engine = engineOf(std::move(context), std::move(device), description);
    if (!engine) return engine.code();
    const bool changes = findInChain<ze_mutable_command_list_exp_desc_t>(
        &description, ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC);
    return std::make_shared<CommandList>(*std::move(engine), changes ? Kind::mutableRegular : Kind::regular);
}

Result<std::shared_ptr<CommandList>> CommandList::createImmediate(std::shared_ptr<Context> context,
                                                                  std::shared_ptr<Device> device,
                                                                  const ze_command_queue_desc_t& description) {
    auto engine = engineOf(std::move(context), std::move(device), description);
    if (!engine) return engine.code();
    return std::make_shared<CommandList>(*std::move(engine), Kind::immediate);
}

Result<std::shared_ptr<CommandList>> CommandList::clone() {
    if (immediate()) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "an immediate list has nothing to clone");
    auto copy = std::make_shared<CommandList>(engine_, isMutable() ? Kind::mutableRegular : Kind::regular);
    const Lock guard(mutex_);
    if (const auto closed = recording_.closedSequence(); !closed) return closed.code();
    const Lock fresh(copy->mutex_);
    copy->recording_ = recording_;
    copy->calls_ = calls_;
    copy->ids_ = ids_;
    return copy;
}

CommandList::CommandList(Engine engine, Kind kind)
    : MutableList(kind == Kind::mutableRegular),
      engine_(std::move(engine)),
      stream_(kind == Kind::immediate ? std::make_shared<Stream>(engine_, Stream::Use::immediateList) : nullptr) {
    if (const auto observer = toolObserver(); observer && immediate()) observer->queueCreated(*engine_.device);
}

CommandList::~CommandList() {
    if (captures::any()) captures::forget(*this);
    if (const auto observer = toolObserver(); observer && immediate()) observer->queueDestroyed(*engine_.device);
}

bool CommandList::inOrder() const noexcept {
    const std::uint32_t flag =
        immediate() ? std::uint32_t{ZE_COMMAND_QUEUE_FLAG_IN_ORDER} : std::uint32_t{ZE_COMMAND_LIST_FLAG_IN_ORDER};
    return engine_.flags & flag;
}

Result<CommandList::Made> CommandList::makeCommand(std::unique_ptr<const Operation> operation,
                                                   const EventUse& events) const {
    Made made;
    made.command.operation = std::move(operation);
    made.command.inOrder = inOrder();
    const Status waits = setWaits(made.command, events.waitCount, events.waits, NullWaits::refused);
    if (waits != ZE_RESULT_SUCCESS) return waits;
    auto claim = claimSignal(made.command, events.signal, {inOrder(), immediate()});
    if (!claim) return claim.code();
    made.claim = *std::move(claim);
    return made;
}

/// If the list is lost, its event shows that, too.
Status CommandList::submit(std::vector<std::shared_ptr<const CommandSequence>> sequences, const Event::Claim& claim) {
    if (engine_.synchronous()) {
        const Status done = stream_->submitAndWait(std::move(sequences));
        if (done == ZE_RESULT_SUCCESS || done == ZE_RESULT_ERROR_DEVICE_LOST) claim.keep();
        return done;
    }
    const auto number = stream_->submit(std::move(sequences));
    if (number)
        claim.keep({stream_, *number});
    else if (number.code() == ZE_RESULT_ERROR_DEVICE_LOST)
        claim.keep();
    return number ? ZE_RESULT_SUCCESS : number.code();
}

Status CommandList::append(std::unique_ptr<const Operation> operation, const EventUse& events) {
    if (captures::any()) {
        const auto recorded = recordIfCaptured(*this, operation, events);
        if (!recorded || *recorded) return recorded.code();
    }
    auto made = makeCommand(std::move(operation), events);
    if (!made) return made.code();
    if (immediate()) {
        auto single = std::make_shared<CommandSequence>();
        single->push_back(std::move(made->command));
        return submit({std::move(single)}, made->claim);
    }
    const Lock guard(mutex_);
    if (recording_.closed()) noteListMisuse("appended to while it is closed");
    const Status appended = recording_.append(std::move(made->command));
    if (appended == ZE_RESULT_SUCCESS) made->claim.keep();
    if (appended == ZE_RESULT_SUCCESS && visitable())
        if (auto call = recordCurrentCall()) calls_.push_back(std::move(call));
    return appended;
}

Status CommandList::appendLists(std::uint32_t count, const ze_command_list_handle_t* lists, const EventUse& events) {
    if (!immediate()) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "only immediate lists execute other lists");
    if (captures::any())
        if (const Status bad = captures::checkUnrecordable(*this, events); bad != ZE_RESULT_SUCCESS) return bad;
    auto head = std::make_shared<CommandSequence>();
    auto tail = std::make_shared<CommandSequence>();
    auto sequences = zetl::driver::closedSequences<CommandList>(count, lists, engine_);
    if (!sequences) return sequences.code();
    auto before = makeCommand(nullptr, {nullptr, events.waitCount, events.waits});
    auto after = makeCommand(nullptr, {events.signal, 0, nullptr});
    if (!before || !after) return before ? after.code() : before.code();
    head->push_back(std::move(before->command));
    tail->push_back(std::move(after->command));
    sequences->insert(sequences->begin(), std::move(head));
    sequences->push_back(std::move(tail));
    return submit(*std::move(sequences), after->claim);
}

Result<Signaller> CommandList::enqueue(Submission submission) {
    auto before = makeCommand(nullptr, {nullptr, submission.events.waitCount, submission.events.waits});
    auto after = makeCommand(nullptr, {submission.events.signal, 0, nullptr});
    if (!before || !after) return before ? after.code() : before.code();
    if (submission.after) before->command.waits.push_back(std::move(submission.after));
    auto& sequences = submission.sequences;
    if (!before->command.waits.empty())
        sequences.insert(sequences.begin(), std::make_shared<CommandSequence>(1, std::move(before->command)));
    if (after->command.signal) sequences.push_back(std::make_shared<CommandSequence>(1, std::move(after->command)));
    const auto number = stream_->submit(std::move(sequences), std::move(submission.done));
    if (!number) {
        if (number.code() == ZE_RESULT_ERROR_DEVICE_LOST) after->claim.keep();
        return number.code();
    }
    const Signaller by{stream_, *number};
    after->claim.keep(by);
    return by;
}

Status CommandList::close() {
    const Lock guard(mutex_);
    if (!immediate()) recording_.close();
    return ZE_RESULT_SUCCESS;
}

void CommandList::noteEnd(const char* what) noexcept {
    const Lock guard(mutex_);
    if (!immediate() && !recording_.commands().empty()) noteListEnd(&recording_.commands(), what);
}

Status CommandList::reset() {
    noteEnd("reset");
    const Lock guard(mutex_);
    recording_.reset();
    ids_.clear();
    calls_.clear();
    return ZE_RESULT_SUCCESS;
}

bool CommandList::visitable() const noexcept {
    constexpr ze_command_list_flags_t kEnableVisit = ZE_BIT(6);  // headers before specification 1.20 lack it
    return !immediate() && (engine_.flags & kEnableVisit);
}

Status CommandList::visit(const VisitDescription& description, ze_result_t& answer) {
    if (!visitable())
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                      "the list cannot be visited; create a regular one with flag 0x40, ..._ENABLE_COMMAND_VISIT");
    RecordedCalls calls;
    {
        const Lock guard(mutex_);
        calls = calls_;
    }
    const auto visitor = Visitor::of(description);
    if (visitor) answer = visitor->visitAll(calls);
    return visitor.code();
}

Status CommandList::synchronize(std::uint64_t nanoseconds) {
    if (const Status bad = checkWait(immediate()); bad != ZE_RESULT_SUCCESS) return bad;
    if (captures::any() && captures::graphOf(*this))
        return refuse(ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED,
                      "the list records into a graph; end its capture first");
    return stream_->synchronize(nanoseconds);
}

Result<std::shared_ptr<const CommandSequence>> CommandList::closedSequence(const Engine& engine) {
    const bool sameDevice = &engine.device->root() == &engine_.device->root();
    const Status bad = checkExecution(immediate(), engine_, engine, sameDevice);
    if (bad != ZE_RESULT_SUCCESS) return bad;
    const Lock guard(mutex_);
    if (!recording_.closed()) noteListMisuse("executed while it is open");
    return recording_.closedSequence();
}

ze_command_list_flags_t CommandList::flags() const noexcept {
    if (!immediate()) return engine_.flags;
    return inOrder() ? ZE_COMMAND_LIST_FLAG_IN_ORDER : 0;
}

Status CommandList::appendListsWithParameters(std::uint32_t count, const ze_command_list_handle_t* lists,
                                              const void* parameters, const EventUse& events) {
    if (const Status bad = noParameters(parameters); bad != ZE_RESULT_SUCCESS) return bad;
    return appendLists(count, lists, events);
}

}  // namespace zetl::emulator::driver
