#include "emulator/module/debug_image.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "binary/elf_file.h"
#include "binary/intel_notes.h"
#include "compiled.h"

namespace zetl::emulator::module {
namespace {

/// In both containers.
class DebugImages : public testing::TestWithParam<bool> {
  protected:
    static LinkedModule module(const char* source, const char* flags = "-cl-std=CL2.0") {
        return placed(readCompiled(source, flags, GetParam()));
    }
};
INSTANTIATE_TEST_SUITE_P(Containers, DebugImages, testing::Values(true, false),
                         [](const auto& info) { return info.param ? "zebin" : "patchTokens"; });

TEST_P(DebugImages, AreExecutablesWithLoadAddresses) {
    const LinkedModule module = this->module(kProgramScope);
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

TEST_P(DebugImages, SymbolsAreAbsolute) {
    const LinkedModule module = this->module(kFunctions, "-cl-std=CL2.0 -cl-opt-disable");
    const auto image = makeDebugImage(module);
    ASSERT_TRUE(image);
    const auto file = binary::readElf(*image);
    const auto symbols = file->symbols(*file->find(".symtab"));
    ASSERT_TRUE(symbols);
    const auto counter = std::ranges::find(*symbols, "counter", &binary::ElfFile::Symbol::name);
    ASSERT_NE(counter, symbols->end());
    EXPECT_EQ(counter->value, module.variable("counter")->address);
    const auto scope = std::ranges::find(*symbols, "scope", &binary::ElfFile::Symbol::name);
    ASSERT_NE(scope, symbols->end());
    EXPECT_EQ(scope->value, module.kernelAddress(*module.image().kernel("scope")));
}

// A debugger's view: libdw maps a code address to a source line.
TEST_P(DebugImages, LinesAreFoundByDeviceAddress) {
    const LinkedModule module = this->module(kVectorAdd, "-cl-std=CL2.0 -g");
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
    binary::stateFamilies(section, zetl::isa::xe::kPvc);
    EXPECT_EQ(section, notes("IntelGT", {{1, 1271}, {2, 0xC08}, {3, 0}, {6, 0}}));
    const auto stated = notes("IntelGT", {{1, 1270}, {2, 7}});
    const auto foreign = notes("GNU", {{1, 0}, {2, 0}});
    for (const binary::Bytes& each : {stated, foreign}) {
        section = each;
        binary::stateFamilies(section, zetl::isa::xe::kPvc);
        EXPECT_EQ(section, each);
    }
    section = notes("IntelGT", {{2, 0}});
    for (std::size_t size = 0; size < section.size(); ++size) {
        binary::Bytes damaged(section.begin(), section.begin() + static_cast<std::ptrdiff_t>(size));
        const binary::Bytes before = damaged;
        binary::stateFamilies(damaged, zetl::isa::xe::kPvc);
        EXPECT_EQ(damaged, before);
    }
}

// Their container states the core family alone.
TEST(PatchTokenImage, StatesTheFamilies) {
    const auto image = makeDebugImage(placed(readCompiled(kVectorAdd, "", false)));
    ASSERT_TRUE(image);
    EXPECT_EQ(notesOf(*image), (std::map<std::uint32_t, std::uint32_t>{{1, 1271}, {2, 0xC08}}));
}

TEST(PatchTokenImage, IsReadAsNativeBinariesAre) {
    const LinkedModule module = placed(readCompiled(kArguments, "-cl-std=CL2.0 -ze-gtpin-grf-info", false));
    const auto image = makeDebugImage(module);
    ASSERT_TRUE(image);
    const auto file = binary::readElf(*image);
    ASSERT_TRUE(file);
    const auto* const record = file->find(".gtpin_info.args");
    ASSERT_NE(record, nullptr);
    const binary::Bytes stored(record->content.begin(), record->content.end());
    EXPECT_EQ(stored, module.image().kernels.at(0).gtpin->raw);
    EXPECT_EQ(file->find(".debug_info"), nullptr) << "built without -g";
    const auto& code = file->find(".text.args")->content;
    EXPECT_EQ(binary::Bytes(code.begin(), code.end()), module.image().code.at(0).bytes);
}

constexpr const char* kTwoKernels =
    "__attribute__((noinline)) int helper(int i, global int* o) { int three = 3;\n"
    "    return o[i] * three; }\n"
    "kernel void first(global int* o) { int i = get_global_id(0); o[i] = helper(i, o); }\n"
    "kernel void second(global int* o) { int i = get_global_id(0); o[i] = helper(i + 1, o); }\n";

/// libdw on an image.
class Dwarfs {
  public:
    explicit Dwarfs(binary::Bytes& image) {
        elf_version(EV_CURRENT);
        elf_ = elf_memory(reinterpret_cast<char*>(image.data()), image.size());
        dwarf_ = dwarf_begin_elf(elf_, DWARF_C_READ, nullptr);
    }
    ~Dwarfs() {
        dwarf_end(dwarf_);
        elf_end(elf_);
    }
    Dwarf* get() const { return dwarf_; }
    const unsigned char* identity() const {
        return reinterpret_cast<const unsigned char*>(elf_getident(elf_, nullptr));
    }

  private:
    Elf* elf_ = nullptr;
    Dwarf* dwarf_ = nullptr;
};

/// Visits the entry and what is below it.
template <class F>
void eachEntry(Dwarf_Die entry, F&& visit) {
    visit(entry);
    Dwarf_Die child;
    if (dwarf_child(&entry, &child) != 0) return;
    do eachEntry(child, visit);
    while (dwarf_siblingof(&child, &child) == 0);
}

template <class F>
void eachUnit(Dwarf* dwarf, F&& visit) {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die top;
    while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &top, nullptr) == 0) visit(top);
}

/// Each kernel has a file of its own in the container; in the image all are one.
class MergedDwarf : public testing::TestWithParam<const char*> {
  protected:
    LinkedModule module_ = placed(readCompiled(kTwoKernels, GetParam(), false));
    binary::Bytes image_ = *makeDebugImage(module_);

    /// The code that has the address; null if it lies in none.
    const binary::CodeSection* codeAt(std::uint64_t address) const {
        const auto& code = module_.image().code;
        for (std::uint32_t i = 0; i < code.size(); ++i)
            if (address - module_.addressOf({binary::Place::Kind::code, i, 0}) < code[i].bytes.size()) return &code[i];
        return nullptr;
    }
};
INSTANTIATE_TEST_SUITE_P(Optimised, MergedDwarf,
                         testing::Values("-cl-std=CL2.0 -g", "-cl-std=CL2.0 -g -cl-opt-disable"),
                         [](const auto& info) { return info.index == 0 ? "yes" : "no"; });

TEST_P(MergedDwarf, HasAUnitForEachKernelAtItsAddress) {
    const Dwarfs dwarf(image_);
    ASSERT_NE(dwarf.get(), nullptr) << dwarf_errmsg(-1);
    std::map<std::string, std::string> codeOf;  // of functions
    eachUnit(dwarf.get(), [&](Dwarf_Die unit) {
        eachEntry(unit, [&](Dwarf_Die entry) {
            Dwarf_Addr start = 0;
            if (dwarf_tag(&entry) != DW_TAG_subprogram || dwarf_lowpc(&entry, &start) != 0) return;
            const auto* const code = codeAt(start);
            ASSERT_NE(code, nullptr) << dwarf_diename(&entry) << " at " << std::hex << start;
            codeOf[dwarf_diename(&entry)] = code->name;
        });
    });
    EXPECT_EQ(codeOf["first"], "first");
    EXPECT_EQ(codeOf["second"], "second");
}

TEST_P(MergedDwarf, LinesOfEachKernelAreItsOwn) {
    const Dwarfs dwarf(image_);
    std::map<std::string, std::set<int>> linesOf;
    eachUnit(dwarf.get(), [&](Dwarf_Die unit) {
        Dwarf_Lines* lines = nullptr;
        std::size_t count = 0;
        ASSERT_EQ(dwarf_getsrclines(&unit, &lines, &count), 0) << dwarf_errmsg(-1);
        for (std::size_t i = 0; i + 1 < count; ++i) {
            Dwarf_Addr address = 0;
            int line = 0;
            dwarf_lineaddr(dwarf_onesrcline(lines, i), &address);
            dwarf_lineno(dwarf_onesrcline(lines, i), &line);
            if (const auto* const code = codeAt(address)) linesOf[code->name].insert(line);
        }
    });
    EXPECT_TRUE(linesOf["first"].contains(3));
    EXPECT_FALSE(linesOf["first"].contains(4));
    EXPECT_TRUE(linesOf["second"].contains(4));
    EXPECT_FALSE(linesOf["second"].contains(3));
}

// Location lists are found behind their offsets, and count from their unit's address.
TEST_P(MergedDwarf, VariablesAreWhereTheirKernelIs) {
    const Dwarfs dwarf(image_);
    int found = 0;
    eachUnit(dwarf.get(), [&](Dwarf_Die unit) {
        Dwarf_Addr start = 0;
        ASSERT_EQ(dwarf_lowpc(&unit, &start), 0);
        const auto* const own = codeAt(start);
        eachEntry(unit, [&](Dwarf_Die entry) {
            Dwarf_Attribute attribute;
            if (!dwarf_attr(&entry, DW_AT_location, &attribute) || dwarf_whatform(&attribute) != DW_FORM_sec_offset)
                return;
            Dwarf_Addr base = 0;
            Dwarf_Addr from = 0;
            Dwarf_Addr to = 0;
            Dwarf_Op* expression = nullptr;
            std::size_t length = 0;
            for (std::ptrdiff_t at = 0;
                 (at = dwarf_getlocations(&attribute, at, &base, &from, &to, &expression, &length)) > 0; ++found)
                EXPECT_EQ(codeAt(from), own) << dwarf_diename(&entry);
        });
    });
    const bool optimised = std::string_view(GetParam()).find("opt-disable") == std::string_view::npos;
    EXPECT_EQ(found > 0, optimised) << "without optimisation a variable stays in its place";
}

TEST_P(MergedDwarf, FramesNameTheirCommonEntriesAndCode) {
    const auto file = binary::readElf(image_);
    const auto* const section = file->find(".debug_frame");
    const bool optimised = std::string_view(GetParam()).find("opt-disable") == std::string_view::npos;
    ASSERT_EQ(section != nullptr, !optimised) << "calls through the stack are of code that is not optimised";
    if (!section) return;
    const Dwarfs dwarf(image_);
    Elf_Data data{};
    binary::Bytes bytes(section->content.begin(), section->content.end());
    data.d_buf = bytes.data();
    data.d_size = bytes.size();
    data.d_version = EV_CURRENT;
    std::vector<Dwarf_Off> common;
    std::set<std::string> covered;
    Dwarf_CFI_Entry entry;
    Dwarf_Off next = 0;
    for (Dwarf_Off at = 0; dwarf_next_cfi(dwarf.identity(), &data, false, at, &next, &entry) == 0; at = next) {
        if (dwarf_cfi_cie_p(&entry)) {
            common.push_back(at);
            continue;
        }
        EXPECT_EQ(entry.fde.CIE_pointer, common.back()) << "each file begins with its own";
        const auto start = binary::ByteView(entry.fde.start, 8).read<std::uint64_t>(0);
        const auto* const code = codeAt(*start);
        ASSERT_NE(code, nullptr) << std::hex << *start;
        covered.insert(code->name);
    }
    EXPECT_EQ(next, std::uint64_t(-1)) << "read to the end";
    EXPECT_TRUE(covered.contains("first"));
    EXPECT_TRUE(covered.contains("second"));
}

}  // namespace
}  // namespace zetl::emulator::module
