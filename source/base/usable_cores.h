#pragma once

#include <cstdint>

namespace zetl {

/// Cores that this process may use; at least 1.
std::uint32_t usableCores() noexcept;

}  // namespace zetl
