// When sysman answers: as in Intel's driver, after zesInit, or under ZES_ENABLE_SYSMAN=1 with the core's handles.
#pragma once

#include "base/result.h"

namespace zetl::emulator::driver {

/// Reads ZES_ENABLE_SYSMAN; to be called by what starts the driver. Later changes of the variable have no effect.
void readSysmanSwitch() noexcept;
/// zesInit was called.
void startSysman() noexcept;

/// UNINITIALIZED, with a log line, unless sysman may be asked about devices.
Status sysmanAnswers();
/// The same for zesDriverGet and what takes its handles, which zesInit alone makes.
Status sysmanStarted();

}  // namespace zetl::emulator::driver
