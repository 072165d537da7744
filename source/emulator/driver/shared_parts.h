// The parts that this driver shares with others, by their own names.
#pragma once

#include "driver/boundary.h"
#include "driver/chain.h"
#include "driver/object.h"

namespace zetl::emulator::driver {
using namespace zetl::driver;
}
