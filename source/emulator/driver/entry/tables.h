// The functions that the driver implements.
#pragma once

#include "driver/tables.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

// The functions of each group of entry points; every other function logs a line and returns UNSUPPORTED_FEATURE.
Rows globalRows() noexcept;
Rows driverRows() noexcept;
Rows deviceRows() noexcept;
Rows contextRows() noexcept;
Rows memoryRows() noexcept;
Rows memorySharingRows() noexcept;
Rows eventRows() noexcept;
Rows counterEventRows() noexcept;
Rows mutationRows() noexcept;
Rows runtimeRows() noexcept;
Rows requirementsRows() noexcept;
Rows queueRows() noexcept;
Rows listRows() noexcept;
Rows listMemoryRows() noexcept;
Rows moduleRows() noexcept;
Rows kernelRows() noexcept;
Rows launchRows() noexcept;
Rows virtualMemoryRows() noexcept;
Rows fabricRows() noexcept;
Rows sysmanRows() noexcept;
Rows sysmanComponentRows() noexcept;

}  // namespace zetl::emulator::driver
