#include "emulator/driver/execution/command_checks.h"

#include <new>

#include "base/log.h"
#include "emulator/driver/execution/checks.h"
#include "emulator/driver/execution/stream.h"

namespace zetl::emulator::driver {
namespace {

/// Runs it with the checks, if there are any.
template <class F>
void withChecks(F&& f) noexcept try {
    if (Checks* const all = checks()) f(*all);
} catch (const std::bad_alloc&) {
    log::error(log::Channel::emulator, "check: no host memory to follow a command; races with it may be missed");
}

std::uint32_t stepsOf(const Command& command) noexcept { return command.operation ? command.operation->steps() : 1; }

check::CommandOrder::Kind orderingOf(const Command& command) noexcept {
    using Kind = check::CommandOrder::Kind;
    if (command.inOrder) return Kind::barrier;
    if (!command.operation) return Kind::signal;
    return command.operation->kind() == CommandKind::barrier ? Kind::barrier : Kind::work;
}

const char* commandName(const Command& command) noexcept {
    if (command.operation) return command.operation->name();
    return command.waits.empty() ? "signal of an event" : "wait for events";
}

UnfinishedCommands::Entry unfinishedEntry(const Stream& stream, const std::shared_ptr<const CommandSequence>& sequence,
                                          const Command& command, std::uint64_t number) {
    UnfinishedCommands::Entry entry;
    entry.number = number;
    entry.stream = &stream;
    entry.sequence = sequence.get();
    entry.places = {stream.weak_from_this(), sequence};
    entry.name = commandName(command);
    if (command.operation) command.operation->addTo(entry.footprint);
    entry.waits = command.waits;
    entry.signal = command.signal;
    return entry;
}

void forgetSeen(Checks& all) {
    all.unfinished.seen(all.order.host());
}

}  // namespace

std::shared_ptr<const check::CommandRecord> recordOf(CheckedCommand& command) noexcept {
    withChecks([&](Checks& all) {
        if (command.record) return;
        auto record = std::make_shared<check::CommandRecord>();
        record->number = command.order.number;
        record->name = command.name;
        record->before = command.order.before;
        all.checker.begin(record);
        command.record = std::move(record);
    });
    return command.record;
}

CheckedTicket noteSubmission(const Stream& stream,
                             const std::vector<std::shared_ptr<const CommandSequence>>& sequences) noexcept {
    CheckedTicket ticket;
    withChecks([&](Checks& all) {
        std::uint64_t count = 0;
        for (const auto& sequence : sequences)
            for (const Command& command : *sequence) {
                count += stepsOf(command);
                if (command.renewsSignal) all.order.reset(command.signal);
            }
        ticket = all.order.submit(count);
        std::uint64_t number = ticket.first;
        for (const auto& sequence : sequences)
            for (const Command& command : *sequence) {
                all.unfinished.add(unfinishedEntry(stream, sequence, command, number));
                number += stepsOf(command);
            }
    });
    return ticket;
}

CheckedRun::CheckedRun(check::CommandOrder::Stream& stream, const CheckedTicket& ticket) noexcept
    : stream_(stream), ticket_(ticket), number_(ticket.first) {}

void CheckedRun::separate() noexcept {
    if (number_ != 0) withChecks([&](Checks& all) { all.order.separate(stream_); });
}

void CheckedRun::begin(const Command& command) noexcept {
    if (number_ == 0) return;
    withChecks([&](Checks& all) {
        current_ = {};
        current_.name = commandName(command);
        current_.order.number = number_;
        current_.order.steps = stepsOf(command);
        current_.order.kind = orderingOf(command);
        const std::vector<check::CommandOrder::Event> waits(command.waits.begin(), command.waits.end());
        all.order.begin(stream_, ticket_, waits, current_.order);
        all.unfinished.begun(number_);
    });
}

void CheckedRun::end(const Command& command) noexcept {
    if (number_ == 0) return;
    withChecks([&](Checks& all) {
        if (current_.record) {
            all.file.write(all.checker.takeCommand(*current_.record));
            all.checker.end();
        }
        all.order.end(stream_, current_.order, command.signal);
    });
}

void CheckedRun::pass(const Command& command) noexcept {
    if (number_ == 0) return;
    withChecks([&](Checks& all) { all.unfinished.ended(number_); });
    number_ += stepsOf(command);
}

void noteEnd(check::CommandOrder::Stream& stream, const std::shared_ptr<SignalState>& done) noexcept {
    withChecks([&](Checks& all) { all.order.endSubmission(stream, done); });
}

void noteReset(const std::shared_ptr<SignalState>& state) noexcept {
    withChecks([&](Checks& all) { all.order.reset(state); });
}

void noteHostSignal(const std::shared_ptr<SignalState>& state) noexcept {
    withChecks([&](Checks& all) { all.order.hostSignals(state); });
}

void noteSeen(const std::shared_ptr<SignalState>& state) noexcept {
    withChecks([&](Checks& all) {
        all.order.hostSaw(state);
        forgetSeen(all);
    });
}

void noteSeen(const check::CommandOrder::Stream& stream) noexcept {
    withChecks([&](Checks& all) {
        all.order.hostSaw(stream);
        forgetSeen(all);
    });
}

void noteAllSeen() noexcept {
    withChecks([&](Checks& all) {
        all.order.hostSawAll();
        forgetSeen(all);
    });
}

void noteHostCall(const CheckedCommand* command) noexcept {
    if (command != nullptr) withChecks([&](Checks& all) { all.order.hostRuns(command->order); });
}

}  // namespace zetl::emulator::driver
