// A module is a native binary that was given addresses: what the binary is made of keeps its names here.
#pragma once

namespace zetl::binary {}

namespace zetl::emulator::module {

using namespace binary;

}  // namespace zetl::emulator::module
