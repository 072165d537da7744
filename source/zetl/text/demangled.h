// Names of C++ kernels as their authors know them.
#pragma once

#include <string>

namespace zetl::command {

/// The name that a compiler has mangled (Itanium C++ ABI), as it stands in the source; of a SYCL kernel, whose name is
/// that of a type, the type. Any other name as it is. The answer comes from a file, as the name does: print it by
/// printable().
std::string demangled(const std::string& name);

}  // namespace zetl::command
