#pragma once

#include "driver/boundary.h"
#include "emulator/driver/object/shared_parts.h"
