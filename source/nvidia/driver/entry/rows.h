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

}  // namespace zetl::nvidia
