// Tracers, and the publication of their callbacks.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "tracing/thread.h"
#include "tracing/tracer.h"

namespace zetl::tracing {

/// One callback to set; null clears it.
struct CallbackSetting {
    ddi::Function function;
    Phase phase;
    ddi::Address callback;
};

/// Owns all tracers of the process. Never destroyed; every function may be called from any thread, also from callbacks.
/// It calls no callback and no driver function while it holds the lock. An id that is not a live tracer's gives
/// INVALID_NULL_HANDLE.
class Engine {
  public:
    static Engine& instance() noexcept;

    /// For instance() only: there is one set of published snapshots.
    Engine() noexcept;

    /// A new tracer, disabled, without callbacks. Throws std::bad_alloc.
    TracerId create(void* userData);

    /// Ends a tracer once no call that it traces is in progress, however long that takes. Returns HANDLE_OBJECT_IN_USE
    /// and changes nothing if the tracer is enabled, if the calling thread is inside a call that it traces, or if a
    /// thread that is inside such a call waits, directly or through others, for a call of this thread.
    Status destroy(TracerId id);

    /// Applies the settings together. INVALID_ARGUMENT if the tracer is enabled.
    Status setCallbacks(TracerId id, std::span<const CallbackSetting> settings);
    /// Clears every callback. INVALID_ARGUMENT if the tracer is enabled.
    Status resetCallbacks(TracerId id);

    /// Calls that start after its return are traced, or not. Never waits for calls in progress.
    Status setEnabled(TracerId id, bool enabled);

    // For threads and their records.
    void attach(std::unique_ptr<Thread> thread);
    void detach(Thread* thread) noexcept;

  private:
    using Replacement = std::pair<ddi::Function, std::unique_ptr<const Snapshot>>;

    Tracer* find(TracerId id) noexcept ZETL_REQUIRES(mutex_);
    static std::vector<Replacement> replacements(const Tracer& tracer, bool enabled);
    void publish(std::vector<Replacement>&& replacements) ZETL_REQUIRES(mutex_);
    void reclaim() noexcept ZETL_REQUIRES(mutex_);
    bool inUse(TracerId tracer) const ZETL_REQUIRES(mutex_);
    bool holds(const Thread& thread, TracerId tracer) const ZETL_REQUIRES(mutex_);
    bool waitsFor(TracerId tracer, const Thread& thread) const ZETL_REQUIRES(mutex_);

    // beforeFork() locks the mutex, the other two unlock it.
    static void beforeFork() ZETL_NOT_ANALYSED;
    static void afterForkInParent() ZETL_NOT_ANALYSED;
    static void afterForkInChild() ZETL_NOT_ANALYSED;

    Mutex mutex_;
    TracerId lastId_ ZETL_GUARDED_BY(mutex_) = 0;
    std::unordered_map<TracerId, std::unique_ptr<Tracer>> tracers_ ZETL_GUARDED_BY(mutex_);
    std::vector<std::unique_ptr<const Snapshot>> retired_ ZETL_GUARDED_BY(mutex_);
    std::vector<std::unique_ptr<Thread>> threads_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::tracing
