// Structures that the caller passes and the provider fills (device_access.h, "Structures").
#pragma once

namespace zetl::provider {

/// Whether the structure is not null and has room for all of its fields that are known here.
template <class T>
bool canBeFilled(const T* structure) noexcept {
    return structure != nullptr && structure->size >= sizeof *structure;
}

}  // namespace zetl::provider
