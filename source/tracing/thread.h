// The tracing state of a thread: the snapshot that it is reading.
//
// A thread announces the snapshot that it uses in its own record (a hazard pointer) before it relies on it, and then
// checks that this snapshot is still the published one. A writer replaces the published snapshot, makes every thread
// pass a memory barrier, and only then looks at the records: either the writer sees the announcement, or the thread
// sees the replacement. The barrier is membarrier(2), so that readers need no fence; without it the reader's store and
// load are sequentially consistent.
#pragma once

#include <level_zero/ze_api.h>
#include <sys/types.h>

#include <atomic>
#include <vector>

#include "tracing/snapshot.h"

namespace zetl::tracing {

/// True if readers rely on membarrier(2). Written once, before the first snapshot is published.
inline constinit std::atomic<bool> asymmetricBarrier{false};

class alignas(64) Thread {
  public:
    /// The calling thread's record, made on first use; null if there is no memory for one.
    static Thread* current() noexcept { return current_ ? current_ : attach(); }
    /// The same, but null if the thread has no record yet.
    static Thread* existing() noexcept { return current_; }

    /// True from the first prologue to the last epilogue of a call: calls made meanwhile are not traced.
    bool insideCall() const noexcept { return pinned_.load(std::memory_order_relaxed) != nullptr; }

    /// The published snapshot, protected until unpin(); null if there is none. Must not be called while insideCall().
    const Snapshot* pin(const std::atomic<const Snapshot*>& source) noexcept {
        const bool asymmetric = asymmetricBarrier.load(std::memory_order_relaxed);
        const Snapshot* seen = source.load(std::memory_order_acquire);
        for (;;) {
            if (asymmetric) [[likely]] {
                pinned_.store(seen, std::memory_order_release);
                std::atomic_signal_fence(std::memory_order_seq_cst);
            } else {
                pinned_.store(seen, std::memory_order_seq_cst);
            }
            const Snapshot* again = source.load(std::memory_order_seq_cst);
            if (again == seen) [[likely]]
                return seen;
            seen = again;
        }
    }
    void unpin() noexcept {
        result_ = nullptr;
        pinned_.store(nullptr, std::memory_order_release);
    }

    /// Detaches the calling thread from its record, which is about to be destroyed.
    static void forget() noexcept { current_ = nullptr; }
    /// For a forked child, whose only thread has another id than in the parent.
    void renew(pid_t id) noexcept { id_ = id; }

    /// Sets where the result of the call in progress is kept while epilogues may replace it; null otherwise.
    void exposeResult(ze_result_t* result) noexcept { result_ = result; }
    ze_result_t* exposedResult() const noexcept { return result_; }

    /// Instance data for a call with so many subscriptions that they do not fit in its frame, all null. Null if there
    /// is no memory. The block belongs to the thread and is used again by its next call.
    void** instances(std::size_t count) noexcept;

    // The rest is for the engine, which holds its lock.

    /// The snapshot that the thread has announced. It may be dangling for an instant while the thread checks it, so
    /// compare it and do not follow it, unless it is the calling thread's own.
    const Snapshot* announced() const noexcept { return pinned_.load(std::memory_order_seq_cst); }
    pid_t id() const noexcept { return id_; }

    /// The tracer for whose end the thread waits inside a callback; 0 if none.
    TracerId awaited = 0;

    Thread() noexcept;

  private:
    [[gnu::cold]] static Thread* attach() noexcept;

    // One word of static TLS, so that reaching it takes one instruction although the layer is loaded late.
    [[gnu::tls_model("initial-exec")]] static inline constinit thread_local Thread* current_ = nullptr;

    std::atomic<const Snapshot*> pinned_{nullptr};
    ze_result_t* result_ = nullptr;
    pid_t id_;
    std::vector<void*> instances_;
};

}  // namespace zetl::tracing
