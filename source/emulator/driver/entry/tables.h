// The functions that the driver implements: functions.def.
#pragma once

#include "driver/tables.h"
#include "emulator/driver/shared_parts.h"
