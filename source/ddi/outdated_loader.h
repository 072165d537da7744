// A loader that is too old for a run time in the same process.
#pragma once

#include "base/log.h"

namespace zetl::ddi {

/// SYCL's adapter for Level Zero has a loader's code inside that calls the process's loader by functions which older
/// ones lack, and then ends the process by a null pointer (SIGSEGV), whatever the driver. An error in the log, with the
/// remedy, if both are here. Called when a driver starts: the adapter is there then, and has not crashed yet.
void reportOutdatedLoader(log::Channel channel) noexcept;

}  // namespace zetl::ddi
