// Addresses in the DWARF of zebins whose symbols have lost their names.
#include "binary/debug_relocation.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/built_elf.h"

namespace zetl::binary {
namespace {

using test::append;
using test::Bytes;

constexpr std::uint64_t kFirst = 0x10000;  // where the code is
constexpr std::uint64_t kSecond = 0x20000;
constexpr std::uint64_t kInFirst = 0x40;
constexpr std::uint32_t kAddress64 = 1;

/// A unit of .debug_addr or .debug_line with one address behind `header` bytes.
Bytes unit(std::size_t header) {
    Bytes bytes;
    append(bytes, static_cast<std::uint32_t>(header + sizeof(std::uint64_t)));
    bytes.resize(bytes.size() + header + sizeof(std::uint64_t));
    return bytes;
}

/// An entry of .debug_frame in 64-bit DWARF, with the place of the common one and an address.
Bytes frame(std::uint64_t common) {
    Bytes bytes;
    append(bytes, UINT32_MAX);
    append(bytes, std::uint64_t{2 * sizeof(std::uint64_t)});
    append(bytes, common);
    append(bytes, std::uint64_t{0});
    return bytes;
}

struct Module {
    test::BuiltElf elf;
    std::uint32_t symbols = 0;
    std::uint32_t info = 0;

    explicit Module(const char* name) {
        elf.add(".text.first", SHT_PROGBITS, Bytes(64));
        elf.add(".text.second", SHT_PROGBITS, Bytes(64));
        info = elf.add(".debug_info", SHT_PROGBITS, Bytes(16));
        Bytes strings(1);
        test::appendText(strings, name);
        const auto names = elf.add(".strtab", SHT_STRTAB, strings);
        Bytes table(sizeof(Elf64_Sym));
        append(table, Elf64_Sym{1, STT_OBJECT, 0, static_cast<Elf64_Section>(info), 0, 0});
        symbols = elf.add(".symtab", SHT_SYMTAB, table, names, 1, sizeof(Elf64_Sym));
    }

    /// With address relocations at these places.
    void add(const std::string& name, const Bytes& content, const std::vector<std::uint64_t>& places,
             std::int64_t addend) {
        const auto section = elf.add(name, SHT_PROGBITS, content);
        Bytes relocations;
        for (const auto place : places) append(relocations, Elf64_Rela{place, ELF64_R_INFO(1, kAddress64), addend});
        elf.add(".rela" + name, SHT_RELA, relocations, symbols, section, sizeof(Elf64_Rela));
    }

    /// The bytes of a section when the code is where it is.
    std::vector<std::uint64_t> addresses(const std::string& name, const std::vector<std::uint64_t>& places) {
        auto bytes = elf.finished();
        reinterpret_cast<Elf64_Ehdr*>(bytes.data())->e_machine = kMachineIntelGt;
        const auto file = readElf(bytes);
        EXPECT_TRUE(file);
        std::vector<std::uint64_t> bases(file->sections.size());
        bases[1] = kFirst;
        bases[2] = kSecond;
        auto relocated = bytes;
        EXPECT_TRUE(relocateDebugData(relocated, *file, bases));
        std::vector<std::uint64_t> found;
        for (const auto place : places)
            found.push_back(*ByteView(relocated).read<std::uint64_t>(file->find(name)->fileOffset + place));
        return found;
    }
};

Bytes joined(Bytes bytes, const Bytes& more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
    return bytes;
}

TEST(DebugRelocation, UnitsWithoutNamesAreOfTheSectionsOfCodeInTheirOrder) {
    for (const char* name : {".debug_addr", ".debug_line"}) {
        Module module("");
        const std::size_t second = unit(4).size();
        module.add(name, joined(unit(4), unit(12)), {8, second + 16}, kInFirst);
        EXPECT_EQ(module.addresses(name, {8, second + 16}),
                  (std::vector<std::uint64_t>{kFirst + kInFirst, kSecond + kInFirst}))
            << name;
    }
}

TEST(DebugRelocation, FramesWithoutNamesKeepThePlaceOfTheCommonEntry) {
    Module module("");
    const std::size_t entry = frame(0).size();
    const auto common = joined(frame(UINT64_MAX), frame(0));
    module.add(".debug_frame", joined(common, joined(frame(UINT64_MAX), frame(2 * entry))),
               {entry + 12, entry + 20, 3 * entry + 12, 3 * entry + 20}, 0);
    EXPECT_EQ(module.addresses(".debug_frame", {entry + 12, entry + 20, 3 * entry + 12, 3 * entry + 20}),
              (std::vector<std::uint64_t>{0, kFirst, 0, kSecond}));
}

TEST(DebugRelocation, NamesSayWhichSection) {
    Module module(".text.second");
    module.add(".debug_addr", joined(unit(4), unit(4)), {8, 24}, 0);
    EXPECT_EQ(module.addresses(".debug_addr", {8, 24}), (std::vector<std::uint64_t>{kSecond, kSecond}));
}

TEST(DebugRelocation, DamagedUnitsHaveNoAddress) {
    Module module("");
    auto content = unit(4);
    content[0] = 0;
    module.add(".debug_addr", content, {8}, kInFirst);
    EXPECT_EQ(module.addresses(".debug_addr", {8}), (std::vector<std::uint64_t>{kInFirst}));
}

}  // namespace
}  // namespace zetl::binary
