// The emulated driver's shared library: the driver, its device access, and the tools modules behind its zet tables, so
// that a program that takes no layer slot reaches the same modules.
#pragma once

namespace zetl::emulator::library {

/// Puts the modules into the driver's tables and offers device access. Does so once; called by every getter.
void compose() noexcept;

}  // namespace zetl::emulator::library
