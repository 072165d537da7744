// What a cubin's sections .nv.info and .nv.info.<function> say. NVIDIA documents them nowhere: what is read of them was
// found by comparing cubins.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "binary/elf_file.h"

namespace zetl::binary {

/// What is known of the attributes' names.
enum class CubinAttributeName : std::uint8_t {
    frameSize = 0x11,                  ///< symbol, bytes
    exitOffsets = 0x1c,                ///< offsets of instructions in the code, 4 bytes each
    specialRegisterOffsets = 0x1d,     ///< offsets, too
    cooperativeGroupOffsets = 0x28,    ///< offsets, too
    registerCount = 0x2f,              ///< symbol, registers
    warpWideInstructionOffsets = 0x31  ///< offsets, too
};

struct CubinAttribute {
    CubinAttributeName name;
    std::uint64_t offset = 0;  ///< of the value, in the section
    std::uint32_t bytes = 0;   ///< of the value, as many as are there
};

/// Those with values of their own behind them, in order; what is damaged ends the list.
std::vector<CubinAttribute> cubinAttributes(ByteView section);

struct CubinFunction {
    std::uint32_t registers = 0;   ///< of a thread of CUDA's, 4 bytes each
    std::uint32_t frameBytes = 0;  ///< of a thread of CUDA's
};

/// By the functions' names; those that the section tells nothing of are missing.
std::map<std::string, CubinFunction, std::less<>> readCubinInfo(const ElfFile& file);

}  // namespace zetl::binary
