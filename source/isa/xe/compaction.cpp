// Compacted instructions: indices into fixed tables of the settings that compilers use most.
#include <optional>

#include "isa/xe/data_type.h"
#include "isa/xe/decode.h"
#include "isa/xe/opcodes.h"
#include "isa/xe/word.h"

namespace zetl::isa::xe {
namespace {

using enum DataType;

struct Control {  // execution size (log2), offset / 8, predicate, flag, NoMask, condition or function
    std::uint8_t size;
    std::uint8_t offset;
    std::uint8_t predicate;
    std::uint8_t flag;
    std::uint8_t noMask;
    std::uint8_t condition;
};
constexpr Control kControls[32] = {{4, 0, 0, 0, 0, 0},  {0, 0, 0, 0, 1, 0}, {4, 2, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0},
                                   {2, 0, 0, 0, 1, 0},  {5, 0, 0, 0, 0, 0}, {3, 0, 0, 0, 1, 0}, {4, 0, 0, 0, 1, 0},
                                   {2, 0, 0, 0, 1, 5},  {2, 0, 0, 0, 1, 4}, {1, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 1, 4},
                                   {0, 0, 0, 0, 1, 5},  {3, 0, 0, 0, 1, 5}, {4, 0, 0, 0, 0, 5}, {3, 0, 0, 0, 1, 4},
                                   {4, 0, 0, 0, 0, 4},  {0, 0, 0, 0, 0, 2}, {5, 0, 0, 0, 0, 5}, {0, 0, 0, 0, 0, 3},
                                   {5, 0, 0, 0, 0, 4},  {0, 0, 0, 0, 1, 3}, {0, 0, 0, 0, 1, 1}, {4, 2, 0, 0, 1, 0},
                                   {0, 0, 0, 0, 1, 14}, {3, 0, 0, 0, 0, 0}, {4, 0, 0, 0, 0, 1}, {4, 0, 1, 0, 0, 0},
                                   {5, 0, 1, 4, 0, 0},  {2, 0, 0, 0, 0, 0}, {5, 0, 0, 4, 0, 5}, {5, 0, 0, 2, 0, 5}};

enum Place : std::uint8_t { arf, grf, imm };
struct Types {  // destination file, type, stride field; source files and types
    Place dst;
    DataType dstType;
    std::uint8_t stride;
    Place src0;
    DataType src0Type;
    Place src1;
    DataType src1Type;
};
constexpr Types kTypes[32] = {
    {grf, q, 1, grf, q, grf, q},    {arf, ub, 1, arf, ub, arf, ub}, {grf, ud, 1, grf, ud, arf, ub},
    {grf, f, 1, grf, f, grf, f},    {grf, q, 1, grf, q, imm, w},    {grf, f, 1, grf, f, arf, ub},
    {grf, uq, 1, grf, uq, arf, ub}, {grf, f, 1, imm, f, arf, ub},   {grf, q, 1, grf, d, imm, d},
    {grf, d, 1, grf, d, grf, d},    {grf, df, 1, grf, df, grf, df}, {grf, ud, 2, grf, ud, arf, ub},
    {grf, d, 1, grf, d, imm, w},    {grf, d, 1, grf, d, arf, ub},   {grf, ud, 1, imm, ud, arf, ub},
    {grf, d, 1, imm, w, arf, ub},   {arf, d, 1, grf, d, imm, w},    {grf, q, 1, grf, q, imm, d},
    {grf, q, 1, grf, q, arf, ub},   {arf, ub, 1, imm, ud, arf, ub}, {arf, f, 1, grf, f, grf, f},
    {arf, ud, 1, arf, ud, imm, uw}, {grf, q, 1, grf, q, grf, ud},   {arf, ud, 1, grf, ud, arf, ub},
    {arf, d, 1, grf, d, grf, uw},   {grf, ud, 3, grf, ud, arf, ub}, {grf, bf, 1, grf, f, arf, ub},
    {grf, q, 1, grf, ud, imm, w},   {grf, d, 1, grf, d, imm, d},    {grf, ud, 1, grf, ud, imm, uw},
    {grf, q, 1, grf, d, imm, w},    {grf, ud, 1, grf, ud, imm, ud}};
constexpr std::uint8_t kSubRegisters[16][2] = {{0, 0},  {0, 32}, {0, 4},  {0, 16}, {0, 8},  {4, 0},  {8, 0},  {32, 0},
                                               {0, 12}, {16, 0}, {0, 48}, {8, 8},  {0, 40}, {0, 24}, {12, 0}, {16, 16}};
struct Source0 {
    std::uint8_t modifiers;
    std::uint8_t indirect;
    std::uint8_t vertical;
};
constexpr Source0 kSources0[8] = {{0, 0, 1}, {0, 0, 0}, {0, 0, 2}, {0, 0, 3},
                                  {0, 1, 7}, {2, 0, 1}, {2, 0, 0}, {0, 1, 1}};
struct Source1 {
    std::uint8_t modifiers;
    std::uint8_t vertical;
    std::uint8_t byte;
};
constexpr Source1 kSources1[16] = {{0, 0, 0},  {0, 1, 0},  {0, 0, 8},  {0, 0, 40}, {0, 2, 0},  {2, 1, 0},
                                   {0, 0, 32}, {0, 0, 16}, {0, 0, 12}, {0, 0, 4},  {0, 0, 24}, {0, 0, 48},
                                   {0, 0, 56}, {0, 1, 32}, {0, 1, 16}, {0, 3, 4}};

struct TernaryControl {  // destination file, size, offset, NoMask, float types, type codes
    std::uint8_t dstGrf;
    std::uint8_t size;
    std::uint8_t offset;
    std::uint8_t noMask;
    std::uint8_t real;
    std::uint8_t dst;
    std::uint8_t src0;
    std::uint8_t src1;
    std::uint8_t src2;
};
constexpr TernaryControl kTernaryControls[16] = {
    {1, 4, 0, 0, 1, 3, 3, 3, 3}, {1, 4, 2, 0, 1, 3, 3, 3, 3}, {0, 4, 0, 0, 1, 3, 3, 3, 3}, {1, 5, 0, 0, 1, 2, 2, 2, 2},
    {0, 5, 0, 0, 1, 2, 2, 2, 2}, {0, 4, 2, 0, 1, 3, 3, 3, 3}, {1, 4, 0, 0, 1, 2, 2, 2, 2}, {1, 5, 0, 0, 0, 6, 6, 6, 6},
    {1, 4, 0, 0, 1, 2, 2, 5, 2}, {1, 0, 0, 1, 1, 3, 3, 3, 3}, {0, 3, 0, 0, 1, 3, 3, 3, 3}, {0, 4, 0, 0, 1, 2, 2, 2, 2},
    {0, 4, 0, 0, 1, 2, 2, 5, 2}, {1, 4, 0, 0, 0, 6, 6, 6, 6}, {1, 4, 0, 0, 1, 5, 2, 5, 2}, {1, 0, 0, 1, 0, 6, 6, 6, 6}};
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
constexpr TernarySources kTernarySources[16] = {
    {1, 1, 0, 2, 1, 0, 1, 0, 1}, {1, 1, 0, 0, 1, 0, 1, 0, 1}, {0, 1, 0, 0, 1, 0, 1, 0, 0}, {0, 1, 0, 2, 1, 0, 1, 0, 1},
    {0, 1, 0, 0, 1, 0, 1, 0, 1}, {1, 1, 2, 0, 2, 1, 2, 1, 1}, {1, 0, 0, 0, 2, 1, 2, 1, 1}, {0, 1, 2, 0, 1, 0, 1, 0, 0},
    {1, 1, 0, 0, 0, 0, 0, 0, 0}, {1, 1, 0, 0, 1, 0, 1, 0, 0}, {0, 1, 0, 0, 1, 0, 0, 0, 1}, {1, 1, 0, 0, 1, 0, 0, 0, 1},
    {1, 1, 0, 0, 2, 1, 2, 1, 1}, {1, 1, 0, 0, 0, 0, 1, 0, 0}, {1, 1, 2, 0, 1, 0, 1, 0, 0}, {1, 0, 0, 0, 0, 0, 1, 0, 1}};
constexpr std::uint8_t kTernarySubRegisters[32][4] = {
    {0, 0, 0, 0},  {0, 0, 0, 32},   {0, 0, 32, 0},   {0, 0, 0, 56},  {0, 0, 0, 16},  {0, 0, 0, 40}, {0, 0, 0, 8},
    {0, 0, 0, 24}, {0, 0, 0, 48},   {2, 16, 16, 0},  {4, 16, 16, 0}, {6, 16, 16, 2}, {12, 0, 4, 8}, {16, 14, 2, 0},
    {14, 2, 6, 8}, {2, 16, 16, 14}, {10, 16, 16, 8}, {0, 8, 12, 10}, {8, 0, 4, 0},   {0, 48, 0, 0}, {0, 0, 8, 0},
    {0, 40, 0, 0}, {0, 0, 16, 0},   {0, 0, 0, 4},    {0, 0, 4, 0},   {0, 0, 0, 44},  {0, 0, 0, 36}, {0, 0, 0, 12},
    {0, 0, 0, 20}, {0, 0, 0, 52},   {0, 0, 0, 28},   {0, 0, 0, 60}};

struct SystolicControl {  // Atomic, float types, type codes
    std::uint8_t atomic;
    std::uint8_t real;
    std::uint8_t dst;
    std::uint8_t src0;
    std::uint8_t src1;
    std::uint8_t src2;
};
constexpr SystolicControl kSystolicControls[16] = {
    {1, 0, 6, 6, 0, 0}, {1, 0, 6, 6, 0, 4}, {1, 0, 6, 6, 4, 0}, {1, 0, 6, 6, 4, 4},
    {0, 0, 6, 6, 0, 0}, {0, 0, 6, 6, 4, 4}, {1, 1, 2, 2, 5, 5}, {1, 1, 2, 5, 5, 5},
    {1, 1, 5, 2, 5, 5}, {1, 1, 5, 5, 5, 5}, {0, 1, 2, 2, 5, 5}, {1, 1, 2, 2, 1, 1},
    {1, 1, 2, 1, 1, 1}, {1, 1, 1, 2, 1, 1}, {1, 1, 1, 1, 1, 1}, {0, 1, 2, 2, 1, 1}};
struct SystolicSources {  // rows less one, narrowness of the elements
    std::uint8_t rows;
    std::uint8_t narrow1;
    std::uint8_t narrow2;
};
constexpr SystolicSources kSystolicSources[16] = {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 1, 0}, {0, 1, 1}, {0, 1, 2},
                                                  {0, 2, 0}, {0, 2, 1}, {0, 2, 2}, {1, 0, 0}, {1, 0, 1}, {1, 1, 0},
                                                  {1, 1, 1}, {1, 2, 2}, {7, 0, 0}, {7, 1, 1}};

std::uint64_t part(std::uint64_t compacted, int top, int bottom) {
    return compacted >> bottom & ((1ull << (top - bottom + 1)) - 1);
}

Word expandTernary(std::uint64_t c, Word o, unsigned index) {
    const TernaryControl& k = kTernaryControls[part(c, 21, 18)];
    const TernarySources& s = kTernarySources[part(c, 25, 22)];
    const std::uint8_t* sub = kTernarySubRegisters[index];
    o.set(20, 18, k.size);
    o.set(25, 24, k.offset);
    o.set(31, 31, k.noMask);
    o.set(39, 39, k.real);
    o.set(38, 36, k.dst);
    o.set(42, 40, k.src0);
    o.set(90, 88, k.src1);
    o.set(82, 80, k.src2);
    o.set(50, 50, k.dstGrf);
    o.set(66, 66, s.grf0);
    o.set(98, 98, s.grf1);
    o.set(114, 114, 1);
    o.set(87, 86, s.modifiers1);
    o.set(85, 84, s.modifiers2);
    o.set(43, 43, s.vertical0 >> 1);
    o.set(35, 35, s.vertical0 & 1);
    o.set(65, 64, s.horizontal0);
    o.set(91, 91, s.vertical1 >> 1);
    o.set(83, 83, s.vertical1 & 1);
    o.set(97, 96, s.horizontal1);
    o.set(113, 112, s.stride2);
    o.set(55, 51, sub[0] / 2u);
    o.set(71, 67, sub[1] / 2u);
    o.set(103, 99, sub[2] / 2u);
    o.set(119, 115, sub[3] / 2u);
    o.set(127, 120, part(c, 55, 48));
    return o;
}

Word expandSystolic(std::uint64_t c, Word o, unsigned index) {
    constexpr std::uint64_t lanes16 = 4;
    constexpr std::uint64_t depth8 = 3;
    const SystolicControl& k = kSystolicControls[part(c, 21, 18)];
    const SystolicSources& s = kSystolicSources[part(c, 25, 22)];
    const std::uint8_t* sub = kTernarySubRegisters[index];
    o.set(20, 18, lanes16);
    o.set(32, 32, k.atomic);
    o.set(39, 39, k.real);
    o.set(49, 48, depth8);
    o.set(45, 43, s.rows);
    o.set(38, 36, k.dst);
    o.set(42, 40, k.src0);
    o.set(90, 88, k.src1);
    o.set(82, 80, k.src2);
    o.set(87, 86, s.narrow1);
    o.set(85, 84, s.narrow2);
    o.set(50, 50, 1);
    o.set(66, 66, 1);
    o.set(98, 98, 1);
    o.set(114, 114, 1);
    o.set(55, 51, sub[0] / 2u);
    o.set(71, 67, sub[1] / 2u);
    o.set(103, 99, sub[2] / 2u);
    o.set(119, 115, sub[3] / 2u);
    o.set(127, 120, part(c, 55, 48));
    return o;
}

std::uint32_t expandImmediate(std::uint64_t bits, DataType type) {
    if (type == f) return static_cast<std::uint32_t>(bits << 20);
    const auto value = isSigned(type) ? static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << 20) >> 20)
                                      : static_cast<std::uint32_t>(bits);
    return byteSize(type) == 2 ? (value & 0xffff) | value << 16 : value;
}

Word expandBinary(std::uint64_t c, Word o, unsigned index, bool hasSource1) {
    const Control& k = kControls[part(c, 22, 18)];
    const Types& t = kTypes[index];
    const std::uint8_t* sub = kSubRegisters[part(c, 51, 48)];
    o.set(20, 18, k.size);
    o.set(25, 24, k.offset);
    o.set(26, 26, k.predicate);
    o.set(23, 21, k.flag);
    o.set(31, 31, k.noMask);
    o.set(95, 92, k.condition);
    o.set(50, 50, t.dst == grf);
    o.set(39, 36, static_cast<std::uint64_t>(t.dstType));
    o.set(49, 48, t.stride);
    o.set(46, 46, t.src0 == imm);
    o.set(66, 66, t.src0 == grf);
    o.set(43, 40, static_cast<std::uint64_t>(t.src0Type));
    o.set(55, 51, sub[0] / 2u);
    const std::uint64_t immediate = part(c, 63, 52);
    if (t.src0 == imm) {
        o.set(91, 64, 0);
        o.set(127, 96, expandImmediate(immediate, t.src0Type));
        return o;
    }
    const Source0& s0 = kSources0[part(c, 25, 23)];
    o.set(45, 44, s0.modifiers);
    o.set(80, 80, s0.indirect);
    o.set(86, 84, s0.vertical);
    o.set(71, 67, sub[1] / 2u);
    if (!hasSource1) {
        o.set(127, 96, 0);
        return o;
    }
    o.set(47, 47, t.src1 == imm);
    o.set(91, 88, static_cast<std::uint64_t>(t.src1Type));
    if (t.src1 == imm) {
        o.set(127, 96, expandImmediate(immediate, t.src1Type));
        return o;
    }
    const Source1& s1 = kSources1[part(c, 55, 52)];
    o.set(98, 98, t.src1 == grf);
    o.set(121, 120, s1.modifiers);
    o.set(118, 116, s1.vertical);
    o.set(103, 99, s1.byte / 2u);
    return o;
}

}  // namespace

std::optional<Word> expandCompacted(std::uint64_t c) noexcept {
    const auto number = static_cast<std::uint8_t>(c & 0x7f);
    const OpcodeInfo* info = findOpcode(number);
    if (!info || info->format == Format::branch || info->format == Format::send) return {};
    Word o;
    o.set(6, 0, number);
    o.set(30, 30, part(c, 7, 7));
    o.set(17, 8, part(c, 17, 8));
    o.set(29, 29, 1);
    o.set(63, 56, part(c, 39, 32));
    o.set(79, 72, part(c, 47, 40));
    o.set(111, 104, part(c, 63, 56));
    const auto index = static_cast<unsigned>(part(c, 28, 26) | part(c, 31, 30) << 3);
    if (info->format == Format::three) return expandTernary(c, o, index);
    if (info->format == Format::systolic) return expandSystolic(c, o, index);
    return expandBinary(c, o, index, info->format == Format::two || info->format == Format::math);
}

}  // namespace zetl::isa::xe
