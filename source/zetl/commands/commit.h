// The commit that zetl was built from.
#pragma once

namespace zetl::command {

/// Its abbreviated number; empty if that was unknown. Defined in a source that cmake/Commit.cmake writes.
extern const char* const kCommit;

}  // namespace zetl::command
