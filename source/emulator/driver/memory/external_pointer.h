// Host memory that a program announces to the driver: Intel's extension functions zexDriverImportExternalPointer,
// zexDriverReleaseImportedPointer and zexDriverGetHostPointerBaseAddress.
#pragma once

#include <cstddef>

#include "base/result.h"

namespace zetl::emulator::driver {

// On hardware an announced range is copied without staging. Here copies reach plain host memory anyway, so announcing
// only keeps the books, and kernels can reach the range no more than before.

/// INVALID_SIZE, or INVALID_ARGUMENT if it overlaps an announced range.
Status importPointer(void* pointer, std::size_t size);
/// Both return INVALID_ARGUMENT for a pointer that is in no announced range.
Status releasePointer(void* pointer);
Result<void*> importedBase(void* pointer);

/// True in an announced range.
bool isImported(const void* pointer);

}  // namespace zetl::emulator::driver
