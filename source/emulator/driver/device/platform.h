// The one machine of this process, made at the first zeInit from the configured profile.
#pragma once

#include "emulator/machine/machine.h"

namespace zetl::emulator::driver {

/// The emulated machine. Created on first use and never destroyed: static objects of the host may still launch kernels
/// while the process exits. Starts no thread by itself. Throws machine::ProfileError if ZETL_EMULATED_DEVICE names no
/// device, and bad_alloc; the next call tries again.
machine::Machine& platform();

}  // namespace zetl::emulator::driver
