// What the layer puts into table entries, function by function.
#pragma once

#include "ddi/route.h"

namespace zetl::layer {

/// Our entry for a tools function: the exported C function.
ddi::Address toolsEntry(ddi::Function function) noexcept;

/// True if a table entry of that function leads to us already.
bool isOurs(ddi::Function function, ddi::Address entry) noexcept;

/// Takes over one entry: remembers what it held as the rest of the chain and returns what to put there.
ddi::Address takeOver(ddi::Function function, ddi::Address held) noexcept;

}  // namespace zetl::layer
