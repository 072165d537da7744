#pragma once

#include "driver/chain.h"
#include "emulator/driver/object/shared_parts.h"
