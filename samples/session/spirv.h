// Compiles OpenCL C to SPIR-V at run time: with Intel's offline compiler library (libocloc, in Debian's
// intel-opencl-icd) or, where that is missing or ZETL_LLVM is set, with Clang and the translator of LLVM.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace session {

/// The SPIR-V module of an OpenCL C source. Debug information names `file` as its source file. Ends the program, with
/// the compiler's messages, if the compiler rejects the source.
std::vector<std::uint8_t> compileToSpirv(const std::string& source, const std::string& options = "",
                                         const char* file = "kernel.cl");

}  // namespace session
