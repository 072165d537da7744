#include "debug/session.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "base/log.h"
#include "debug/possible.h"
#include "debug/register_sets.h"
#include "device/status.h"

namespace zetl::debug {
namespace {

using Clock = std::chrono::steady_clock;

/// The time after which an interrupt without an answer from the target is answered with THREAD_UNAVAILABLE.
constexpr std::uint64_t kInterruptLimit = 2'000'000'000;
/// How long a call goes on asking a target that answers slowly.
constexpr std::uint64_t kPatience = 2'000'000'000;
/// The same for a call whose failure would leave threads that stand still.
constexpr std::uint64_t kLongPatience = 10'000'000'000;
constexpr std::uint64_t kSilence = 1'000'000'000;  ///< what took so long was no answer
constexpr std::uint64_t kForever = UINT64_MAX;
constexpr std::size_t kFewThreads = 64;  // to run one by one, an exchange each
constexpr std::uint64_t kMillisecond = 1'000'000;

std::uint64_t now() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count());
}

std::uint64_t deadlineAfter(std::uint64_t milliseconds) {
    const auto start = now();
    return milliseconds >= (kForever - start) / kMillisecond ? kForever : start + milliseconds * kMillisecond;
}

}  // namespace

ze_result_t threadResultOf(zetl_status_t status) {
    return status == ZETL_NOT_READY ? ZE_RESULT_ERROR_NOT_AVAILABLE : device::resultOf(status);
}

Session::Session(const device::Device& device, std::uint64_t pid)
    : device_(device), pid_(pid), reported_(device.threads(), false) {}

Session::~Session() { detach(); }

Result<std::shared_ptr<Session>> Session::attach(const device::Device& device, std::uint64_t pid,
                                                 const TargetOpener& opener) {
    auto session = std::make_shared<Session>(device, pid);
    auto opened = opener(device, pid, [raw = session.get()](const zetl_event_t& event) { raw->receive(event); });
    if (opened.status != ZETL_OK) return device::resultOf(opened.status);
    const Lock guard(session->mutex_);
    session->target_ = std::move(opened.target);
    return session;
}

void Session::detach() {
    std::shared_ptr<Target> target;
    {
        const Lock guard(mutex_);
        detached_ = true;
        target = std::move(target_);
    }
    arrived_.notify_all();
}

bool Session::over() const {
    const Lock guard(mutex_);
    return book_.over();
}

std::shared_ptr<Target> Session::target() const {
    const Lock guard(mutex_);
    return book_.gone() ? nullptr : target_;
}

void Session::receive(const zetl_event_t& event) noexcept {
    {
        const Lock guard(mutex_);
        try {
            if (event.kind == ZETL_EVENT_GONE || incoming_.size() >= kMostEvents)
                ended_ = true;
            else if (!ended_)
                incoming_.push_back(event);
        } catch (const std::bad_alloc&) {
            ended_ = true;
        }
    }
    arrived_.notify_all();
}

std::shared_ptr<Target> Session::takeIncoming(zetl_event_t& event) {
    const Lock guard(mutex_);
    const bool takes = target_ && book_.unread() < kMostEvents;
    // An answer that came in time counts, however late the debugger reads.
    if (!takes || incoming_.empty()) book_.answerOverdue(now());
    if (!takes) return nullptr;
    if (incoming_.empty()) {
        if (ended_) book_.targetGone();
        return nullptr;
    }
    event = incoming_.front();
    incoming_.pop_front();
    return target_;
}

void Session::digest() {
    const Lock order(digesting_);
    const auto until = now() + kPatience;
    zetl_event_t event{};
    do {
        const auto target = takeIncoming(event);
        if (!target) return;
        if (digestOne(event, *target)) continue;
        const Lock guard(mutex_);
        incoming_.push_front(event);  // for when the target answers again
        return book_.answerOverdue(now());
    } while (now() < until);
}

/// A module about which nothing can be found out is let go, since no debugger will acknowledge it.
bool Session::digestOne(const zetl_event_t& event, Target& target) {
    zetl_module_info_t info{};
    info.size = sizeof info;
    if (event.kind == ZETL_EVENT_MODULE_LOAD) {
        const auto begin = now();
        const auto status = target.moduleInfo(event.module, info);
        if (status == ZETL_LOST && now() - begin >= kSilence) return false;  // it may answer later
        if (status != ZETL_OK) {
            if (status != ZETL_GONE)
                log::warn(log::Channel::debug, "a module that was loaded is not reported: the target answers {} for it",
                          static_cast<int>(status));
            if (event.hold != 0) target.release(event.hold);
            return true;
        }
    }
    const Lock guard(mutex_);
    note(event, info);
    return true;
}

void Session::note(const zetl_event_t& event, const zetl_module_info_t& info) {
    switch (event.kind) {
        case ZETL_EVENT_PROCESS_ENTRY:
            return book_.processEntered();
        case ZETL_EVENT_PROCESS_EXIT:
            return book_.processLeft();
        case ZETL_EVENT_MODULE_LOAD:
            return book_.moduleLoaded(event.module, info, event.hold);
        case ZETL_EVENT_MODULE_UNLOAD:
            return book_.moduleUnloaded(event.module);
        case ZETL_EVENT_STOPPED:
            return book_.threadStopped(ThreadSet::of(event.thread));
        case ZETL_EVENT_HALTED:
            return book_.halted(event.token, event.stopped > 0);
        case ZETL_EVENT_PAGE_FAULT:
            return book_.pageFault(event);
        default:
            log::warn(log::Channel::debug, "event of unknown kind {} from the target is ignored", event.kind);
    }
}

ze_result_t Session::readEvent(std::uint64_t timeoutMs, zet_debug_event_t& event) {
    event = blankEvent(ZET_DEBUG_EVENT_TYPE_INVALID);
    const auto deadline = deadlineAfter(timeoutMs);
    for (;;) {
        digest();
        std::optional<QueuedEvent> queued;
        std::shared_ptr<Target> target;
        {
            const Lock guard(mutex_);
            if (detached_) return ZE_RESULT_ERROR_UNINITIALIZED;
            queued = book_.next();
            target = target_;
            if (book_.over()) target_ = nullptr;  // a debugger need not detach after DETACHED
        }
        if (queued && queued->reports && target && !report(*queued->reports, *target)) {
            // Told without its threads, the stop would be one that nobody may end.
            const Lock guard(mutex_);
            if (detached_) return ZE_RESULT_ERROR_UNINITIALIZED;
            book_.putBack(*queued);
            if (now() >= deadline) return ZE_RESULT_NOT_READY;
            continue;
        }
        if (queued) {
            event = queued->event;
            return ZE_RESULT_SUCCESS;
        }
        if (const auto waited = waitForMore(deadline); waited != ZE_RESULT_SUCCESS) return waited;
    }
}

ze_result_t Session::waitForMore(std::uint64_t deadline) {
    Lock lock(mutex_);
    if (detached_) return ZE_RESULT_ERROR_UNINITIALIZED;
    if (book_.over() || now() >= deadline) return ZE_RESULT_NOT_READY;
    const auto until = std::min(deadline, book_.nextDeadline().value_or(kForever));
    const auto ready = [this]() ZETL_REQUIRES(mutex_) {
        return detached_ || !incoming_.empty() || (ended_ && !book_.gone());
    };
    if (until == kForever)
        arrived_.wait(lock, ready);
    else
        arrived_.wait_until(lock, Clock::time_point(std::chrono::nanoseconds(until)), ready);
    return ZE_RESULT_SUCCESS;
}

ze_result_t Session::acknowledge(const zet_debug_event_t& event) {
    std::uint64_t hold = 0;
    std::shared_ptr<Target> target;
    {
        const Lock guard(mutex_);
        if (const auto result = book_.acknowledge(event, hold); result != ZE_RESULT_SUCCESS) return result;
        target = target_;
    }
    if (hold == 0 || !target) return ZE_RESULT_SUCCESS;
    const auto status = target->release(hold);
    if (status == ZETL_OK || status == ZETL_GONE) return ZE_RESULT_SUCCESS;  // gone: module or process ended meanwhile
    const Lock guard(mutex_);
    book_.acknowledgementFailed(event, hold);
    return device::resultOf(status);
}

ze_result_t Session::interrupt(const ThreadSet& set) {
    if (!set.within(device_)) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (device_.info().stop_scope != ZETL_SCOPE_THREAD && !set.isAll()) {
        log::warn(log::Channel::debug, "zetDebugInterrupt refused: {} stops as a whole only; interrupt all threads",
                  device_.info().name);
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    std::shared_ptr<Target> target;
    std::optional<std::uint64_t> token;
    {
        const Lock guard(mutex_);
        if (book_.over()) return ZE_RESULT_ERROR_NOT_AVAILABLE;
        bool allReported = true;
        for (std::uint64_t i = 0; i < reported_.size() && allReported; ++i)
            allReported = reported_[i] || !set.contains(ThreadSet::at(i, device_));
        if (allReported) return ZE_RESULT_ERROR_NOT_AVAILABLE;
        token = book_.interrupt(set, now() + kInterruptLimit);
        if (!token) return ZE_RESULT_NOT_READY;
        if (book_.gone()) return ZE_RESULT_SUCCESS;
        target = target_;
    }
    if (!target) return ZE_RESULT_ERROR_UNINITIALIZED;  // detached meanwhile
    const auto status = target->halt(set.access(), *token);
    // A process that ended, or does not answer: THREAD_UNAVAILABLE will report that.
    if (status == ZETL_OK || status == ZETL_GONE || status == ZETL_LOST) return ZE_RESULT_SUCCESS;
    const Lock guard(mutex_);
    book_.interruptFailed(*token);
    return device::resultOf(status);
}

// An answer may be read after the thread, whose stop another answer had reported, was resumed. Its registers show that:
// they come in one exchange, which the debugger makes next in any case.
bool Session::runs(const ThreadSet& thread, Target& target) const {
    const auto sets = registerSetsOf(device_);
    std::uint32_t count = 0;
    return !sets.empty() && target.registerCount(thread.access(), sets.front()->type, count) == ZETL_NOT_READY;
}

bool Session::report(const ThreadSet& set, Target& target) {
    std::vector<zetl_thread_t> threads;
    if (set.single()) {
        if (runs(set, target)) return true;
        threads.push_back(set.access());
    } else {
        const auto begin = now();
        const auto status = target.stopped(set.access(), threads);
        if (status == ZETL_LOST && now() - begin >= kSilence) return false;
        if (status != ZETL_OK) return true;
    }
    const Lock guard(mutex_);
    for (const auto& thread : threads) {
        const auto index = ThreadSet::of(thread).indexIn(device_);
        if (index < reported_.size()) reported_[index] = true;
    }
    return true;
}

ze_result_t Session::checkReported(const ThreadSet& thread) const {
    if (!thread.single() || !thread.within(device_)) return ZE_RESULT_ERROR_NOT_AVAILABLE;
    const Lock guard(mutex_);
    return target_ && !book_.gone() && reported_[thread.indexIn(device_)] ? ZE_RESULT_SUCCESS
                                                                          : ZE_RESULT_ERROR_NOT_AVAILABLE;
}

std::vector<ThreadSet> Session::takeReported(const ThreadSet& set) {
    std::vector<ThreadSet> threads;
    for (std::uint64_t i = 0; i < reported_.size(); ++i) {
        const auto thread = ThreadSet::at(i, device_);
        if (!reported_[i] || !set.contains(thread)) continue;
        threads.push_back(thread);
        reported_[i] = false;
    }
    return threads;
}

ze_result_t Session::resume(const ThreadSet& set) {
    if (!set.within(device_)) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    std::shared_ptr<Target> target;
    std::vector<ThreadSet> threads;
    bool each = false;
    {
        const Lock guard(mutex_);
        if (book_.over() || !target_) return ZE_RESULT_ERROR_NOT_AVAILABLE;
        target = target_;
        threads = takeReported(set);
        if (threads.empty()) return ZE_RESULT_ERROR_NOT_AVAILABLE;
        // A thread whose stop the debugger did not read yet must stay; facts not digested yet may be of such threads.
        each = book_.hasUnread(set) || !incoming_.empty();
        // Or of one that stops this very moment. Of many, as after an interrupt, the others hardly do.
        each = each || (device_.info().stop_scope == ZETL_SCOPE_THREAD && threads.size() <= kFewThreads);
    }
    const auto status = runThreads(*target, set, threads, each);
    if (status == ZETL_OK || status == ZETL_GONE) return ZE_RESULT_SUCCESS;  // gone: events report the end
    if (status == ZETL_NOT_READY) return threadResultOf(status);
    const Lock guard(mutex_);
    for (const auto& thread : threads) reported_[thread.indexIn(device_)] = true;  // may be tried again
    return threadResultOf(status);
}

zetl_status_t Session::runThreads(Target& target, const ThreadSet& set, const std::vector<ThreadSet>& threads,
                                  bool each) {
    const auto until = now() + kLongPatience;
    if (!each) return runSet(target, set, threads.front(), until);
    for (const auto& thread : threads) {
        const auto status = now() < until ? runSet(target, thread, thread, until) : ZETL_LOST;
        if (status != ZETL_OK && status != ZETL_NOT_READY) return status;
    }
    return ZETL_OK;
}

// What was sent is done, however slow the target is: whatever it answers next comes behind that.
zetl_status_t Session::runSet(Target& target, const ThreadSet& set, const ThreadSet& one, std::uint64_t until) {
    const auto begin = now();
    const auto status = target.run(set.access());
    if (status != ZETL_LOST || now() - begin < kSilence) return status;
    const auto sets = registerSetsOf(device_);
    std::uint32_t count = 0;
    while (!sets.empty() && now() < until) {
        const auto heard = target.registerCount(one.access(), sets.front()->type, count);
        if (heard != ZETL_LOST) return heard == ZETL_GONE ? heard : ZETL_OK;
    }
    return ZETL_LOST;
}

}  // namespace zetl::debug
