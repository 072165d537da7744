// Programs of CUDA's toolkit.
#pragma once

#include <string>
#include <string_view>

namespace zetl::command {

/// The path of the first program of that name in PATH, or in the toolkit's usual directory; empty if there is none.
std::string cudaTool(std::string_view name);

}  // namespace zetl::command
