// Sockets that processes left behind in a user's directory when they were killed.
#pragma once

#include <string>

namespace zetl::endpoint {

/// True if nobody listens there.
bool isDead(int directory, const std::string& name);

/// Removes endpoints older than a minute that are of no living process and at which nobody listens; looks at a bounded
/// number.
void removeStaleEndpoints(int directory);

}  // namespace zetl::endpoint
