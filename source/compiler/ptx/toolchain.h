// Finds LLVM's tools that compile SPIR-V to PTX.
#pragma once

#include <string>
#include <vector>

#include "compiler/command.h"

namespace zetl::compiler {

struct Toolchain {
    int version = 0;         ///< version of LLVM, the same for all tools
    std::string translator;  ///< llvm-spirv
    std::string disassembler;
    std::string linker;
    std::string optimizer;
    std::string generator;  ///< llc
    std::string library;    ///< OpenCL's functions in libclc for NVIDIA GPUs

    /// The newest complete one. If there is none, `reason` names the missing parts, and the packages that have them.
    static std::optional<Toolchain> find(std::string& reason);
    /// The files on which a build depends: the tools, and this program.
    std::vector<FileStamp> files() const;
};

}  // namespace zetl::compiler
