// Source lines of a changed binary, read by elfutils: each instruction keeps its line.
#include "instrumentation/xe/debug_tables.h"

#include <elfutils/libdw.h>
#include <gtest/gtest.h>
#include <libelf.h>
#include <ze_tools_layer/instrumentation.h>

#include <cstring>
#include <map>

#include "binary/dwarf_bytes.h"
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

/// A line table's unit without files: a row for line 1 at the address behind `advance` bytes.
Bytes lineUnit(std::uint8_t advance) {
    Bytes unit{0, 0, 0, 0, 4, 0, 10, 0, 0, 0, 1, 1, 1, 0xfb, 14, 4, 0, 1, 1, 1};
    const Bytes program{0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, advance, 1, 0, 1, 1};
    unit.insert(unit.end(), program.begin(), program.end());
    unit[0] = static_cast<std::uint8_t>(unit.size() - 4);
    return unit;
}

// Compilers from 26.x on write one unit per kernel.
TEST(DebugTables, EachUnitMovesWithItsOwnCode) {
    const Movement far(16, 0x1000);
    const Movement near(16, 0x20);
    Bytes table = lineUnit(32);
    const std::uint64_t second = table.size();
    const Bytes more = lineUnit(48);
    table.insert(table.end(), more.begin(), more.end());
    constexpr std::uint64_t kAddress = 23;
    const auto code = [&](std::uint64_t position) -> std::optional<CodeAddress> {
        if (position == kAddress) return CodeAddress{&far, 0};
        if (position == second + kAddress) return CodeAddress{&near, 0};
        return std::nullopt;
    };
    const auto moved = moveLineTable(std::span<const std::uint8_t>(table), code);
    ASSERT_TRUE(moved) << moved.error().message;
    // The advance of the first unit takes one byte more.
    EXPECT_EQ(moved->starts, (std::map<std::uint64_t, std::uint64_t>{{0, 0}, {second, second + 1}}));
    EXPECT_EQ(moved->positions, (std::map<std::uint64_t, std::uint64_t>{{kAddress, kAddress},
                                                                        {second + kAddress, second + 1 + kAddress}}));
    EXPECT_EQ(moved->bytes[0], table[0] + 1);
    EXPECT_EQ(moved->bytes[second + 1], more[0]);
    EXPECT_EQ(moved->bytes[second + 1 + kAddress + 9], 48 + 0x20);
}

// Relocations of .debug_frame name the common entry, in whose place the table itself has 0.
TEST(DebugTables, AFrameKeepsTheCommonEntryThatARelocationNames) {
    Bytes table;
    const auto put = [&](auto value) { binary::appendFixed(table, value); };
    const auto frames = [&](std::uint64_t size, std::uint8_t advance) {
        const std::uint64_t common = table.size();
        put(std::uint32_t{12});
        put(UINT32_MAX);
        for (const std::uint8_t byte : {4, 0, 8, 0, 1, 0x78, 16, 0}) put(byte);
        put(std::uint32_t{28});
        put(std::uint32_t{0});
        put(std::uint64_t{0});
        put(size);
        for (const std::uint8_t byte : {2, int{advance}, 0, 0, 0, 0, 0, 0}) put(byte);
        return common;
    };
    frames(64, 32);
    const std::uint64_t second = frames(64, 48);
    constexpr std::uint64_t kReference = 20;
    constexpr std::uint64_t kAddress = 24;
    const Movement movement(16, 0x1000);
    const auto code = [&](std::uint64_t position) -> std::optional<CodeAddress> {
        if (position == kAddress || position == second + kAddress) return CodeAddress{&movement, 0};
        return std::nullopt;
    };
    const auto reference = [&](std::uint64_t position) -> std::optional<std::uint64_t> {
        if (position == kReference) return 0;
        if (position == second + kReference) return second;
        return std::nullopt;
    };
    const auto moved = moveFrameTable(std::span<const std::uint8_t>(table), code, reference);
    ASSERT_TRUE(moved) << moved.error().message;
    const std::uint64_t start = moved->starts.at(second);
    EXPECT_GT(start, second);
    EXPECT_EQ(moved->positions.at(second + kReference), start + kReference);
    EXPECT_EQ(moved->positions.at(second + kAddress), start + kAddress);
    std::uint32_t common = 0;
    std::memcpy(&common, &moved->bytes[start + kReference], sizeof common);
    EXPECT_EQ(common, start);
}

TEST(DebugTables, OneListMovesAndThoseAroundItDoNot) {
    Bytes table;
    const auto list = [&](std::uint64_t begin, std::uint64_t end) {
        for (const std::uint64_t value : {begin, end}) binary::appendFixed(table, value);
        binary::appendFixed(table, std::uint16_t{3});
        table.insert(table.end(), {0xff, 0xff, 0xff});
        for (const std::uint64_t value : {0, 0}) binary::appendFixed(table, value);
    };
    list(0x10, 0x20);
    const std::uint64_t second = table.size();
    list(0x10, 0x30);
    const std::uint64_t third = table.size();
    list(0x10, 0x40);
    const Bytes before = table;
    EXPECT_EQ(moveLocationList(table, second, Movement(0x20, 0x100), true), third);
    Bytes expected = before;
    binary::storeFixed(expected, second + sizeof(std::uint64_t), std::uint64_t{0x130});
    EXPECT_EQ(table, expected);
}

TEST(DebugTables, DamagedOnesAreRefusedByName) {
    const auto none = [](std::uint64_t) { return std::optional<CodeAddress>(); };
    const Bytes cut{0x20, 0, 0, 0, 4, 0};
    const std::span<const std::uint8_t> bytes(cut);
    const auto line = moveLineTable(bytes, none);
    const auto frame = moveFrameTable(bytes, none, [](std::uint64_t) { return std::optional<std::uint64_t>(); });
    ASSERT_FALSE(line);
    ASSERT_FALSE(frame);
    EXPECT_NE(line.error().message.find(".debug_line"), std::string::npos);
    EXPECT_NE(frame.error().message.find(".debug_frame"), std::string::npos);
}

}  // namespace
}  // namespace zetl::instrumentation
