// printf by CUDA's function of the same kind: the driver prints what kernels leave in its buffer.
#pragma once

#include <string>
#include <string_view>

namespace zetl::compiler {

/// CUDA's function, which is defined where the PTX is linked.
inline constexpr std::string_view kVprintf = "vprintf";

/// The module with calls of printf that pass their arguments in memory. Calls with vectors stay as they are.
std::string withPrintf(std::string_view module);

}  // namespace zetl::compiler
