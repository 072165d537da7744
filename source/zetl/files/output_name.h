// Names of outputs that differ between processes.
#pragma once

#include <string>

namespace zetl::command {

/// The name with its patterns replaced: %p is the number of zetl's process, %h the host's name, %r the rank, %q{NAME}
/// an environment variable, %% a percent sign; any other percent sign stands for itself. If a launcher started this
/// process as one of several ranks and none of %p, %r and %q is in the name, ".rank<N>" is put in front of its
/// extension, so that ranks do not overwrite each other's files. "" and "-", and what exists and is no regular file,
/// stay as they are. Throws UsageError for %q of a variable that is not set, and for %r without a rank.
std::string outputName(const std::string& pattern);

/// Likewise for a directory, in which a rank gets a directory of its own: "run1" becomes "run1/rank3".
std::string outputDirectory(const std::string& pattern);

/// The name of this host up to its first dot; "unknown" if it has none.
std::string hostName();

}  // namespace zetl::command
