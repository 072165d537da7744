// The functions that the driver serves.
#pragma once

#include "driver/tables.h"

namespace zetl::nvidia {

driver::Rows globalRows() noexcept;
driver::Rows deviceRows() noexcept;
driver::Rows contextRows() noexcept;
driver::Rows executionRows() noexcept;
driver::Rows listRows() noexcept;
driver::Rows programRows() noexcept;

/// What programs find by name alone; before zeInit.
void offerProgramFunctions();

}  // namespace zetl::nvidia
