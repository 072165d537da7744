// Calls of any row with arguments that a script chooses.
#pragma once

#include <cstddef>
#include <vector>

#include "fuzz/driver_api/objects.h"
#include "fuzz/driver_api/script.h"

namespace zetl::test {

/// What calls of rows made beside objects.
struct RowMemory {
    std::vector<void*> allocations;
    std::vector<void*> ranges;
};

/// Calls one row. Handles are live, null, foreign, of destroyed objects, of another kind, or lead into an object;
/// counts and sizes are small or absurd. What the call made is added to the pool, or to the memory. Aborts if it
/// answers UNKNOWN.
void callRandomRow(HandlePool& pool, RowMemory& memory, Script& script);

/// Takes back what calls of rows did to memory of the process, and frees ranges.
void releaseRowMemory(HandlePool& pool, RowMemory& memory);

/// How often callRandomRow() has called each row, and how often with success.
struct RowCalls {
    std::size_t all = 0;
    std::size_t successful = 0;
};
const std::vector<RowCalls>& rowCalls();

}  // namespace zetl::test
