#include "tracing/engine.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <new>
#include <thread>

#include "base/never_destroyed.h"
#include "tracing/barrier.h"
#include "tracing/traced_call.h"

namespace zetl::tracing {
namespace {

// Replaced snapshots are kept until there are this many: making every thread pass a barrier costs more than keeping
// them.
constexpr std::size_t kRetiredBeforeReclaim = 128;
constexpr auto kShortestWait = std::chrono::microseconds(20);
constexpr auto kLongestWait = std::chrono::milliseconds(2);

/// False for a thread that has ended without running its destructors, as by a bare exit system call.
bool alive(const Thread& thread) { return syscall(SYS_tgkill, getpid(), thread.id(), 0) == 0 || errno != ESRCH; }

/// Sleeping is where a cancelled thread would unwind. It may not unwind through functions that cannot throw.
class Uncancellable {
  public:
    Uncancellable() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~Uncancellable() { pthread_setcancelstate(before_, nullptr); }
    Uncancellable(const Uncancellable&) = delete;
    Uncancellable& operator=(const Uncancellable&) = delete;

  private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace

Engine& Engine::instance() noexcept {
    static NeverDestroyed<Engine> engine;
    return *engine;
}

namespace {

// Made when the library is loaded: if a thread made it later and another one forked, the child would have half of it.
[[maybe_unused]] const Engine& madeAtLoad = Engine::instance();

}  // namespace

Engine::Engine() noexcept { pthread_atfork(beforeFork, afterForkInParent, afterForkInChild); }

TracerId Engine::create(void* userData) {
    auto tracer = std::make_unique<Tracer>();
    tracer->userData = userData;
    const Lock lock(mutex_);
    const TracerId id = tracer->id = ++lastId_;
    tracers_.emplace(id, std::move(tracer));
    return id;
}

Tracer* Engine::find(TracerId id) noexcept {
    const auto found = tracers_.find(id);
    return found == tracers_.end() ? nullptr : found->second.get();
}

Status Engine::setCallbacks(TracerId id, std::span<const CallbackSetting> settings) {
    const Lock lock(mutex_);
    Tracer* tracer = find(id);
    if (!tracer) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (tracer->enabled) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    for (const auto& each : settings) tracer->callbacks[ddi::index(each.function)].at(each.phase) = each.callback;
    return ZE_RESULT_SUCCESS;
}

Status Engine::resetCallbacks(TracerId id) {
    const Lock lock(mutex_);
    Tracer* tracer = find(id);
    if (!tracer) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (tracer->enabled) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    tracer->callbacks.fill({});
    return ZE_RESULT_SUCCESS;
}

Status Engine::setEnabled(TracerId id, bool enabled) {
    const Lock lock(mutex_);
    Tracer* tracer = find(id);
    if (!tracer) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (tracer->enabled == enabled) return ZE_RESULT_SUCCESS;
    prepareBarrier();
    publish(replacements(*tracer, enabled));
    tracer->enabled = enabled;
    return ZE_RESULT_SUCCESS;
}

/// The snapshots with the tracer added behind all others, or removed.
std::vector<Engine::Replacement> Engine::replacements(const Tracer& tracer, bool enabled) {
    std::vector<Replacement> result;
    for (std::size_t i = 0; i < ddi::kTraced; ++i) {
        const auto& callbacks = tracer.callbacks[i];
        if (!callbacks) continue;
        auto snapshot = std::make_unique<Snapshot>();
        auto& subscriptions = snapshot->subscriptions;
        if (const Snapshot* old = published[i].load()) {
            subscriptions.reserve(old->subscriptions.size() + 1);
            std::copy_if(old->subscriptions.begin(), old->subscriptions.end(), std::back_inserter(subscriptions),
                         [&](const Subscription& each) { return each.tracer != tracer.id; });
        }
        if (enabled) subscriptions.push_back({callbacks.prologue, callbacks.epilogue, tracer.userData, tracer.id});
        if (subscriptions.empty()) snapshot.reset();
        result.emplace_back(ddi::Function(i), std::move(snapshot));
    }
    return result;
}

/// The only place where changes become visible to calls. All memory is allocated before the first change.
void Engine::publish(std::vector<Replacement>&& replacements) {
    retired_.reserve(retired_.size() + replacements.size());
    for (auto& [function, snapshot] : replacements) {
        const bool observed = snapshot != nullptr;
        const Snapshot* old = published[ddi::index(function)].exchange(snapshot.release());
        ddi::route(function).setDetour(observed ? kDetours[ddi::index(function)] : nullptr);
        if (old) retired_.emplace_back(old);
    }
    if (retired_.size() >= kRetiredBeforeReclaim) reclaim();
}

/// Frees the retired snapshots that no thread has announced. Without memory for the comparison it waits for the next
/// time.
void Engine::reclaim() noexcept try {
    passBarrier();
    std::vector<const Snapshot*> announced;
    announced.reserve(threads_.size());
    for (const auto& each : threads_)
        if (const Snapshot* snapshot = each->announced()) announced.push_back(snapshot);
    std::sort(announced.begin(), announced.end());
    std::erase_if(retired_, [&](const auto& each) {
        return !std::binary_search(announced.begin(), announced.end(), each.get());
    });
} catch (const std::bad_alloc&) {
}

/// True if that thread is inside a call that the tracer, disabled by now, traces. The thread's announced address is
/// compared with the snapshots that exist, never followed.
bool Engine::holds(const Thread& thread, TracerId tracer) const {
    const Snapshot* announced = thread.announced();
    return announced && std::any_of(retired_.begin(), retired_.end(), [&](const auto& each) {
               return each.get() == announced && each->concerns(tracer);
           });
}

bool Engine::inUse(TracerId tracer) const {
    return std::any_of(threads_.begin(), threads_.end(),
                       [&](const auto& each) ZETL_REQUIRES(mutex_) { return holds(*each, tracer) && alive(*each); });
}

/// True if some thread inside a call of the tracer waits for a call of `thread` to end, directly or through other
/// waiters. Terminates because a wait that would close a circle never begins.
bool Engine::waitsFor(TracerId tracer, const Thread& thread) const {
    return std::any_of(threads_.begin(), threads_.end(), [&](const auto& each) ZETL_REQUIRES(mutex_) {
        if (!holds(*each, tracer)) return false;
        return each.get() == &thread || (each->awaited != 0 && waitsFor(each->awaited, thread));
    });
}

Status Engine::destroy(TracerId id) {
    Lock lock(mutex_);
    const Tracer* tracer = find(id);
    if (!tracer) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (tracer->enabled) return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    passBarrier();
    Thread* self = Thread::existing();
    if (self && self->insideCall() && waitsFor(id, *self)) return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    tracers_.erase(id);
    if (self) self->awaited = id;
    const Uncancellable scope;
    for (auto pause = kShortestWait; inUse(id); pause = std::min<decltype(pause)>(2 * pause, kLongestWait)) {
        lock.unlock();
        std::this_thread::sleep_for(pause);
        lock.lock();
    }
    if (self) self->awaited = 0;
    return ZE_RESULT_SUCCESS;
}

void Engine::attach(std::unique_ptr<Thread> thread) {
    const Lock lock(mutex_);
    threads_.push_back(std::move(thread));
}

void Engine::detach(Thread* thread) noexcept {
    const Lock lock(mutex_);
    Thread::forget();
    std::erase_if(threads_, [&](const auto& each) { return each.get() == thread; });
}

void Engine::beforeFork() { instance().mutex_.lock(); }
void Engine::afterForkInParent() { instance().mutex_.unlock(); }

/// Only the forking thread of the parent goes on; the calls of its other threads will never end here.
void Engine::afterForkInChild() {
    Engine& engine = instance();
    Thread* self = Thread::existing();
    std::erase_if(engine.threads_, [&](const auto& each) { return each.get() != self; });
    if (self) self->renew(gettid());
    engine.mutex_.unlock();
}

}  // namespace zetl::tracing
