// The opcode list, the rows and the vendor's list agree.
#include "isa/xe/opcodes.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <set>

#include "emulator/isa/step_table.h"
#include "isa/xe/compaction.h"
#include "isa/xe/decode.h"
#include "isa/xe/word.h"
#include "lone_thread.h"
#include "support/pattern.h"

namespace zetl::test {
namespace {

using isa::Format;

TEST(Opcodes, AscendAndDoNotOverlap) {
    int previous = -1;
    std::set<std::string_view> names;
    for (const isa::OpcodeInfo& o : isa::allOpcodes()) {
        EXPECT_GT(static_cast<int>(o.opcode), previous) << o.mnemonic;
        EXPECT_LT(static_cast<int>(o.opcode), 0x80) << o.mnemonic;
        EXPECT_TRUE(names.insert(o.mnemonic).second) << o.mnemonic << " twice";
        previous = static_cast<int>(o.opcode);
    }
}

TEST(Opcodes, EveryEncodingFindsItsOwnEntryAndOthersNone) {
    for (unsigned n = 0; n < 128; ++n) {
        unsigned owners = 0;
        for (const isa::OpcodeInfo& o : isa::allOpcodes()) owners += static_cast<unsigned>(o.opcode) == n;
        const isa::OpcodeInfo* found = isa::findOpcode(static_cast<std::uint8_t>(n));
        EXPECT_EQ(owners, found ? 1u : 0u) << n;
        if (found) {
            EXPECT_EQ(static_cast<unsigned>(found->opcode), n);
        }
    }
}

TEST(Opcodes, EveryOpcodeOfTheVendorsTableIsListed) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen("iga64 -p=12p72 -Xlist-ops", "r"), pclose);
    char line[256];
    std::set<std::string> listed;
    while (fgets(line, sizeof line, pipe.get()))
        for (const Match& each : matchesOf("^([a-z0-9]+)\\s+[A-Z]", line)) listed.insert(each[1]);
    ASSERT_GT(listed.size(), 60u);
    std::set<std::string> ours;
    for (const isa::OpcodeInfo& o : isa::allOpcodes())
        if (isa::kXeHpc.has(static_cast<std::uint8_t>(o.opcode))) ours.emplace(o.mnemonic);
    EXPECT_EQ(listed, ours);
}

/// Opcodes that compute without a row of their own: moves and comparisons are steps, math and sel have rows by
/// function.
const std::set<std::string_view> kWithoutRow = {"mov", "movi", "cmp", "cmpn", "math", "mullh", "shfl"};

TEST(Rows, EveryComputingOpcodeHasOne) {
    std::set<std::string_view> rows;
    for (const isa::RowInfo& r : isa::allRows()) EXPECT_TRUE(rows.insert(r.name).second) << r.name << " twice";
    for (const isa::OpcodeInfo& o : isa::allOpcodes()) {
        const bool computes = o.format == Format::one || o.format == Format::two || o.format == Format::three;
        if (!computes || o.exactness == isa::Exactness::unsupported || kWithoutRow.contains(o.mnemonic)) continue;
        EXPECT_TRUE(rows.contains(o.mnemonic)) << o.mnemonic;
    }
}

TEST(Rows, BearTheNumberNameAndExactnessOfTheirOpcode) {
    std::set<unsigned> numbers;
    for (const isa::RowInfo& r : isa::allRows()) {
        EXPECT_TRUE(numbers.insert(r.number).second) << r.name;
        if (r.number >= isa::kMathRows) continue;
        const isa::OpcodeInfo* o = isa::findOpcode(static_cast<std::uint8_t>(r.number));
        ASSERT_TRUE(o) << r.name;
        EXPECT_EQ(o->mnemonic, r.name);
        EXPECT_EQ(o->exactness, r.exactness) << r.name;
    }
}

TEST(Rows, EveryTableHasTheSameHandlers) {
    const auto tables = usableTables();
    for (const isa::StepTable* t : tables)
        for (const isa::RowInfo& r : isa::allRows())
            for (int e = 0; e < isa::kLaneTypes; ++e)
                EXPECT_EQ(t->compute[r.number][e][0][1] == nullptr, tables[0]->compute[r.number][e][0][1] == nullptr)
                    << t->name << ' ' << r.name;
}

TEST(Compaction, ControlFieldsNeverLeaveTheirPlace) {
    for (std::uint64_t word = 0; word < 1 << 16;
         ++word) {  // opcode, breakpoint and scoreboard come through as they are
        const std::uint64_t compacted = 1ull << 29 | word;
        const auto expanded = isa::expandCompacted(isa::kXeHpc, compacted);
        if (!expanded) continue;
        EXPECT_EQ(expanded->field(6, 0), word & 0x7f);
        EXPECT_EQ(expanded->bit(30), (word >> 7 & 1) != 0);
        EXPECT_EQ(expanded->field(15, 8), word >> 8 & 0xff);
    }
}

}  // namespace
}  // namespace zetl::test
