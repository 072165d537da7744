// Sockets left in a user's directory by processes that were killed.
#pragma once

#include <string>

namespace zetl::endpoint {

/// True if no process listens there.
bool isDead(int directory, const std::string& name);

/// Removes endpoints that are older than a minute, belong to no living process, and at which no process listens. Looks
/// at a bounded number.
void removeStaleEndpoints(int directory);

}  // namespace zetl::endpoint
