// The global offset of a launch, for which CUDA has no place: kernels get three more parameters, the last ones, and
// keep them in local memory for the functions that they call.
#pragma once

#include <string>
#include <string_view>

namespace zetl::compiler {

/// The module, as withBuiltins() returns it, with these parameters. The same if it has none of the functions.
std::string withOffsetParameters(std::string_view module);
bool hasOffsetParameters(std::string_view module);
/// PTX with a constant by which the driver knows its kernels (kTakesGlobalOffset).
std::string withOffsetMark(std::string ptx);

}  // namespace zetl::compiler
