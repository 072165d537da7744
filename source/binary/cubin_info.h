// What a cubin's section .nv.info says of its functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "binary/elf_file.h"

namespace zetl::binary {

struct CubinFunction {
    std::uint32_t registers = 0;   ///< of a thread of CUDA's, 4 bytes each
    std::uint32_t frameBytes = 0;  ///< of a thread of CUDA's
};

/// By the functions' names; those that the section tells nothing of are missing. What is damaged in it is passed over:
/// NVIDIA documents it nowhere, and what is read of it was found by comparing cubins.
std::map<std::string, CubinFunction, std::less<>> readCubinInfo(const ElfFile& file);

}  // namespace zetl::binary
