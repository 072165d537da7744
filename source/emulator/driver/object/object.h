#pragma once

#include "driver/object.h"
#include "emulator/driver/object/shared_parts.h"
