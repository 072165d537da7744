#pragma once

#include "driver/append_parameters.h"
#include "emulator/driver/object/shared_parts.h"
