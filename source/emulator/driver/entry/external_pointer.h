// Host memory that a program announces to the driver: Intel's extension functions zexDriverImportExternalPointer,
// zexDriverReleaseImportedPointer and zexDriverGetHostPointerBaseAddress.
#pragma once

#include <string_view>

namespace zetl::emulator::driver {

/// The extension function of that name, or null. On hardware an announced range is copied without staging. Here copies
/// reach plain host memory anyway, so announcing only keeps the books, and kernels can reach the range no more than
/// before.
void* externalPointerFunction(std::string_view name) noexcept;

/// True in an announced range.
bool isImported(const void* pointer);

}  // namespace zetl::emulator::driver
