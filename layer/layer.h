// The layer object: the loaders' requests, and how their tables are filled.
#pragma once

#include <atomic>

#include "base/mutex.h"
#include "ddi/loader.h"
#include "ddi/route.h"
#include "next_layer.h"

namespace zetl::layer {

/// One per process, even if the layer is loaded in several slots. Never destroyed, since the host may call until the
/// process is gone.
class Layer {
  public:
    static Layer& instance() noexcept;

    /// Answers a loader's getter: puts our entries into the usable part of `table` and keeps their old content as the
    /// rest of the chain. An entry that is ours already stays, and so does the chain behind it, so that each call
    /// passes the layer once even if the layer is in both slots. Always succeeds, also for a null table; `caller` is an
    /// address in the calling loader.
    ze_result_t fill(ddi::Table table, ze_api_version_t version, void** entries, const void* caller) noexcept;

    /// False until a loader has asked for the first table: until then nothing is initialised.
    bool attached() const noexcept { return attached_.load(std::memory_order_acquire); }

    /// The library that the core functions below us belong to: the driver, or the loader where it wraps handles. Empty
    /// before attached().
    ddi::SharedObject driver() noexcept;

    /// For a forked child, which does not have the parent's thread that held the mutex while it filled a table.
    void freeInChild() noexcept;

  private:
    bool owns(const ddi::SharedObject& caller, ddi::Table table) noexcept ZETL_REQUIRES(mutex_);
    bool untouchable(ddi::Table table, ze_api_version_t version, const ddi::SharedObject& caller) const noexcept
        ZETL_REQUIRES(mutex_);

    Mutex mutex_;
    ddi::SharedObject owner_ ZETL_GUARDED_BY(mutex_);  // the loader whose chain our routes follow
    ddi::SharedObject driver_ ZETL_GUARDED_BY(mutex_);
    NextLayer next_ ZETL_GUARDED_BY(mutex_);
    std::atomic<bool> attached_{false};
};

}  // namespace zetl::layer
