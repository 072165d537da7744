#pragma once

#include "driver/build_log.h"
#include "emulator/driver/object/shared_parts.h"
