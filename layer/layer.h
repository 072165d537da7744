// The layer object: what loaders have asked, and how their tables are answered.
#pragma once

#include <atomic>
#include <mutex>

#include "ddi/loader.h"
#include "ddi/route.h"
#include "next_layer.h"

namespace zetl::layer {

/// One a process, whatever number of slots it occupies; never destroyed, since the host may call until it is gone.
class Layer {
  public:
    static Layer& instance() noexcept;

    /// Answers a loader's getter: puts our entries into the usable part of `table` and keeps what stood there as the
    /// rest of the chain. An entry that is ours already stays, and so does the chain behind it: with the layer in both
    /// slots each call passes it once. Always succeeds, null table included; `caller` is an address in the asking
    /// loader.
    ze_result_t fill(ddi::Table table, ze_api_version_t version, void** entries, const void* caller) noexcept;

    /// False until a loader has asked for the first table: nothing is initialised then.
    bool attached() const noexcept { return attached_.load(std::memory_order_acquire); }

    /// The library that the core functions below us belong to: the driver, or the loader where it wraps handles. Empty
    /// before attached().
    ddi::Module driver() noexcept;

  private:
    bool owns(const ddi::Module& caller, ddi::Table table) noexcept;
    bool untouchable(ddi::Table table, ze_api_version_t version, const ddi::Module& caller) const noexcept;

    std::mutex mutex_;
    ddi::Module owner_;  // the loader whose chain our routes follow
    ddi::Module driver_;
    NextLayer next_;
    std::atomic<bool> attached_{false};
};

}  // namespace zetl::layer
