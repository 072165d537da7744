// Source lines of a changed binary, read by elfutils: each instruction keeps its line.
#include "instrumentation/xe/debug_tables.h"

#include <elfutils/libdw.h>
#include <gtest/gtest.h>
#include <libelf.h>
#include <ze_tools_layer/instrumentation.h>

#include <map>

#include "emulator/module/debug_image.h"
#include "module/compiled.h"

namespace zetl::instrumentation {
namespace {

namespace module = emulator::module;
using Bytes = std::vector<std::uint8_t>;

/// Line by offset in the code, for each offset asked for.
std::map<std::uint32_t, int> linesOf(const Bytes& binary, const std::vector<std::uint32_t>& offsets) {
    auto image = binary::readNative(binary);
    EXPECT_TRUE(image);
    const auto placed = module::placed(*image);
    auto elfBytes = module::makeDebugImage(placed);
    EXPECT_TRUE(elfBytes);
    elf_version(EV_CURRENT);
    Elf* const elf = elf_memory(reinterpret_cast<char*>(elfBytes->data()), elfBytes->size());
    Dwarf* const dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nullptr);
    std::map<std::uint32_t, int> lines;
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    EXPECT_EQ(dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr), 0);
    for (const std::uint32_t offset : offsets) {
        Dwarf_Line* const line = dwarf_getsrc_die(&die, placed.kernelAddress((*image)->kernels[0]) + offset);
        if (line) dwarf_lineno(line, &lines[offset]);
    }
    dwarf_end(dwarf);
    elf_end(elf);
    return lines;
}

class MovedLines : public testing::TestWithParam<const char*> {};

TEST_P(MovedLines, AreThoseOfTheInstructions) {
    const Bytes& binary = module::compiled(module::kPrivate, GetParam());
    std::string failure;
    const auto program = Program::read(binary, failure);
    ASSERT_TRUE(program) << failure;
    Section& section = program->sections().front();
    const auto offsets = section.instructions();
    const auto before = linesOf(binary, offsets);
    ASSERT_GT(before.size(), offsets.size() / 2);
    for (const std::uint32_t offset : offsets) section.insertBefore(offset, InsertedCode().readLanes(120));
    std::vector<std::uint32_t> moved;
    for (const std::uint32_t offset : offsets) moved.push_back(section.movedTo(offset));
    const Bytes written = program->write(failure);
    ASSERT_EQ(failure, "");
    const auto after = linesOf(written, moved);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        const auto old = before.find(offsets[i]);
        if (old == before.end()) continue;
        ASSERT_TRUE(after.contains(moved[i])) << offsets[i];
        EXPECT_EQ(after.at(moved[i]), old->second) << offsets[i];
    }
}

INSTANTIATE_TEST_SUITE_P(Builds, MovedLines, testing::Values("-cl-std=CL2.0 -g", "-cl-std=CL2.0 -g -cl-opt-disable"),
                         [](const auto& info) { return info.index == 0 ? "optimised" : "plain"; });

TEST(DebugTables, DamagedOnesAreRefusedByName) {
    const auto none = [](std::uint64_t) { return std::optional<CodeAddress>(); };
    const Bytes cut{0x20, 0, 0, 0, 4, 0};
    const std::span<const std::uint8_t> bytes(cut);
    const auto line = moveLineTable(bytes, none);
    const auto frame = moveFrameTable(bytes, none);
    ASSERT_FALSE(line);
    ASSERT_FALSE(frame);
    EXPECT_NE(line.error().message.find(".debug_line"), std::string::npos);
    EXPECT_NE(frame.error().message.find(".debug_frame"), std::string::npos);
}

}  // namespace
}  // namespace zetl::instrumentation
