// Passes text that kernels printed to the process's standard output.
#pragma once

#include <string>

namespace zetl::emulator::driver {

/// Keeps the text of one finished launch until the next synchronization. Thread-safe.
void keepPrintf(std::string text);

/// Writes the kept text to stdout, in the order in which launches ended. Every successful synchronization of the host
/// with the device calls it. Thread-safe.
void flushPrintf() noexcept;

}  // namespace zetl::emulator::driver
