// What tracing knows of a thread: which snapshot it is reading.
//
// A thread announces the snapshot it uses in its own record (a hazard pointer) before it relies on it, and looks again
// whether that snapshot is still the published one. A writer replaces the published snapshot, makes every thread pass a
// memory barrier, and only then looks at the records: either it sees the announcement, or the thread sees the
// replacement. The barrier is membarrier(2), so that the reader pays no fence; without it the reader's store and load
// are sequentially consistent.
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
    /// The same, but null if the thread has none yet.
    static Thread* existing() noexcept { return current_; }

    /// True from the first prologue to the last epilogue of a call: calls made meanwhile are not traced.
    bool insideCall() const noexcept { return pinned_.load(std::memory_order_relaxed) != nullptr; }

    /// The published snapshot, protected until unpin(); null if there is none. Not while insideCall().
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

    /// Detaches the calling thread from its record, which is about to end.
    static void forget() noexcept { current_ = nullptr; }
    /// A forked child's only thread has another id than its parent's.
    void renew(pid_t id) noexcept { id_ = id; }

    /// Where the result of the call in progress is kept while epilogues may replace it, else null.
    void exposeResult(ze_result_t* result) noexcept { result_ = result; }
    ze_result_t* exposedResult() const noexcept { return result_; }

    /// Instance data for a call with so many subscriptions that they do not fit in its frame, all null. Null if there
    /// is no memory. The block belongs to the thread and is used again by its next call.
    void** instances(std::size_t count) noexcept;

    // The rest is for the engine, under its lock.

    /// The snapshot the thread has announced; may be dangling for an instant while the thread looks again, so compare
    /// it, do not follow it, unless it is the calling thread's own.
    const Snapshot* announced() const noexcept { return pinned_.load(std::memory_order_seq_cst); }
    pid_t id() const noexcept { return id_; }

    /// The tracer whose end the thread awaits inside a callback; 0 if none.
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
