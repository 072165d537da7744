// A mend of what a compiler says of the arguments of vector code.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "binary/kernel_image.h"

namespace zetl::binary {

/// The zebin with those arguments that are described as values of eight bytes as pointers to local memory, by the
/// kernel's name and their indices (localPointerArguments). The description gets a new place at the file's end. The
/// same file if it describes none so, or is not as the compiler writes it.
Bytes withLocalPointers(Bytes zebin, const std::map<std::string, std::set<std::uint32_t>>& arguments);

}  // namespace zetl::binary
