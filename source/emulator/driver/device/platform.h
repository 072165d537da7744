// The one machine of this process, made at the first zeInit from the configured profile.
#pragma once

#include "emulator/machine/machine.h"

namespace zetl::emulator::driver {

/// The emulated machine. Created on first use and never destroyed: static objects of the host may still launch kernels
/// while the process exits. Starts no thread by itself. Throws bad_alloc only.
machine::Machine& platform();

}  // namespace zetl::emulator::driver
