#include "emulator/driver/execution/stream.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <new>

#include "base/log.h"
#include "base/service_thread.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/in_flight.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/device/tool_observer.h"
#include "emulator/driver/program/printf_output.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

constexpr std::chrono::milliseconds kIdleLife{1000};

template <class F>
void forEachCommand(const std::vector<std::shared_ptr<const CommandSequence>>& sequences, F&& visit) {
    for (const auto& sequence : sequences) std::for_each(sequence->begin(), sequence->end(), visit);
}

void abandon(const Command& command) {
    if (command.signal) command.signal->lose();
}

/// A launch on several tiles has a part on each; everything else runs on the first.
void tell(Device& device, CommandKind kind, const SignalState::Times& times) {
    const auto observer = toolObserver();
    if (!observer) return;
    std::array<CommandPart, SignalState::kMostTiles> parts{CommandPart{0, times.start, times.end}};
    for (std::uint32_t i = 0; i < times.tileCount; ++i) parts[i] = {i, times.tiles[i].start, times.tiles[i].end};
    observer->commandExecuted(device, {kind, std::span(parts).first(std::max(times.tileCount, 1u))});
}

}  // namespace

Status Stream::refuseAsLost(const Sequences& sequences, const std::shared_ptr<SignalState>& done) const {
    forEachCommand(sequences, abandon);
    if (done) done->lose();
    return ZE_RESULT_ERROR_DEVICE_LOST;
}

/// False, with a line in the log: the system gives no thread.
bool Stream::haveWorker() {
    if (hasWorker_) return true;
    auto thread = ServiceThread::start(log::Channel::emulator, "zetl-queue",
                                       [self = shared_from_this()]() mutable { std::move(self)->work(kIdleLife); });
    if (thread) thread->detach();
    return hasWorker_ = thread.has_value();
}

void Stream::enqueue(Sequences sequences, std::shared_ptr<SignalState> done) {
    waiting_.push_back({std::move(sequences), std::move(done), 0});
    try {
        waiting_.back().number = InFlight::instance().begin();
    } catch (const std::bad_alloc&) {
        waiting_.pop_back();
        throw;
    }
    forEachCommand(waiting_.back().sequences, [](const Command& command) {
        if (command.renewsSignal) command.signal->reset();
    });
    ++submitted_;
}

Result<std::uint64_t> Stream::submit(Sequences sequences, std::shared_ptr<SignalState> done) {
    const Lock guard(mutex_);
    if (lost()) return refuseAsLost(sequences, done);
    if (!haveWorker())
        return refuse(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY,
                      "no thread for a command queue; raise the limit on processes (ulimit -u), or use a synchronous "
                      "queue, which does without");
    enqueue(std::move(sequences), std::move(done));
    if (mayTake()) wakeWorker_.notify_one();
    return submitted_;
}

Status Stream::submitAndWait(Sequences sequences, std::shared_ptr<SignalState> done) {
    std::uint64_t own = 0;
    {
        const Lock guard(mutex_);
        if (lost()) return refuseAsLost(sequences, done);
        enqueue(std::move(sequences), std::move(done));
        own = submitted_;
    }
    serveUntil(own);
    return waitFor(own, kForever);
}

Stream::Submission Stream::take() {
    Submission first = std::move(waiting_.front());
    waiting_.pop_front();
    executing_ = true;
    return first;
}

bool Stream::mayHelp() const {
    if (!mayTake()) return false;
    bool waits = false;
    forEachCommand(waiting_.front().sequences, [&](const Command& command) {
        for (const auto& event : command.waits)
            waits = waits || (event && event->value() == SignalState::Value::pending);
    });
    return !waits;
}

void Stream::serveUntil(std::uint64_t target) {
    machine::Quiescence::Reader reader(platform().memory().quiescence());
    for (;;) {
        Submission submission;
        {
            Lock lock(mutex_);
            wakeHost_.wait(lock, [&]() ZETL_REQUIRES(mutex_) { return finished_ >= target || mayTake(); });
            if (finished_ >= target) return;
            submission = take();
        }
        executeTaken(submission, reader);
    }
}

template <class F>
void Stream::help(F&& wanted) {
    std::optional<machine::Quiescence::Reader> reader;
    for (;;) {
        Submission submission;
        {
            const Lock guard(mutex_);
            if (!mayHelp() || !wanted()) return;
            submission = take();
        }
        if (!reader) reader.emplace(platform().memory().quiescence());
        executeTaken(submission, *reader);
    }
}

void Stream::helpUntil(const SignalState& signal, std::uint64_t number) {
    help([&]() ZETL_REQUIRES(mutex_) { return finished_ < number && signal.value() == SignalState::Value::pending; });
}

std::optional<Stream::Submission> Stream::next(std::chrono::milliseconds idleLife) {
    Lock lock(mutex_);
    // Where something waits it is behind what another thread executes.
    do {
        if (wakeWorker_.wait_for(lock, idleLife, [this]() ZETL_REQUIRES(mutex_) { return mayTake(); })) return take();
    } while (!waiting_.empty());
    hasWorker_ = false;
    return {};
}

void Stream::executeTaken(const Submission& submission, machine::Quiescence::Reader& reader) noexcept {
    finish(submission, execute(submission, reader));
}

void Stream::finish(const Submission& submission, bool completed) noexcept {
    // Before the count: a thread that waited for the stream finds the signal.
    if (submission.done) completed ? submission.done->signal({}) : submission.done->lose();
    {
        const Lock guard(mutex_);
        ++finished_;
        executing_ = false;
        wakeHost_.notify_all();
        if (!waiting_.empty()) wakeWorker_.notify_one();
    }
    InFlight::instance().end(submission.number);
}

void Stream::work(std::chrono::milliseconds idleLife) {
    machine::Quiescence::Reader reader(platform().memory().quiescence());
    while (const auto submission = next(idleLife)) executeTaken(*submission, reader);
}

bool Stream::execute(const Submission& submission, machine::Quiescence::Reader& reader) noexcept {
    bool completed = !lost();
    forEachCommand(submission.sequences, [&](const Command& command) {
        if (completed && executeWithinMemory(command, reader)) return;
        // Before the signals: a thread that sees one of them lost finds the stream lost.
        if (completed) lose();
        completed = false;
        abandon(command);
    });
    return completed;
}

bool Stream::executeWithinMemory(const Command& command, machine::Quiescence::Reader& reader) noexcept {
    try {
        return execute(command, reader);
    } catch (const std::bad_alloc&) {
        log::error(log::Channel::emulator, "no host memory for a command; its queue is lost");
        return false;
    }
}

bool Stream::execute(const Command& command, machine::Quiescence::Reader& reader) {
    for (const auto& wait : command.waits)
        if (wait && wait->wait(kForever) == SignalState::Value::lost) {
            log::warn(log::Channel::emulator,
                      "a command waits for an event of a queue that is lost; this queue is lost too");
            return false;
        }
    const bool followed = command.operation && commandsFollowed().load(std::memory_order_relaxed);
    const bool timed = command.signal != nullptr || followed;
    Execution execution{*device_, reader, loss_, {timed ? device_->timestamp() : 0, 0}, false};
    if (command.operation && !command.operation->run(execution)) {
        log::error(log::Channel::emulator, "{} failed; its queue is lost", command.operation->name());
        return false;
    }
    if (timed) {
        if (!execution.timesKnown) execution.times.end = device_->timestamp();
        if (followed) tell(*device_, command.operation->kind(), execution.times);
        if (command.signal) command.signal->signal(execution.times);
    }
    return true;
}

Status Stream::synchronize(std::uint64_t nanoseconds) {
    std::uint64_t all = 0;
    {
        const Lock guard(mutex_);
        all = submitted_;
    }
    if (nanoseconds == kForever) help([&]() ZETL_REQUIRES(mutex_) { return finished_ < all; });
    return waitFor(all, nanoseconds);
}

Status Stream::waitFor(std::uint64_t target, std::uint64_t nanoseconds) {
    Lock lock(mutex_);
    const auto reached = [&]() ZETL_REQUIRES(mutex_) { return finished_ >= target; };
    // A bounded wait of more than some years would overflow the clock.
    constexpr std::uint64_t kBounded = std::uint64_t{1} << 58;
    if (nanoseconds > kBounded)
        wakeHost_.wait(lock, reached);
    else
        wakeHost_.wait_for(lock, std::chrono::nanoseconds(nanoseconds), reached);
    if (lost()) return ZE_RESULT_ERROR_DEVICE_LOST;
    if (!reached()) return ZE_RESULT_NOT_READY;
    lock.unlock();
    flushPrintf();
    return ZE_RESULT_SUCCESS;
}

void Stream::lose() {
    const Lock guard(mutex_);
    *lost_ = true;
}

}  // namespace zetl::emulator::driver
