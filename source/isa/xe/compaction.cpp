// Compacted instructions: indices into fixed tables of the settings that compilers use most.
#include "isa/xe/compaction.h"

#include "isa/xe/architecture.h"
#include "isa/xe/opcodes.h"

namespace zetl::isa::xe {
namespace {

std::uint64_t part(std::uint64_t compacted, int top, int bottom) {
    return compacted >> bottom & ((1ull << (top - bottom + 1)) - 1);
}

Word expandTernary(const CompactionTables& t, std::uint64_t c, Word o, unsigned index) {
    const TernaryControl& k = t.ternaryControls[part(c, 21, 18)];
    const TernarySources& s = t.ternarySources[part(c, 25, 22)];
    const std::uint8_t* sub = t.ternarySubRegisters[index];
    o.set(20, 18, k.size);
    o.set(25, 24, k.offset);
    o.set(31, 31, k.noMask);
    o.set(34, 34, k.saturate);
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

Word expandSystolic(const CompactionTables& t, std::uint64_t c, Word o, unsigned index) {
    constexpr std::uint64_t lanes16 = 4;
    constexpr std::uint64_t depth8 = 3;
    const SystolicControl& k = t.systolicControls[part(c, 21, 18)];
    const SystolicSources& s = t.systolicSources[part(c, 25, 22)];
    const std::uint8_t* sub = t.ternarySubRegisters[index];
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
    if (type == DataType::f) return static_cast<std::uint32_t>(bits << 20);
    const auto value = isSigned(type) ? static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << 20) >> 20)
                                      : static_cast<std::uint32_t>(bits);
    return byteSize(type) == 2 ? (value & 0xffff) | value << 16 : value;
}

Word expandBinary(const CompactionTables& tables, std::uint64_t c, Word o, unsigned index, bool hasSource1) {
    const BinaryControl& k = tables.controls[part(c, 22, 18)];
    const BinaryTypes& t = tables.types[index];
    const std::uint8_t* sub = tables.subRegisters[part(c, 51, 48)];
    o.set(20, 18, k.size);
    o.set(25, 24, k.offset);
    o.set(26, 26, k.predicate);
    o.set(23, 21, k.flag);
    o.set(31, 31, k.noMask);
    o.set(34, 34, k.saturate);
    o.set(95, 92, k.condition);
    o.set(50, 50, t.dst == CompactedPlace::grf);
    o.set(39, 36, static_cast<std::uint64_t>(t.dstType));
    o.set(49, 48, t.stride);
    o.set(46, 46, t.src0 == CompactedPlace::imm);
    o.set(66, 66, t.src0 == CompactedPlace::grf);
    o.set(43, 40, static_cast<std::uint64_t>(t.src0Type));
    o.set(55, 51, sub[0] / 2u);
    const std::uint64_t immediate = part(c, 63, 52);
    if (t.src0 == CompactedPlace::imm) {
        o.set(91, 64, 0);
        o.set(127, 96, expandImmediate(immediate, t.src0Type));
        return o;
    }
    const BinarySource0& s0 = tables.sources0[part(c, 25, 23)];
    o.set(45, 44, s0.modifiers);
    o.set(80, 80, s0.indirect);
    o.set(86, 84, s0.vertical);
    o.set(83, 81, s0.width);
    o.set(71, 67, sub[1] / 2u);
    if (!hasSource1) {
        o.set(127, 96, 0);
        return o;
    }
    o.set(47, 47, t.src1 == CompactedPlace::imm);
    o.set(91, 88, static_cast<std::uint64_t>(t.src1Type));
    if (t.src1 == CompactedPlace::imm) {
        o.set(127, 96, expandImmediate(immediate, t.src1Type));
        return o;
    }
    const BinarySource1& s1 = tables.sources1[part(c, 55, 52)];
    o.set(98, 98, t.src1 == CompactedPlace::grf);
    o.set(121, 120, s1.modifiers);
    o.set(118, 116, s1.vertical);
    o.set(103, 99, s1.byte / 2u);
    return o;
}

}  // namespace

Word commonOfCompacted(std::uint64_t c) noexcept {
    Word o;
    o.set(6, 0, part(c, 6, 0));
    o.set(30, 30, part(c, 7, 7));
    o.set(17, 8, part(c, 17, 8));
    o.set(29, 29, 1);
    o.set(63, 56, part(c, 39, 32));
    o.set(79, 72, part(c, 47, 40));
    return o;
}

std::optional<Word> expandCompacted(const Architecture& architecture, std::uint64_t c) noexcept {
    const auto number = static_cast<std::uint8_t>(c & 0x7f);
    const OpcodeInfo* info = findOpcode(number);
    if (!info || !architecture.has(number) || info->format == Format::branch || info->format == Format::send) return {};
    if (!architecture.compaction) return expandOfXe3P(*info, c);
    Word o = commonOfCompacted(c);
    o.set(111, 104, part(c, 63, 56));
    const auto index = static_cast<unsigned>(part(c, 28, 26) | part(c, 31, 30) << 3);
    if (info->format == Format::three) return expandTernary(*architecture.compaction, c, o, index);
    if (info->format == Format::systolic) return expandSystolic(*architecture.compaction, c, o, index);
    return expandBinary(*architecture.compaction, c, o, index,
                        info->format == Format::two || info->format == Format::math);
}

}  // namespace zetl::isa::xe
