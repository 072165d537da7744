// Compacted instructions of Xe3P: as those of other architectures, but types of one source have a table of their own,
// and the second source has no region. Read in Intel's graphics compiler,
// visa/iga/GEDLibrary/GED_external/build/autogen-intel64/ged_compaction_tables.cpp and ged_mapping_fragments.cpp, and
// compared with libiga64 2.40.14 over the code of a corpus of kernels.
#include <cstddef>

#include "isa/xe/compaction.h"
#include "isa/xe/opcodes.h"

namespace zetl::isa::xe {
namespace {

/// Bits of an entry, from `from` on, that are bits of the instruction, from `to` on.
struct Part {
    std::uint8_t from;
    std::uint8_t bits;
    std::uint8_t to;
};
template <std::size_t Entries, std::size_t Parts>
struct Table {
    Part parts[Parts];
    std::uint64_t entries[Entries];

    void put(Word& word, std::uint64_t index) const {
        for (const Part& part : parts)
            word.set(part.to + part.bits - 1, part.to, entries[index] >> part.from & ((1ull << part.bits) - 1));
    }
};

constexpr Table<32, 5> kControls{
    .parts = {{0, 11, 18}, {11, 1, 31}, {12, 1, 32}, {13, 1, 34}, {14, 4, 92}},
    .entries = {0x4,     0x800,  0x84,    0,      0x804,  0x10004, 0x14004, 0x802,   0x5,     0x803,  0xc800,
                0x2004,  0x4004, 0x801,   0xc004, 0x4800, 0x14802, 0x10800, 0x10802, 0x14800, 0x8004, 0x124,
                0x14803, 0x11c,  0x10803, 0x10c,  0x114,  0x134,   0x13c,   0x12c,   0x104,   0x14024}};
constexpr Table<32, 4> kTypesOfOne{
    .parts = {{0, 9, 35}, {9, 1, 46}, {10, 3, 48}, {13, 1, 66}},
    .entries = {0x3554, 0x2554, 0x3444, 0x1554, 0x34ee, 0x400,  0x1644, 0x34cc, 0x554,  0x1754, 0x3466,
                0x3844, 0x34ce, 0x24cc, 0x3576, 0x1444, 0x16ac, 0x2444, 0x2444, 0x2444, 0x2444, 0x2444,
                0x2444, 0x2444, 0x2444, 0x2444, 0x2444, 0x2444, 0x2444, 0x2444, 0x2444, 0x2444}};
constexpr Table<32, 6> kTypes{
    .parts = {{0, 8, 35}, {8, 1, 39}, {9, 5, 46}, {14, 1, 66}, {15, 4, 88}, {19, 1, 98}},
    .entries = {0xd6954, 0xd4954, 0x6954,  0x6844,  0x56d54, 0xd2954, 0xbe8ee, 0x800,   0x56954, 0x2a44,  0x2eccc,
                0xd0954, 0x54954, 0x54d54, 0x2b54,  0x68cc,  0x2ecee, 0x6866,  0x50954, 0xb68cc, 0x52954, 0x7044,
                0x36cce, 0x2cccc, 0xde976, 0x52d54, 0x96844, 0x2844,  0xec44,  0x2aac,  0x50d54, 0x4844}};
constexpr Table<32, 5> kTypesWithImmediate{
    .parts = {{0, 8, 35}, {8, 1, 39}, {9, 5, 46}, {14, 1, 66}, {15, 4, 88}},
    .entries = {0x56954, 0x54954, 0x6954,  0x6844,  0x56d54, 0x52954, 0x3e8ee, 0x800,   0x56954, 0x2a44,  0x2eccc,
                0x50954, 0x54954, 0x54d54, 0x2b54,  0x68cc,  0x2ecee, 0x6866,  0x50954, 0x368cc, 0x52954, 0x7044,
                0x36cce, 0x2cccc, 0x5e976, 0x52d54, 0x16844, 0x2844,  0xec44,  0x2aac,  0x50d54, 0x4844}};
constexpr Table<16, 4> kSubRegisters{
    .parts = {{0, 1, 33}, {1, 5, 51}, {6, 5, 67}, {11, 1, 87}},
    .entries = {0, 0x80, 0x4, 0x400, 0x200, 0x8, 0x100, 0x500, 0x600, 0x180, 0x10, 0x680, 0x300, 0x700, 0x580, 0x480}};
constexpr Table<8, 3> kSources0{.parts = {{0, 2, 44}, {2, 2, 64}, {4, 7, 80}},
                                .entries = {0x100, 0, 0x200, 0x102, 0x300, 0x101, 0x2, 0x240}};
constexpr Table<16, 4> kSources1{.parts = {{0, 2, 96}, {2, 5, 99}, {7, 7, 112}, {14, 2, 120}},
                                 .entries = {0, 0x800, 0x8000, 0x810, 0x808, 0x818, 0x850, 0x840, 0x820, 0x878, 0x838,
                                             0x828, 0x858, 0x848, 0x870, 0x830}};
constexpr Table<16, 11> kTernaryControls{
    .parts = {{0, 11, 18},
              {11, 1, 31},
              {12, 1, 32},
              {13, 1, 34},
              {14, 7, 36},
              {21, 1, 48},
              {22, 1, 50},
              {23, 3, 80},
              {26, 3, 88},
              {29, 3, 92},
              {32, 1, 95}},
    .entries = {0x94a8004, 0x90a8004, 0x94a8804, 0x90a8804, 0xdcec004, 0xdcec084, 0xd8ec004, 0x94a8005, 0x90a8005,
                0x90aa004, 0x94aa004, 0xd8ec084, 0x94a8800, 0x9488004, 0x1b598005, 0xd8ec003}};
constexpr Table<16, 11> kSystolicControls{
    .parts = {{0, 11, 18},
              {11, 1, 31},
              {12, 1, 32},
              {13, 1, 33},
              {14, 1, 34},
              {15, 7, 36},
              {22, 3, 48},
              {25, 3, 80},
              {28, 3, 88},
              {31, 1, 92},
              {32, 3, 93}},
    .entries = {0x1f31004, 0x9f31004, 0x41f31004, 0x49f31004, 0x1f30004, 0x49f30004, 0x5bd51004, 0x5bed1004, 0x5bd69004,
                0x5bee9004, 0x5bd50004, 0x13d51004, 0x13cd1004, 0x13d49004, 0x13cc9004, 0x13d50004}};
constexpr Table<16, 8> kTernarySources{
    .parts = {{0, 1, 35}, {1, 5, 43}, {6, 1, 49}, {7, 3, 64}, {10, 4, 84}, {14, 1, 91}, {15, 3, 96}, {18, 3, 112}},
    .entries = {0x160201, 0x160001, 0x120200, 0x120001, 0x120201, 0x100200, 0x100201, 0x160a01, 0x140201, 0x140001,
                0x100001, 0x120240, 0x120241, 0x160801, 0x122201, 0x122001}};
constexpr Table<16, 7> kSystolicSources{
    .parts = {{0, 1, 35}, {1, 5, 43}, {6, 3, 64}, {9, 5, 83}, {14, 1, 91}, {15, 3, 96}, {18, 3, 112}},
    .entries = {0x120100, 0x120500, 0x120900, 0x121100, 0x121500, 0x121900, 0x122100, 0x122500, 0x122900, 0x120102,
                0x120502, 0x121102, 0x121502, 0x122902, 0x12010e, 0x12150e}};
constexpr Table<32, 4> kTernarySubRegisters{
    .parts = {{0, 5, 51}, {5, 5, 67}, {10, 5, 99}, {15, 5, 115}},
    .entries = {0,       0x20000, 0x80000, 0x10000, 0xe0000, 0x50000, 0xb0000, 0x400c0, 0x60000, 0xa0000, 0xc0000,
                0x40000, 0x70180, 0xa0240, 0xd0300, 0x70000, 0xf0000, 0x90000, 0x30000, 0x20080, 0x10040, 0x300c0,
                0xd0000, 0x40,    0x5800,  0x4000,  0x80,    0x300,   0x340,   0x6800,  0x200,   0x3c0}};

/// Data types, by index, with which the last source is an immediate.
constexpr std::uint32_t kImmediateOfOne = 0x10240;
constexpr std::uint32_t kImmediateOfTwo = 0x52c12410;

constexpr std::uint64_t compactedBits(std::uint64_t compacted, int top, int bottom) {
    return compacted >> bottom & ((1ull << (top - bottom + 1)) - 1);
}

/// Twelve bits as an immediate of the type; nothing if it has no such form.
std::optional<std::uint32_t> immediateOfXe3P(std::uint64_t bits, DataType type) {
    const auto both = [](std::uint32_t half) { return half << 16 | half; };
    const auto value = static_cast<std::uint32_t>(bits);
    const auto extended = static_cast<std::uint32_t>(static_cast<std::int32_t>(value << 20) >> 20);
    switch (type) {
        case DataType::ub:
        case DataType::ud:
        case DataType::b:
        case DataType::bf8:
            return value;
        case DataType::uw:
            return both(value);
        case DataType::w:
            return both(extended & 0xffff);
        case DataType::d:
            return extended;
        case DataType::hf:
            return both(value << 4);
        case DataType::f:
            return value << 20;
        default:
            return {};
    }
}

std::optional<Word> expandOneOrTwo(std::uint64_t c, Word o, unsigned index, bool hasSource1) {
    const bool isImmediate = ((hasSource1 ? kImmediateOfTwo : kImmediateOfOne) >> index & 1) != 0;
    kControls.put(o, compactedBits(c, 22, 18));
    if (!hasSource1)
        kTypesOfOne.put(o, index);
    else if (isImmediate)
        kTypesWithImmediate.put(o, index);
    else
        kTypes.put(o, index);
    kSubRegisters.put(o, compactedBits(c, 51, 48));
    kSources0.put(o, compactedBits(c, 25, 23));
    if (isImmediate) {
        const int type = hasSource1 ? 88 : 40;
        const auto value = immediateOfXe3P(compactedBits(c, 63, 52), static_cast<DataType>(o.field(type + 3, type)));
        if (!value) return {};
        if (!hasSource1) o.set(79, 72, 0);
        o.set(127, 96, *value);
    } else if (hasSource1) {
        kSources1.put(o, compactedBits(c, 55, 52));
        o.set(111, 104, compactedBits(c, 63, 56));
    }
    return o;
}

Word expandThree(std::uint64_t c, Word o, unsigned index, bool systolic) {
    if (systolic) {
        kSystolicControls.put(o, compactedBits(c, 21, 18));
        kSystolicSources.put(o, compactedBits(c, 25, 22));
    } else {
        kTernaryControls.put(o, compactedBits(c, 21, 18));
        kTernarySources.put(o, compactedBits(c, 25, 22));
    }
    kTernarySubRegisters.put(o, index);
    o.set(111, 104, compactedBits(c, 63, 56));
    o.set(127, 120, compactedBits(c, 55, 48));
    return o;
}

}  // namespace

std::optional<Word> expandOfXe3P(const OpcodeInfo& info, std::uint64_t c) noexcept {
    Word o = commonOfCompacted(c);
    const auto index = static_cast<unsigned>(compactedBits(c, 28, 26) | compactedBits(c, 31, 30) << 3);
    switch (info.format) {
        case Format::one:
        case Format::sync:
            return expandOneOrTwo(c, o, index, false);
        case Format::two:
            return expandOneOrTwo(c, o, index, true);
        case Format::three:
            return expandThree(c, o, index, false);
        case Format::systolic:
            if (info.opcode != Opcode::dpas) return {};
            return expandThree(c, o, index, true);
        default:
            return {};
    }
}

}  // namespace zetl::isa::xe
