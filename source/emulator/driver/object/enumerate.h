#pragma once

#include "driver/enumerate.h"
#include "emulator/driver/object/shared_parts.h"
