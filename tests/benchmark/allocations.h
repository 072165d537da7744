// Counts the calling thread's heap allocations, in this program and in every library it loads.
#pragma once

namespace zetl::test {

/// Allocations of the calling thread so far.
long allocations();

}  // namespace zetl::test
