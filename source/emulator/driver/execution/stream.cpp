#include "emulator/driver/execution/stream.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <new>
#include <optional>

#include "base/log.h"
#include "base/stack_room.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/in_flight.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/device/tool_observer.h"
#include "emulator/driver/execution/endless_waits.h"
#include "emulator/driver/execution/engine.h"
#include "emulator/driver/execution/event_counter.h"
#include "emulator/driver/execution/stream_workers.h"
#include "emulator/driver/program/printf_output.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

/// A thread that executes submissions may have to translate kernels, which takes up to 40 KiB of stack.
constexpr std::size_t kExecutionStack = std::size_t{256} << 10;
constexpr int kInARow = 64;  // submissions of one stream, if others wait

/// Wakes a thread that was called, at the end of its life: the thread is to find the stream's mutex free.
struct WakesWorker {
    WakesWorker() = default;
    WakesWorker(const WakesWorker&) = delete;
    WakesWorker& operator=(const WakesWorker&) = delete;
    ~WakesWorker() {
        if (called) StreamWorkers::instance().wake();
    }
    bool called = false;
};

template <class F>
void forEachCommand(const std::vector<std::shared_ptr<const CommandSequence>>& sequences, F&& visit) {
    for (const auto& sequence : sequences) std::for_each(sequence->begin(), sequence->end(), visit);
}

/// Of a command of this submission.
SignalState::Value awaited(SignalState& event, WorkOrder& work) {
    SignalState::Value value = event.value();
    if (value == SignalState::Value::pending) {
        work.pause(true);
        {
            StreamWorkers::Away away;
            value = away.wait(event);
        }
        work.follow(event.times().work);
        work.pause(false);
    }
    work.follow(event.times().work);
    return value;
}

bool launches(const std::vector<std::shared_ptr<const CommandSequence>>& sequences) {
    const auto isLaunch = [](const Command& command) {
        return command.operation && command.operation->kind() == CommandKind::kernel;
    };
    return std::ranges::any_of(sequences, [&](const auto& each) { return std::ranges::any_of(*each, isLaunch); });
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

Stream::Stream(const Engine& engine, Use use)
    : device_(engine.device),
      place_{engine.device.get(), engine.ordinal, engine.index},
      computes_(engine.computes()),
      use_(use) {}

Status Stream::refuseAsLost(const Sequences& sequences, const std::shared_ptr<SignalState>& done) const {
    forEachCommand(sequences, abandon);
    if (done) done->lose();
    return ZE_RESULT_ERROR_DEVICE_LOST;
}

/// SUCCESS: whatever is queued from now on will be executed.
Status Stream::callWorker(bool& called) {
    if (scheduled_ || executing_) return ZE_RESULT_SUCCESS;
    called = scheduled_ = StreamWorkers::instance().call(shared_from_this());
    if (called) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY,
                  "no thread for a command queue; raise the limit on processes (ulimit -u), or use a synchronous "
                  "queue from a thread with {} KiB of stack, which does without",
                  kExecutionStack >> 10);
}

void Stream::number(Submission& submission) {
    submission.number = InFlight::instance().begin();
    try {
        if (launches(submission.sequences)) submission.work = WorkOrder(*device_, submission.number);
        submission.resets = PendingResets::instance().begin(place_, submission.number, submission.sequences);
    } catch (const std::bad_alloc&) {
        InFlight::instance().end(submission.number);
        throw;
    }
}

void Stream::enqueue(Sequences sequences, std::shared_ptr<SignalState> done, bool attended) {
    waiting_.push_back({.sequences = std::move(sequences), .done = std::move(done), .attended = attended});
    try {
        number(waiting_.back());
    } catch (const std::bad_alloc&) {
        waiting_.pop_back();
        throw;
    }
    forEachCommand(waiting_.back().sequences, [](const Command& command) {
        if (command.renewsSignal) command.signal->reset();
    });
    waiting_.back().checked = noteSubmission(*this, waiting_.back().sequences);
    ++submitted_;
    unattended_ += attended ? 0 : 1;
}

Result<std::uint64_t> Stream::submit(Sequences sequences, std::shared_ptr<SignalState> done) {
    WakesWorker waker;
    const Lock guard(mutex_);
    if (lost()) return refuseAsLost(sequences, done);
    if (const Status bad = callWorker(waker.called); bad != ZE_RESULT_SUCCESS) return bad;
    enqueue(std::move(sequences), std::move(done), false);
    return submitted_;
}

Status Stream::submitAndWait(Sequences sequences, std::shared_ptr<SignalState> done) {
    const bool attends = stackHas(kExecutionStack);
    std::uint64_t own = 0;
    {
        WakesWorker waker;
        const Lock guard(mutex_);
        if (lost()) return refuseAsLost(sequences, done);
        if (const Status bad = attends ? ZE_RESULT_SUCCESS : callWorker(waker.called); bad != ZE_RESULT_SUCCESS)
            return bad;
        enqueue(std::move(sequences), std::move(done), attends);
        own = submitted_;
    }
    if (attends) serveUntil(own);
    return waitFor(own, kForever);
}

Stream::Submission Stream::take() {
    Submission first = std::move(waiting_.front());
    waiting_.pop_front();
    unattended_ -= first.attended ? 0 : 1;
    executing_ = true;
    return first;
}

bool Stream::mayHelp() const {
    if (!mayTake()) return false;
    bool waits = false;
    const Submission& first = waiting_.front();
    forEachCommand(first.sequences, [&](const Command& command) {
        for (const auto& event : command.waits)
            waits = waits || (event && event->value() == SignalState::Value::pending);
        waits = waits || !PendingResets::instance().before(place_, first.number, command).empty();
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
            if (finished_ >= target && !stranded()) return;
            submission = take();
        }
        executeTaken(submission, reader);
    }
}

template <class F>
void Stream::help(F&& wanted) {
    if (!stackHas(kExecutionStack)) return;
    std::optional<machine::Quiescence::Reader> reader;
    for (;;) {
        Submission submission;
        {
            const Lock guard(mutex_);
            if (!stranded() && (!mayHelp() || !wanted())) return;
            submission = take();
        }
        if (!reader) reader.emplace(platform().memory().quiescence());
        executeTaken(submission, *reader);
    }
}

void Stream::helpUntil(const SignalState& signal, std::uint64_t number) {
    help([&]() ZETL_REQUIRES(mutex_) { return finished_ < number && signal.value() == SignalState::Value::pending; });
}

void Stream::helpWithAll() {
    help([] { return true; });
}

bool Stream::serve(machine::Quiescence::Reader& reader) {
    for (int i = 0; i < kInARow; ++i) {
        Submission submission;
        {
            const Lock guard(mutex_);
            if (!mayTake()) {
                StreamWorkers::instance().comesBack();
                scheduled_ = false;
                return false;
            }
            submission = take();
        }
        giveHostTime();
        executeTaken(submission, reader);
    }
    return true;
}

void Stream::executeTaken(Submission& submission, machine::Quiescence::Reader& reader) noexcept {
    submission.work.follow(worked_.load(std::memory_order_relaxed));
    const bool completed = execute(submission, reader);
    worked_.store(submission.work.behind(), std::memory_order_release);
    finish(submission, completed);
}

void Stream::finish(const Submission& submission, bool completed) noexcept {
    // Before the count: a thread that waited for the stream finds the signal.
    noteEnd(order_, submission.done);
    if (submission.done)
        completed ? submission.done->signal({.work = submission.work.behind()}) : submission.done->lose();
    {
        WakesWorker waker;
        const Lock guard(mutex_);
        ++finished_;
        executing_ = false;
        wakeHost_.notify_all();
        if (stranded()) waker.called = scheduled_ = StreamWorkers::instance().call(shared_from_this());
    }
    InFlight::instance().end(submission.number);
}

bool Stream::execute(Submission& submission, machine::Quiescence::Reader& reader) noexcept {
    bool completed = !lost();
    CheckedRun checked(order_, submission.checked);
    const bool ordered = use_ == Use::queue || submission.sequences.size() > 1;
    for (const auto& sequence : submission.sequences) {
        if (ordered) checked.separate();
        for (const Command& command : *sequence) {
            const bool executed = completed && executeWithinMemory(command, submission, reader, checked);
            // Before the signals: a thread that sees one of them lost finds the stream lost.
            if (completed && !executed) lose();
            completed = executed;
            if (!executed) abandon(command);
            checked.pass(command);
            if (submission.resets) PendingResets::instance().end(submission.number, command);
        }
    }
    return completed;
}

bool Stream::executeWithinMemory(const Command& command, Submission& submission, machine::Quiescence::Reader& reader,
                                 CheckedRun& checked) noexcept {
    try {
        return execute(command, submission, reader, checked);
    } catch (const std::bad_alloc&) {
        log::error(log::Channel::emulator, "no host memory for a command; its queue is lost");
        return false;
    }
}

bool Stream::awaitEvents(const Command& command, Submission& submission) const {
    for (const auto& reset : PendingResets::instance().before(place_, submission.number, command))
        awaited(*reset, submission.work);
    for (const auto& wait : command.waits)
        if (wait && awaited(*wait, submission.work) == SignalState::Value::lost) {
            log::warn(log::Channel::emulator,
                      "a command waits for an event of a queue that is lost; this queue is lost too");
            return false;
        }
    return true;
}

/// An operation that neither launches nor copies may wait for what others do.
bool Stream::run(const Operation& operation, Execution& execution, WorkOrder& work) {
    if (!operation.isWork()) work.pause(true);
    const bool ran = operation.run(execution);
    if (!operation.isWork()) work.pause(false);
    work.follow(execution.behind);
    return ran;
}

bool Stream::execute(const Command& command, Submission& submission, machine::Quiescence::Reader& reader,
                     CheckedRun& checked) {
    if (!awaitEvents(command, submission)) return false;
    const bool followed = command.operation && commandsFollowed().load(std::memory_order_relaxed);
    const bool timed = command.signal != nullptr || followed;
    checked.begin(command);
    const machine::Transfers::Engine engine =
        computes_ ? machine::Transfers::Engine::compute : machine::Transfers::Engine::copy;
    Execution execution{*device_,
                        reader,
                        loss_,
                        engine,
                        {timed ? device_->timestamp() : 0, 0},
                        false,
                        checked.current(),
                        submission.number,
                        submission.work.behind()};
    const bool ran = !command.operation || run(*command.operation, execution, submission.work);
    checked.end(command);
    if (!ran) {
        log::error(log::Channel::emulator, "{} failed; its queue is lost", command.operation->name());
        return false;
    }
    if (timed) {
        if (!execution.timesKnown) execution.times.end = device_->timestamp();
        execution.times.work = submission.work.behind();
        if (followed) tell(*device_, command.operation->kind(), execution.times);
        if (command.counter) command.counter->complete(command.count);
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

void Stream::waitLooking(std::uint64_t target) {
    EndlessWait endless(nullptr, this);
    const auto reached = [&]() ZETL_REQUIRES(mutex_) { return finished_ >= target; };
    const auto comes = [&] {
        Lock lock(mutex_);
        return wakeHost_.wait_for(lock, std::chrono::nanoseconds(EndlessWait::kPart), reached);
    };
    while (!comes()) endless.look();
}

Status Stream::waitFor(std::uint64_t target, std::uint64_t nanoseconds) {
    // A bounded wait of more than some years would overflow the clock.
    constexpr std::uint64_t kBounded = std::uint64_t{1} << 58;
    if (nanoseconds > kBounded && EndlessWait::wanted()) waitLooking(target);
    Lock lock(mutex_);
    const auto reached = [&]() ZETL_REQUIRES(mutex_) { return finished_ >= target; };
    if (nanoseconds > kBounded)
        wakeHost_.wait(lock, reached);
    else
        wakeHost_.wait_for(lock, std::chrono::nanoseconds(nanoseconds), reached);
    if (lost()) return ZE_RESULT_ERROR_DEVICE_LOST;
    if (!reached()) return ZE_RESULT_NOT_READY;
    lock.unlock();
    HostWork::saw(worked_.load(std::memory_order_acquire));
    noteSeen(order_);
    flushPrintf();
    return ZE_RESULT_SUCCESS;
}

void Stream::lose() {
    {
        const Lock guard(mutex_);
        *lost_ = true;
    }
    noteLoss(*this);
}

}  // namespace zetl::emulator::driver
