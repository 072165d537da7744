// Structures that a caller hands over to be filled (device_access.h, "Structures").
#pragma once

namespace zetl::provider {

/// There is one, and it has room for all that is known of it here.
template <class T>
bool canBeFilled(const T* structure) noexcept {
    return structure != nullptr && structure->size >= sizeof *structure;
}

}  // namespace zetl::provider
