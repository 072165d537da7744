#include "emulator/driver/execution/command_checks.h"

#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include "base/log.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/execution/checks.h"
#include "emulator/driver/execution/object_places.h"
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
    const check::Clock host = all.order.host();
    all.unfinished.seen(host);
    all.host.seen(host);
}

/// Host memory that the command may use is watched, until the host has waited for it.
void watchHost(Checks& all, const UnfinishedCommands::Entry& entry) {
    if (!all.groups.has(zetl::check::Group::race)) return;
    for (const std::uint64_t address : entry.footprint.addresses) {
        const auto allocation = platform().memory().find(address);
        if (!allocation) continue;
        if (allocation->kind == machine::MemoryKind::host || allocation->kind == machine::MemoryKind::shared)
            all.host.watch(allocation->begin, allocation->bytes(), entry.number);
    }
}

void tell(Checks& all, const check::CommandRecord& command) {
    for (zetl::check::Finding& finding : all.checker.takeCommand(command)) {
        addPlaces(all, finding);
        all.file.write(finding);
    }
}

/// What the host has accessed since the last call was before whatever it does next.
void tellHostAccesses(Checks& all) {
    for (const HostAccesses::Access& access : all.host.take()) {
        auto record = std::make_shared<check::CommandRecord>();
        record->before = all.order.host();
        record->number = all.order.hostActs();
        record->name = "the host";
        record->host = true;
        all.checker.begin(record);
        {
            machine::Quiescence::Reader reader(platform().memory().quiescence());
            reader.enter();
            all.checker.transfer(*record, access.address, 1, access.write);
            reader.leave();
        }
        tell(all, *record);
        all.checker.end();
    }
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
        tellHostAccesses(all);
        ticket = all.order.submit(count);
        std::uint64_t number = ticket.first;
        for (const auto& sequence : sequences)
            for (const Command& command : *sequence) {
                UnfinishedCommands::Entry entry = unfinishedEntry(stream, sequence, command, number);
                watchHost(all, entry);
                all.unfinished.add(std::move(entry));
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
        if (command.operation) opened_ = all.host.open();
    });
}

void CheckedRun::end(const Command& command) noexcept {
    if (number_ == 0) return;
    withChecks([&](Checks& all) {
        if (const auto rights = std::exchange(opened_, std::nullopt)) all.host.close(*rights);
        if (current_.record) {
            tell(all, *current_.record);
            all.checker.end();
        }
        all.order.end(stream_, current_.order, command.signal);
    });
}

void CheckedRun::pass(const Command& command) noexcept {
    if (number_ == 0) return;
    withChecks([&](Checks& all) {
        if (const auto rights = std::exchange(opened_, std::nullopt)) all.host.close(*rights);  // it threw
        all.unfinished.ended(number_);
    });
    number_ += stepsOf(command);
}

void noteLoss(const Stream& stream) noexcept {
    withChecks([&](Checks& all) { all.unfinished.drop(stream); });
}

void noteEnd(check::CommandOrder::Stream& stream, const std::shared_ptr<SignalState>& done) noexcept {
    withChecks([&](Checks& all) { all.order.endSubmission(stream, done); });
}

void noteReset(const std::shared_ptr<SignalState>& state) noexcept {
    withChecks([&](Checks& all) { all.order.reset(state); });
}

void noteHostSignal(const std::shared_ptr<SignalState>& state) noexcept {
    withChecks([&](Checks& all) {
        tellHostAccesses(all);
        all.order.hostSignals(state);
    });
}

void noteSeen(const std::shared_ptr<SignalState>& state) noexcept {
    withChecks([&](Checks& all) {
        tellHostAccesses(all);
        all.order.hostSaw(state);
        forgetSeen(all);
    });
}

void noteSeen(const check::CommandOrder::Stream& stream) noexcept {
    withChecks([&](Checks& all) {
        tellHostAccesses(all);
        all.order.hostSaw(stream);
        forgetSeen(all);
    });
}

void noteAllSeen() noexcept {
    withChecks([&](Checks& all) {
        tellHostAccesses(all);
        all.order.hostSawAll();
        forgetSeen(all);
    });
}

void giveHostTime() noexcept {
    constexpr std::chrono::milliseconds kTime{2};
    withChecks([&](Checks& all) {
        if (all.host.any()) std::this_thread::sleep_for(kTime);
    });
}

void noteHostCall(const CheckedCommand* command) noexcept {
    if (command != nullptr) withChecks([&](Checks& all) { all.order.hostRuns(command->order); });
}

}  // namespace zetl::emulator::driver
