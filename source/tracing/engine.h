// Tracers, and the publication of what they listen to.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tracing/thread.h"
#include "tracing/tracer.h"

namespace zetl::tracing {

/// One callback to set, or to clear with null.
struct CallbackSetting {
    ddi::Function function;
    Phase phase;
    ddi::Address callback;
};

/// Owns all tracers of the process. Never destroyed; every function may be called from any thread, from callbacks too.
/// No callback and no driver function is ever called with the lock held. An id that is not a live tracer's answers
/// INVALID_NULL_HANDLE.
class Engine {
  public:
    static Engine& instance() noexcept;

    /// For instance() only: there is one set of published snapshots.
    Engine() noexcept;

    /// A new tracer, disabled, without callbacks. Throws std::bad_alloc.
    TracerId create(void* userData);

    /// Ends a tracer once no call that it traces is in progress, however long that takes.
    /// HANDLE_OBJECT_IN_USE, and nothing changed: it is enabled; the calling thread is inside a call that it traces; or
    /// a thread that is inside such a call waits, directly or through others, for a call of this thread.
    Status destroy(TracerId id);

    /// Applies the settings together. INVALID_ARGUMENT if the tracer is enabled.
    Status setCallbacks(TracerId id, std::span<const CallbackSetting> settings);
    /// Clears every callback. INVALID_ARGUMENT if the tracer is enabled.
    Status resetCallbacks(TracerId id);

    /// From its return on, calls that start are traced or not. Never waits for calls in progress.
    Status setEnabled(TracerId id, bool enabled);

    // For threads: their records.
    void attach(std::unique_ptr<Thread> thread);
    void detach(Thread* thread) noexcept;

  private:
    using Replacement = std::pair<ddi::Function, std::unique_ptr<const Snapshot>>;

    Tracer* find(TracerId id) noexcept;
    static std::vector<Replacement> replacements(const Tracer& tracer, bool enabled);
    void publish(std::vector<Replacement>&& replacements);
    void reclaim() noexcept;
    bool inUse(TracerId tracer) const;
    bool holds(const Thread& thread, TracerId tracer) const;
    bool waitsFor(TracerId tracer, const Thread& thread) const;

    static void beforeFork();
    static void afterForkInParent();
    static void afterForkInChild();

    std::mutex mutex_;
    TracerId lastId_ = 0;
    std::unordered_map<TracerId, std::unique_ptr<Tracer>> tracers_;
    std::vector<std::unique_ptr<const Snapshot>> retired_;
    std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace zetl::tracing
