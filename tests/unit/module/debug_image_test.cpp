#include "emulator/module/debug_image.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "binary/elf_file.h"
#include "binary/intel_notes.h"
#include "compiled.h"

namespace zetl::emulator::module {
namespace {

TEST(DebugImage, IsAnExecutableWithLoadAddresses) {
    const LinkedModule module = placed(readCompiled(kProgramScope));
    const auto image = makeDebugImage(module);
    ASSERT_TRUE(image);
    const auto header = *binary::ByteView(*image).read<Elf64_Ehdr>(0);
    EXPECT_EQ(header.e_type, ET_EXEC);
    EXPECT_EQ(header.e_machine, 205);
    const auto file = binary::readElf(*image);
    ASSERT_TRUE(file);
    const binary::KernelImage& kernel = *module.image().kernel("scope");
    bool code = false;
    bool variables = false;
    for (int i = 0; i < header.e_phnum; ++i) {
        const auto segment = *binary::ByteView(*image).read<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
        EXPECT_EQ(segment.p_type, static_cast<std::uint32_t>(PT_LOAD));
        code |= segment.p_vaddr == module.kernelAddress(kernel) && (segment.p_flags & PF_X);
        variables |= segment.p_vaddr == kAddresses.data[1] && (segment.p_flags & PF_W);
    }
    EXPECT_TRUE(code);
    EXPECT_TRUE(variables);
}

TEST(DebugImage, SymbolsAreAbsolute) {
    const LinkedModule module = placed(readCompiled(kProgramScope));
    const auto image = makeDebugImage(module);
    ASSERT_TRUE(image);
    const auto file = binary::readElf(*image);
    const auto symbols = file->symbols(*file->find(".symtab"));
    ASSERT_TRUE(symbols);
    const auto counter = std::ranges::find(*symbols, "counter", &binary::ElfFile::Symbol::name);
    ASSERT_NE(counter, symbols->end());
    EXPECT_EQ(counter->value, module.variable("counter")->address);
}

// A debugger's view: libdw maps a code address to a source line.
TEST(DebugImage, LinesAreFoundByDeviceAddress) {
    const LinkedModule module = placed(readCompiled(kVectorAdd, "-cl-std=CL2.0 -g"));
    auto image = makeDebugImage(module);
    ASSERT_TRUE(image);
    elf_version(EV_CURRENT);
    Elf* elf = elf_memory(reinterpret_cast<char*>(image->data()), image->size());
    Dwarf* dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nullptr);
    ASSERT_NE(dwarf, nullptr) << dwarf_errmsg(-1);
    const binary::KernelImage& kernel = module.image().kernels.at(0);
    const std::uint64_t start = module.kernelAddress(kernel);
    const std::uint64_t size = module.image().code[kernel.codeSection].bytes.size();
    std::size_t bytes = 0;
    Dwarf_Off offset = 0;
    Dwarf_Off next = 0;
    int inside = 0;
    int third = 0;
    while (dwarf_nextcu(dwarf, offset, &next, &bytes, nullptr, nullptr, nullptr) == 0) {
        Dwarf_Die unit;
        ASSERT_NE(dwarf_offdie(dwarf, offset + bytes, &unit), nullptr);
        Dwarf_Lines* lines = nullptr;
        std::size_t count = 0;
        ASSERT_EQ(dwarf_getsrclines(&unit, &lines, &count), 0);
        for (std::size_t i = 0; i < count; ++i) {
            Dwarf_Addr address = 0;
            int line = 0;
            dwarf_lineaddr(dwarf_onesrcline(lines, i), &address);
            dwarf_lineno(dwarf_onesrcline(lines, i), &line);
            inside += address >= start && address <= start + size;
            third += address >= start && address < start + size && line == 3;
        }
        offset = next;
    }
    EXPECT_GT(inside, 3);
    EXPECT_GT(third, 0) << "the addition stands on line 3";
    dwarf_end(dwarf);
    elf_end(elf);
}

/// Values of the notes of one word, by type.
std::map<std::uint32_t, std::uint32_t> notesOf(const binary::Bytes& image) {
    std::map<std::uint32_t, std::uint32_t> values;
    const auto file = binary::readElf(image);
    const binary::ElfFile::Section* section = file ? file->find(".note.intelgt.compat") : nullptr;
    for (std::uint64_t at = 0; section && section->content.holds(at, sizeof(Elf64_Nhdr));) {
        const auto note = *section->content.read<Elf64_Nhdr>(at);
        const std::uint64_t value = at + sizeof note + (note.n_namesz + 3) / 4 * 4;
        if (note.n_descsz == 4) values[note.n_type] = section->content.read<std::uint32_t>(value).value_or(0);
        at = value + (note.n_descsz + 3) / 4 * 4;
    }
    return values;
}

// The compiler leaves the core family at 0, by which debuggers recognise the device.
TEST(DebugImage, NotesStateTheFamilies) {
    const LinkedModule module = placed(readCompiled(kVectorAdd));
    const auto before = notesOf(module.image().native);
    ASSERT_EQ(before.at(1), 1271u);
    ASSERT_EQ(before.at(2), 0u);
    const auto image = makeDebugImage(module);
    ASSERT_TRUE(image);
    auto expected = before;
    expected[2] = 0xC08;
    EXPECT_EQ(notesOf(*image), expected) << "and nothing else has changed";
}

/// A note section with notes of this owner: type and value.
binary::Bytes notes(std::string_view owner, std::initializer_list<std::pair<std::uint32_t, std::uint32_t>> values) {
    binary::Bytes bytes;
    const auto append = [&](const void* data, std::size_t size) {
        bytes.insert(bytes.end(), static_cast<const std::uint8_t*>(data),
                     static_cast<const std::uint8_t*>(data) + size);
    };
    for (const auto& [type, value] : values) {
        const Elf64_Nhdr header{static_cast<std::uint32_t>(owner.size() + 1), sizeof value, type};
        append(&header, sizeof header);
        append(std::string(owner).c_str(), owner.size() + 1);
        bytes.resize((bytes.size() + 3) / 4 * 4);
        append(&value, sizeof value);
    }
    return bytes;
}

TEST(DebugImage, NotesThatSayMoreStayAsTheyAre) {
    auto section = notes("IntelGT", {{1, 0}, {2, 0}, {3, 0}, {6, 0}});
    binary::stateFamilies(section, {});
    EXPECT_EQ(section, notes("IntelGT", {{1, 1271}, {2, 0xC08}, {3, 0}, {6, 0}}));
    const auto stated = notes("IntelGT", {{1, 1270}, {2, 7}});
    const auto foreign = notes("GNU", {{1, 0}, {2, 0}});
    for (const binary::Bytes& each : {stated, foreign}) {
        section = each;
        binary::stateFamilies(section, {});
        EXPECT_EQ(section, each);
    }
    section = notes("IntelGT", {{2, 0}});
    for (std::size_t size = 0; size < section.size(); ++size) {
        binary::Bytes damaged(section.begin(), section.begin() + static_cast<std::ptrdiff_t>(size));
        const binary::Bytes before = damaged;
        binary::stateFamilies(damaged, {});
        EXPECT_EQ(damaged, before);
    }
}

TEST(DebugImage, PatchTokensStayAsTheyAre) {
    const LinkedModule module = placed(readCompiled(kVectorAdd, "", false));
    const auto image = makeDebugImage(module);
    ASSERT_TRUE(image);
    EXPECT_EQ(*image, module.image().native);
}

}  // namespace
}  // namespace zetl::emulator::module
