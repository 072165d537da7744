// The parts that this driver shares with others, by their own names.
#pragma once

namespace zetl::driver {}

namespace zetl::emulator::driver {
using namespace zetl::driver;
}
