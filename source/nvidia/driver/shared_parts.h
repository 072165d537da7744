// Lets this driver name the parts that it shares with other drivers without their namespace.
#pragma once

#include "driver/boundary.h"
#include "driver/chain.h"
#include "driver/object.h"

namespace zetl::nvidia {
using namespace zetl::driver;
}
