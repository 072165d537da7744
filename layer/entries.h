// The addresses that the layer puts into table entries, function by function.
#pragma once

#include "ddi/route.h"

namespace zetl::layer {

/// True if a table entry of that function leads to us already.
bool isOurs(ddi::Function function, ddi::Address entry) noexcept;

/// Puts our entries into the first `usable` slots of a table and keeps their old content as the rest of the chain.
/// Entries that are ours already stay, and so does the chain behind them. No slot is left null.
void takeOver(ddi::Table table, void** entries, std::size_t usable) noexcept;

}  // namespace zetl::layer
