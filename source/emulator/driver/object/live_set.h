#pragma once

#include "driver/live_set.h"
#include "emulator/driver/object/shared_parts.h"
