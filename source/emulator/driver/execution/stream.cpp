#include "emulator/driver/execution/stream.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>

#include "base/log.h"
#include "base/threads.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/execution/in_flight.h"
#include "emulator/driver/program/printf_output.h"

namespace zetl::emulator::driver {
namespace {

constexpr std::chrono::seconds kIdleLife{1};

using Sequences = std::vector<std::shared_ptr<const CommandSequence>>;

template <class F>
void forEachCommand(const Sequences& sequences, F&& visit) {
    for (const auto& sequence : sequences) std::for_each(sequence->begin(), sequence->end(), visit);
}

void abandon(const Command& command) {
    if (command.signal) command.signal->lose();
}

}  // namespace

Status Stream::submit(Sequences sequences, std::shared_ptr<SignalState> done) {
    std::lock_guard guard(mutex_);
    if (lost_) {
        forEachCommand(sequences, abandon);
        if (done) done->lose();
        return ZE_RESULT_ERROR_DEVICE_LOST;
    }
    forEachCommand(sequences, [](const Command& command) {
        if (command.renewsSignal) command.signal->reset();
    });
    waiting_.push_back({std::move(sequences), std::move(done), InFlight::instance().begin()});
    ++submitted_;
    if (working_)
        wakeWorker_.notify_one();
    else
        startWorker();
    return ZE_RESULT_SUCCESS;
}

void Stream::startWorker() {
    try {
        startServiceThread([self = shared_from_this()] { self->work(); }).detach();
        working_ = true;
    } catch (const std::system_error& failure) {
        InFlight::instance().end(waiting_.back().number);
        waiting_.pop_back();
        --submitted_;
        log::error(log::Module::emulator, "no thread for a command queue: {}; raise the limit on processes",
                   failure.what());
        throw std::bad_alloc();
    }
}

bool Stream::next(Submission& submission) {
    std::unique_lock lock(mutex_);
    if (!wakeWorker_.wait_for(lock, kIdleLife, [this] { return !waiting_.empty(); })) {
        working_ = false;
        return false;
    }
    submission = std::move(waiting_.front());
    waiting_.pop_front();
    return true;
}

void Stream::finish(const Submission& submission, bool completed) {
    // Before the count: who waited for the stream finds the signal.
    if (submission.done) completed ? submission.done->signal({}) : submission.done->lose();
    {
        std::lock_guard guard(mutex_);
        ++finished_;
        wakeHost_.notify_all();
    }
    InFlight::instance().end(submission.number);
}

void Stream::work() {
    machine::Quiescence::Reader reader(platform().memory().quiescence());
    Submission submission;
    while (next(submission)) {
        finish(submission, execute(submission, reader));
        submission = {};
    }
}

bool Stream::execute(const Submission& submission, machine::Quiescence::Reader& reader) {
    bool completed = !lost();
    forEachCommand(submission.sequences, [&](const Command& command) {
        if (completed && execute(command, reader)) return;
        // Before the signals: who sees one of them lost finds the stream lost.
        if (completed) lose();
        completed = false;
        abandon(command);
    });
    return completed;
}

bool Stream::execute(const Command& command, machine::Quiescence::Reader& reader) {
    for (const auto& wait : command.waits)
        if (wait && wait->wait(kForever) == SignalState::Value::lost) {
            log::warn(log::Module::emulator,
                      "a command waits for an event of a queue that is lost; this queue is lost too");
            return false;
        }
    const bool timed = command.signal != nullptr;
    Execution execution{*device_, reader, {timed ? device_->timestamp() : 0, 0}, false};
    if (command.operation && !command.operation->run(execution)) {
        log::error(log::Module::emulator, "{} failed; its queue is lost", command.operation->name());
        return false;
    }
    if (timed) {
        if (!execution.timesKnown) execution.times.end = device_->timestamp();
        command.signal->signal(execution.times);
    }
    return true;
}

Status Stream::synchronize(std::uint64_t nanoseconds) {
    std::unique_lock lock(mutex_);
    const std::uint64_t target = submitted_;
    const auto reached = [&] { return finished_ >= target; };
    // Beyond some years a bounded wait would overflow the clock.
    constexpr std::uint64_t kBounded = std::uint64_t{1} << 58;
    if (nanoseconds > kBounded)
        wakeHost_.wait(lock, reached);
    else
        wakeHost_.wait_for(lock, std::chrono::nanoseconds(nanoseconds), reached);
    if (lost_) return ZE_RESULT_ERROR_DEVICE_LOST;
    if (!reached()) return ZE_RESULT_NOT_READY;
    lock.unlock();
    flushPrintf();
    return ZE_RESULT_SUCCESS;
}

void Stream::lose() {
    std::lock_guard guard(mutex_);
    lost_ = true;
}

bool Stream::lost() const {
    std::lock_guard guard(mutex_);
    return lost_;
}

}  // namespace zetl::emulator::driver
