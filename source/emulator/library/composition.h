// The emulated driver's shared library: the driver, its device access, and the tools modules behind its zet tables, so
// that a program that loads no layer reaches the same modules.
#pragma once

namespace zetl::emulator::library {

/// Puts the modules into the driver's tables and offers device access. Does so once; every getter calls it.
void compose() noexcept;

}  // namespace zetl::emulator::library
