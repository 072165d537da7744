// Functions that programs call by pointers: CUDA tells a function's pointer to nobody but code of its module, so a
// variable beside each takes it along.
#pragma once

#include <string>
#include <string_view>

namespace zetl::nvidia {

/// The PTX text with a variable for each function that others may see. The same text if there is none.
std::string withFunctionPointers(std::string_view ptx);
/// The variable's name.
std::string pointerTo(std::string_view function);

}  // namespace zetl::nvidia
