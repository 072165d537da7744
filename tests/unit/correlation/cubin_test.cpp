// NVIDIA's machine code by name and line, from a cubin put together here: no compiler of theirs is at hand.
#include <gtest/gtest.h>
#include <ze_tools_layer/correlation.h>

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/built_elf.h"

namespace zetl::correlation {
namespace {

using test::append;
using test::appendText;
using test::Bytes;

constexpr std::uint64_t kNop = 0x7918;

Bytes codeOf(std::initializer_list<std::uint64_t> firstWords) {
    Bytes code;
    for (const auto word : firstWords) {
        append(code, word);
        append(code, std::uint64_t{0x000fc00000000000});
    }
    return code;
}

/// DWARF 2: two instructions of line 3, then one of line 5. `addressAt` becomes the place of the address.
Bytes lineTable(std::uint64_t& addressAt) {
    Bytes header;
    for (const int byte : {1, 1, -5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1})
        header.push_back(static_cast<std::uint8_t>(byte));  // standard opcodes have these many operands
    header.push_back(0);                                    // no directories
    appendText(header, "twice.cu");
    for (int i = 0; i < 4; ++i) header.push_back(0);  // the file's directory, time and length; no more files
    Bytes program{0, 9, 2};
    const auto address = program.size();
    append(program, std::uint64_t{0});
    for (const int byte : {3, 2, 1, 2, 32, 3, 2, 1, 2, 16, 0, 1, 1}) program.push_back(static_cast<std::uint8_t>(byte));
    Bytes table;
    append(table, static_cast<std::uint32_t>(2 + 4 + header.size() + program.size()));
    append(table, std::uint16_t{2});
    append(table, static_cast<std::uint32_t>(header.size()));
    table.insert(table.end(), header.begin(), header.end());
    addressAt = table.size() + address;
    table.insert(table.end(), program.begin(), program.end());
    return table;
}

struct Options {
    std::uint64_t address = 0;  ///< of the code
    bool lines = true;
};

Bytes cubin(const Options& options) {
    test::BuiltElf file;
    Bytes strings(1);
    appendText(strings, "twice");
    const auto code = file.add(".text.twice", SHT_PROGBITS, codeOf({1, 2, 3, kNop, kNop}), 0, 0, 0, options.address);
    file.add(".nv.constant0.twice", SHT_PROGBITS, Bytes(8));
    file.add(".nv.shared.twice", SHT_NOBITS, Bytes(512));
    const auto names = file.add(".strtab", SHT_STRTAB, strings);
    Bytes symbols(sizeof(Elf64_Sym));
    append(symbols, Elf64_Sym{1, STT_FUNC, 0, static_cast<Elf64_Section>(code), 0, 48});
    const auto table = file.add(".symtab", SHT_SYMTAB, symbols, names, 1, sizeof(Elf64_Sym));
    Bytes info{3, 0x1b, 255, 0, 4, 0x2f, 8, 0};  // an attribute that is passed over, and the registers of symbol 1
    append(info, std::uint32_t{1});
    append(info, std::uint32_t{17});
    file.add(".nv.info", SHT_LOPROC, info);
    if (!options.lines) return file.finished();
    std::uint64_t at = 0;
    const auto lines = file.add(".debug_line", SHT_PROGBITS, lineTable(at));
    Bytes relocations;
    append(relocations, Elf64_Rela{at, ELF64_R_INFO(1, 2), 0});
    file.add(".rela.debug_line", SHT_RELA, relocations, table, lines, sizeof(Elf64_Rela));
    return file.finished();
}

std::unique_ptr<Binary> readCubin(const Bytes& bytes) {
    std::string failure;
    auto binary = Binary::read(bytes, failure);
    EXPECT_TRUE(binary) << failure;
    return binary;
}

TEST(Cubin, HasKernels) {
    const auto binary = readCubin(cubin({}));
    EXPECT_EQ(binary->container(), "cubin");
    ASSERT_EQ(binary->kernels().size(), 1u);
    const auto& kernel = binary->kernels().front();
    EXPECT_EQ(kernel.name, "twice");
    EXPECT_TRUE(kernel.launchable);
    EXPECT_EQ(kernel.simdWidth, 32u);
    EXPECT_EQ(kernel.registers, 17u);
    EXPECT_EQ(kernel.localBytes, 512u);
    EXPECT_EQ(kernel.codeBytes, 48u) << "without what fills it up";
    EXPECT_EQ(kernel.address, 0u);
    const auto instructions = binary->instructions(kernel);
    ASSERT_EQ(instructions.size(), 3u);
    EXPECT_EQ(instructions[1].offset, 16u);
    EXPECT_EQ(instructions[1].text, "0x0000000000000002 0x000fc00000000000");
    EXPECT_EQ(binary->igaInstructions(kernel)[1].text, instructions[1].text);
}

TEST(Cubin, HasLines) {
    for (const std::uint64_t address : {0x0, 0x100140}) {
        const auto binary = readCubin(cubin({.address = address}));
        const auto& kernel = binary->kernels().front();
        EXPECT_EQ(kernel.address, address);
        EXPECT_EQ(binary->withoutLines(), "");
        for (const auto& [offset, line] : {std::pair{0u, 3}, {16u, 3}, {32u, 5}}) {
            const auto places = binary->sourceOf(kernel, offset);
            ASSERT_EQ(places.size(), 1u) << offset;
            EXPECT_EQ(places.front().file, "twice.cu");
            EXPECT_EQ(places.front().line, line);
        }
        EXPECT_EQ(binary->offsetsOf(kernel, "twice.cu", 3), (std::vector<std::uint32_t>{0, 16}));
    }
}

TEST(Cubin, SaysWhyThereAreNoLines) {
    const auto binary = readCubin(cubin({.lines = false}));
    EXPECT_NE(binary->withoutLines().find("-lineinfo"), std::string::npos);
    EXPECT_TRUE(binary->sourceOf(binary->kernels().front(), 0).empty());
}

/// Cut anywhere, it is refused in words or read as far as it goes.
TEST(Cubin, MayBeDamaged) {
    const auto whole = cubin({});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        std::string failure;
        const auto binary = Binary::read(std::span(whole).first(size), failure);
        EXPECT_NE(binary == nullptr, failure.empty()) << size;
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
        auto damaged = whole;
        damaged[at] ^= 0xff;
        std::string failure;
        if (const auto binary = Binary::read(damaged, failure))
            for (const auto& kernel : binary->kernels())
                for (const auto& each : binary->instructions(kernel)) binary->sourceOf(kernel, each.offset);
    }
}

}  // namespace
}  // namespace zetl::correlation
