// Text that kernels printed, on its way to the process's standard output.
#pragma once

#include <string>

namespace zetl::emulator::driver {

/// Keeps the text of one finished launch until the next synchronization. Thread-safe.
void keepPrintf(std::string text);

/// Writes what was kept to stdout, in the order in which launches ended. Called by every successful synchronization of
/// the host with the device. Thread-safe.
void flushPrintf() noexcept;

}  // namespace zetl::emulator::driver
