#include "emulator/check/command_order.h"

#include <algorithm>

namespace zetl::emulator::check {
namespace {

void join(Clock& clock, const Clock& other) {
    if (!other || clock == other) return;
    if (!clock) {
        clock = other;
        return;
    }
    auto both = std::make_shared<CommandSet>(*clock);
    both->add(*other);
    clock = std::move(both);
}

void join(Clock& clock, const CommandOrder::Command& command) {
    auto more = clock ? std::make_shared<CommandSet>(*clock) : std::make_shared<CommandSet>();
    for (std::uint32_t i = 0; i < command.steps; ++i) more->add(command.number + i);
    clock = std::move(more);
}

}  // namespace

CommandOrder::Ticket CommandOrder::submit(std::uint64_t commands) {
    const Lock guard(mutex_);
    Ticket ticket{last_ + 1, host_};
    last_ += commands;
    return ticket;
}

void CommandOrder::separate(Stream& stream) {
    const Lock guard(mutex_);
    join(stream.base_, stream.begun_);
}

void CommandOrder::begin(Stream& stream, const Ticket& ticket, std::span<const Event> waits, Command& command) {
    const Lock guard(mutex_);
    Clock before = stream.base_;
    join(before, ticket.host);
    for (const Event& event : waits)
        if (event) join(before, clockOf(event));
    if (command.kind == Kind::barrier) join(before, stream.begun_);
    if (command.kind != Kind::work) stream.base_ = before;
    command.before = before;
    join(stream.begun_, before);
}

void CommandOrder::end(Stream& stream, const Command& command, const Event& signal) {
    const Lock guard(mutex_);
    join(stream.begun_, command);
    join(everything_, command);
    Clock end = command.kind == Kind::signal ? stream.begun_ : command.before;
    join(end, command);
    if (command.kind == Kind::barrier) join(stream.base_, end);
    if (signal) this->signal(signal, end);
}

void CommandOrder::endSubmission(Stream& stream, const Event& done) {
    const Lock guard(mutex_);
    stream.ended_ = stream.begun_;
    if (done) signal(done, stream.ended_);
}

/// What is already signalled is seen by waits without the new signal.
void CommandOrder::signal(const Event& event, const Clock& clock) {
    Signal& entry = entryOf(event);
    if (entry.signalled) return;
    entry.signalled = true;
    entry.clock = clock;
}

void CommandOrder::reset(const Event& event) {
    const Lock guard(mutex_);
    Signal& entry = entryOf(event);
    entry.signalled = false;
    entry.clock = nullptr;
}

void CommandOrder::hostSignals(const Event& event) {
    const Lock guard(mutex_);
    signal(event, host_);
}

void CommandOrder::hostSaw(const Event& event) {
    const Lock guard(mutex_);
    join(host_, clockOf(event));
}

void CommandOrder::hostSaw(const Stream& stream) {
    const Lock guard(mutex_);
    join(host_, stream.ended_);
}

void CommandOrder::hostSawAll() {
    const Lock guard(mutex_);
    join(host_, everything_);
}

void CommandOrder::hostRuns(const Command& command) {
    const Lock guard(mutex_);
    join(host_, command.before);
}

Clock CommandOrder::host() const {
    const Lock guard(mutex_);
    return host_;
}

std::uint64_t CommandOrder::hostActs() {
    const Lock guard(mutex_);
    const Command act{++last_, 1, Kind::work, nullptr};
    join(host_, act);
    join(everything_, act);
    return act.number;
}

/// An event that nobody here has signalled is another process's: it may stand for anything.
const Clock& CommandOrder::clockOf(const Event& event) const {
    const auto found = signals_.find(event.get());
    const bool known = found != signals_.end() && found->second.signalled && !found->second.event.expired();
    return known ? found->second.clock : everything_;
}

CommandOrder::Signal& CommandOrder::entryOf(const Event& event) {
    if (signals_.size() >= purgeAt_) {
        std::erase_if(signals_, [](const auto& entry) { return entry.second.event.expired(); });
        purgeAt_ = std::max(purgeAt_, 2 * signals_.size());
    }
    Signal& entry = signals_[event.get()];
    if (entry.event.expired()) entry = {event, nullptr, false};
    return entry;
}

}  // namespace zetl::emulator::check
