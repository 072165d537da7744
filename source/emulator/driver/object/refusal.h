#pragma once

#include "driver/refusal.h"
#include "emulator/driver/object/shared_parts.h"
