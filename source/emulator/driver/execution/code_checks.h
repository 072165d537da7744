// What zetl check says of a module's machine code, before any of it runs.
#pragma once

#include "emulator/driver/program/module.h"

namespace zetl::emulator::driver {

/// Call it before a kernel of the module is launched. Writes findings the first time, if code is checked.
void checkCode(const Module& module) noexcept;

}  // namespace zetl::emulator::driver
