// Cubins for Hopper with code of a test's own: instructions in NVIDIA's encoding, as nvdisasm says they are.
#pragma once

#include <initializer_list>

#include "support/built_elf.h"

namespace zetl::test::sass {

struct Word {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
};

inline constexpr std::uint32_t kBytes = 16;
inline constexpr std::uint64_t kUnderP0 = 0x7000;  ///< taken from the low word of an instruction without a predicate

/// In fields of 8, 30 and 18 bits, in units of four bytes.
constexpr Word withDisplacement(Word word, std::int64_t bytes) {
    const auto units = static_cast<std::uint64_t>(bytes / 4);
    word.low |= (units & 0xff) << 16 | units >> 8 << 34;
    word.high |= units >> 38 & 0x3ffff;
    return word;
}

/// IADD3 R0, R0, value, RZ: does something that can be told from others.
constexpr Word straight(std::uint32_t value) {
    return {0x0000000000007810 | std::uint64_t{value} << 32, 0x000fe20007ffe0ff};
}
constexpr Word branch(std::int64_t by) { return withDisplacement({0x7947, 0x000fea0003800000}, by); }
constexpr Word branchIf(std::int64_t by) { return withDisplacement({0x0947, 0x000fea0003800000}, by); }
constexpr Word exit() { return {0x794d, 0x000fea0003800000}; }
constexpr Word exitIf() { return {0x094d, 0x000fea0003800000}; }
constexpr Word call(std::int64_t by) { return withDisplacement({0x7944, 0x000fea0003c00000}, by); }
constexpr Word leave() { return {0x14007950, 0x001fec0003e00000}; }
constexpr Word branchAnywhere() { return {0x2007949, 0x000fea0003800000}; }
constexpr Word convergenceSync() { return {0x7941, 0x000fea0003800000}; }
/// BSSY B0: the barrier's number stands where others have the low bits of the displacement.
constexpr Word convergenceSet(std::int64_t by) {
    const auto units = static_cast<std::uint64_t>(by / 4);
    return {0x7945 | units << 34, 0x000fe20003800000 | (units >> 30 & 0x3ffff)};
}
constexpr Word nop() { return {0x7918, 0x000fc00000000000}; }

inline Bytes codeOf(const std::vector<Word>& words) {
    Bytes code;
    for (const Word& word : words) append(code, word);
    while (code.size() % 128 != 0) append(code, nop());
    return code;
}

struct Kernel {
    std::vector<Word> code;
    std::uint32_t registers = 12;
    std::vector<std::uint32_t> exits = {};        ///< offsets, as the driver reads them
    std::vector<std::uint32_t> relocations = {};  ///< offsets
};

inline constexpr std::uint32_t kHopper = 0x6005a04;
inline constexpr std::uint32_t kAda = 0x6005904;
inline constexpr std::uint8_t kLayout = 8;

inline void appendAttribute(Bytes& info, std::uint8_t name, const std::vector<std::uint32_t>& values) {
    info.push_back(4);
    info.push_back(name);
    append(info, static_cast<std::uint16_t>(values.size() * sizeof(std::uint32_t)));
    for (const std::uint32_t value : values) append(info, value);
}

/// With the kernel "k", and what the driver reads of it.
inline Bytes cubinOf(const Kernel& kernel, std::uint32_t flags = kHopper, std::uint8_t version = kLayout) {
    BuiltElf file;
    Bytes strings(1);
    appendText(strings, "k");
    const Bytes code = codeOf(kernel.code);
    const auto arguments = file.add(".nv.constant0.k", SHT_PROGBITS, Bytes(16));
    const auto text = file.add(".text.k", SHT_PROGBITS, code);
    const auto behind = file.add(".nv.global.init", SHT_PROGBITS, Bytes(8));
    file.addSegment(arguments, text);
    file.addSegment(behind, behind);
    const auto names = file.add(".strtab", SHT_STRTAB, strings);
    Bytes symbols(sizeof(Elf64_Sym));
    append(symbols,
           Elf64_Sym{1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, static_cast<Elf64_Section>(text), 0, code.size()});
    const auto table = file.add(".symtab", SHT_SYMTAB, symbols, names, 1, sizeof(Elf64_Sym));
    Bytes info;
    appendAttribute(info, 0x11, {1, 0});
    appendAttribute(info, 0x2f, {1, kernel.registers});
    file.add(".nv.info", SHT_LOPROC, info, table);
    Bytes ofKernel{3, 0x1b, 255, 0};
    appendAttribute(ofKernel, 0x1c, kernel.exits);
    file.add(".nv.info.k", SHT_LOPROC, ofKernel, table, text);
    Bytes relocations;
    for (const std::uint32_t offset : kernel.relocations)
        append(relocations, Elf64_Rela{offset, ELF64_R_INFO(1, 0x38), 0});
    file.add(".rela.text.k", SHT_RELA, relocations, table, text, sizeof(Elf64_Rela));
    return file.finished(flags, version);
}

}  // namespace zetl::test::sass
