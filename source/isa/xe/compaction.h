// Compacted instructions: the tables of settings that their indices choose from.
//
// The positions of the indices are the same for all architectures; the tables are those of the compilers' habits, and
// differ.
#pragma once

#include <cstdint>
#include <optional>

#include "isa/xe/data_type.h"
#include "isa/xe/word.h"

namespace zetl::isa::xe {

struct Architecture;
struct OpcodeInfo;

enum class CompactedPlace : std::uint8_t { arf, grf, imm };

struct BinaryControl {  // execution size (log2), offset / 8, predicate, flag, NoMask, condition or function, saturation
    std::uint8_t size;
    std::uint8_t offset;
    std::uint8_t predicate;
    std::uint8_t flag;
    std::uint8_t noMask;
    std::uint8_t condition;
    std::uint8_t saturate = 0;
};

struct BinaryTypes {  // destination file, type, stride field; source files and types
    CompactedPlace dst;
    DataType dstType;
    std::uint8_t stride;
    CompactedPlace src0;
    DataType src0Type;
    CompactedPlace src1;
    DataType src1Type;
};

struct BinarySource0 {
    std::uint8_t modifiers;
    std::uint8_t indirect;
    std::uint8_t vertical;
    std::uint8_t width = 0;  ///< as a code
};

struct BinarySource1 {
    std::uint8_t modifiers;
    std::uint8_t vertical;
    std::uint8_t byte;
};

struct TernaryControl {  // destination file, size, offset, NoMask, float types, type codes, saturation
    std::uint8_t dstGrf;
    std::uint8_t size;
    std::uint8_t offset;
    std::uint8_t noMask;
    std::uint8_t real;
    std::uint8_t dst;
    std::uint8_t src0;
    std::uint8_t src1;
    std::uint8_t src2;
    std::uint8_t saturate = 0;
};

struct TernarySources {  // register files, modifiers, region codes
    std::uint8_t grf0;
    std::uint8_t grf1;
    std::uint8_t modifiers1;
    std::uint8_t modifiers2;
    std::uint8_t vertical0;
    std::uint8_t horizontal0;
    std::uint8_t vertical1;
    std::uint8_t horizontal1;
    std::uint8_t stride2;
};

struct SystolicControl {  // Atomic, float types, type codes
    std::uint8_t atomic;
    std::uint8_t real;
    std::uint8_t dst;
    std::uint8_t src0;
    std::uint8_t src1;
    std::uint8_t src2;
};

struct SystolicSources {  // rows less one, narrowness of the elements
    std::uint8_t rows;
    std::uint8_t narrow1;
    std::uint8_t narrow2;
};

struct CompactionTables {
    BinaryControl controls[32];
    BinaryTypes types[32];
    std::uint8_t subRegisters[16][2];
    BinarySource0 sources0[8];
    BinarySource1 sources1[16];
    TernaryControl ternaryControls[16];
    TernarySources ternarySources[16];
    std::uint8_t ternarySubRegisters[32][4];
    SystolicControl systolicControls[16];
    SystolicSources systolicSources[16];
};

extern const CompactionTables kXeHpcCompaction;
extern const CompactionTables kXe2Compaction;  ///< of Xe3, too

/// What the compacted form holds as it is, and the bit that says that it was compacted.
Word commonOfCompacted(std::uint64_t compacted) noexcept;

/// Of Xe3P, whose tables give bits of the instruction.
std::optional<Word> expandOfXe3P(const OpcodeInfo& info, std::uint64_t compacted) noexcept;

/// The 16-byte form of an 8-byte instruction, or nothing if it is reserved.
std::optional<Word> expandCompacted(const Architecture& architecture, std::uint64_t compacted) noexcept;

}  // namespace zetl::isa::xe
