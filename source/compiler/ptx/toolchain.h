// Where LLVM's tools lie that make PTX of SPIR-V.
#pragma once

#include <string>
#include <vector>

#include "compiler/command.h"

namespace zetl::compiler {

struct Toolchain {
    int version = 0;         ///< LLVM's; all tools are of it
    std::string translator;  ///< llvm-spirv
    std::string disassembler;
    std::string linker;
    std::string optimizer;
    std::string generator;  ///< llc
    std::string library;    ///< OpenCL's functions as libclc has them for NVIDIA's GPUs

    /// The newest that is complete. None: `reason` says what is missing, and the packages that have it.
    static std::optional<Toolchain> find(std::string& reason);
    /// What a build depends on: they, and this program.
    std::vector<FileStamp> files() const;
};

}  // namespace zetl::compiler
