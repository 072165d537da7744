#pragma once

#include "driver/output.h"
#include "emulator/driver/object/shared_parts.h"
