// The functions that the driver implements.
#pragma once

#include "driver/tables.h"

namespace zetl::nvidia {

driver::Rows globalRows() noexcept;
driver::Rows deviceRows() noexcept;
driver::Rows contextRows() noexcept;
driver::Rows executionRows() noexcept;
driver::Rows listRows() noexcept;
driver::Rows programRows() noexcept;

/// Adds the functions that programs find by name alone. Call it before zeInit.
void offerProgramFunctions();

}  // namespace zetl::nvidia
