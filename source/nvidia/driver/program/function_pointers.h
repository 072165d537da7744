// Functions that programs call by pointers. CUDA gives a function's pointer only to code of its module, so a variable
// beside each function carries it.
#pragma once

#include <string>
#include <string_view>

namespace zetl::nvidia {

/// The PTX text with a variable for each externally visible function. The same text if there is none.
std::string withFunctionPointers(std::string_view ptx);
/// The variable's name.
std::string pointerTo(std::string_view function);

}  // namespace zetl::nvidia
