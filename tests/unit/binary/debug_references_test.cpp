// What moves in DWARF that the compiler wrote, and what is said of DWARF that is damaged.
#include "binary/debug_references.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "binary/elf_file.h"
#include "binary/patch_token_debug.h"
#include "binary/patch_token_format.h"
#include "module/compiled.h"

namespace zetl::binary {
namespace {

namespace module = emulator::module;

/// The debug sections of one kernel, to be changed.
class OneKernel : public testing::Test {
  protected:
    OneKernel() {
        const Bytes& native = module::compiled(module::kFunctions, "-cl-std=CL2.0 -g -cl-opt-disable", false);
        const auto outer = readElf(native);
        const auto kernels = readPatchTokenDebug(outer->find(patch::kDebugSectionName)->content.bytes());
        const auto kernel = std::ranges::find(*kernels, "scope", &KernelDebugData::name);
        const auto file = readElf(kernel->elf.bytes());
        for (std::size_t i = 0; i < contents_.size(); ++i)
            if (const auto* const section = file->find(kDebugSectionNames[i]))
                contents_[i].assign(section->content.begin(), section->content.end());
    }

    Bytes& content(DebugSection section) { return contents_[static_cast<std::size_t>(section)]; }
    Outcome<std::vector<DebugReference>> references() const {
        DebugSections views;
        for (std::size_t i = 0; i < views.size(); ++i) views[i] = ByteView(contents_[i]);
        return debugReferences(views);
    }
    std::string problem() const {
        const auto found = references();
        return found ? "none" : found.error().message;
    }

  private:
    std::array<Bytes, kDebugSectionNames.size()> contents_;
};

TEST_F(OneKernel, RefersToItsCodeAndBetweenItsSections) {
    const auto found = references();
    ASSERT_TRUE(found) << found.error().message;
    const auto count = [&](DebugSection where, std::optional<DebugSection> target) {
        return std::ranges::count_if(
            *found, [&](const DebugReference& each) { return each.where == where && each.target == target; });
    };
    EXPECT_GE(count(DebugSection::info, std::nullopt), 3) << "the unit's start, and two functions'";
    EXPECT_EQ(count(DebugSection::info, DebugSection::abbreviations), 1);
    EXPECT_EQ(count(DebugSection::info, DebugSection::lines), 1);
    EXPECT_EQ(count(DebugSection::frames, std::nullopt), count(DebugSection::frames, DebugSection::frames));
    EXPECT_GE(count(DebugSection::frames, std::nullopt), 2);
}

TEST_F(OneKernel, ACutOffSectionIsNamed) {
    for (const auto section : {DebugSection::info, DebugSection::lines, DebugSection::frames}) {
        const Bytes whole = content(section);
        ASSERT_FALSE(whole.empty()) << nameOf(section);
        for (std::size_t size = 1; size < whole.size(); size += 1 + size / 7) {
            content(section).resize(size);
            const bool whollyThere = section == DebugSection::frames && references();  // entries that end there
            if (!whollyThere) {
                EXPECT_TRUE(problem().starts_with(nameOf(section))) << size << ": " << problem();
            }
            content(section) = whole;
        }
        content(section) = whole;
    }
}

TEST_F(OneKernel, AbbreviationsThatAreNotThereAreNamed) {
    content(DebugSection::abbreviations).resize(content(DebugSection::abbreviations).size() / 2);
    EXPECT_EQ(problem(), ".debug_abbrev: an entry is cut off");
    content(DebugSection::abbreviations) = {0};
    EXPECT_EQ(problem(), ".debug_info: an entry is of the unknown abbreviation 1");
    content(DebugSection::abbreviations).clear();
    EXPECT_EQ(problem(), ".debug_abbrev: an entry is cut off");
}

TEST_F(OneKernel, AnotherVersionIsNotMoved) {
    constexpr std::size_t kVersionAt = 4;
    content(DebugSection::info)[kVersionAt] = 5;
    EXPECT_EQ(problem(), ".debug_info: version 5 of DWARF, not 4");
}

TEST_F(OneKernel, FormsThatNoCompilerUsesAreNamed) {
    // Abbreviation 1: a tag without children, whose only attribute has the form.
    constexpr std::uint8_t kForm = 0x16;
    content(DebugSection::abbreviations) = {1, 0x11, 0, 3, kForm, 0, 0, 0};
    EXPECT_EQ(problem(), ".debug_abbrev: the form 0x16 of an attribute is not known");
}

// An abbreviation with a million attributes of no bytes, and as many entries.
TEST_F(OneKernel, SmallTablesThatDescribeEndlesslyEnd) {
    Bytes& table = content(DebugSection::abbreviations);
    table = {1, 0x11, 0};
    constexpr std::size_t kMany = 100'000;
    for (std::size_t i = 0; i < kMany; ++i) table.insert(table.end(), {3, 0x19});
    table.insert(table.end(), {0, 0, 0});
    Bytes& info = content(DebugSection::info);
    const std::uint32_t length = 7 + kMany;
    info.assign(reinterpret_cast<const std::uint8_t*>(&length), reinterpret_cast<const std::uint8_t*>(&length + 1));
    info.insert(info.end(), {4, 0, 0, 0, 0, 0, 8});
    info.insert(info.end(), kMany, 1);
    EXPECT_TRUE(problem().starts_with(".debug_info: over ")) << problem();
}

TEST_F(OneKernel, AnyChangedByteIsRefusedOrRead) {
    for (const auto section : {DebugSection::info, DebugSection::abbreviations, DebugSection::frames}) {
        const Bytes whole = content(section);
        for (std::size_t at = 0; at < whole.size(); ++at) {
            content(section)[at] ^= 0xff;
            const auto found = references();
            if (found) {
                for (const DebugReference& each : *found)
                    ASSERT_LE(each.position + each.bytes, content(each.where).size());
            }
            content(section) = whole;
        }
    }
}

}  // namespace
}  // namespace zetl::binary
