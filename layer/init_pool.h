// zeInit entries, one for each zeInit that a loader has passed to us.
//
// While a loader checks its drivers it passes every driver's own zeInit to the layer, and calls the entry that the
// layer leaves in the table. If a single entry led to the newest one, the application's later zeInit would reach only
// the last driver; so each next function has an entry of its own.
#pragma once

#include "ddi/route.h"

namespace zetl::layer {

/// True if `entry` is one of the pool.
bool isInitEntry(ddi::Address entry) noexcept;

/// The entry that leads to `next`, always the same for the same function; null once the pool is used up. Not
/// thread-safe.
ddi::Address initEntry(ddi::Address next) noexcept;

}  // namespace zetl::layer
