// The sections .nv.info and .nv.info.<function> of a cubin. NVIDIA does not document them: what is read of them was
// found by comparing cubins.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "binary/elf_file.h"

namespace zetl::binary {

/// The known names of attributes.
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
    std::uint32_t bytes = 0;   ///< of the value, as many as are present
};

/// Attributes with their own values behind them, in order; damaged data end the list.
std::vector<CubinAttribute> cubinAttributes(ByteView section);

struct CubinFunction {
    std::uint32_t registers = 0;   ///< per CUDA thread, 4 bytes each
    std::uint32_t frameBytes = 0;  ///< per CUDA thread
};

/// By function name; functions about which the section says nothing are missing.
std::map<std::string, CubinFunction, std::less<>> readCubinInfo(const ElfFile& file);

}  // namespace zetl::binary
