#pragma once

#include "driver/lifetime.h"
#include "emulator/driver/object/shared_parts.h"
