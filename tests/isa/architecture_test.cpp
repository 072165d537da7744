// Architectures: how they are found, and that the decoder reads by the one it is given.
#include "isa/xe/architecture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "assembler.h"
#include "isa/xe/compaction.h"
#include "isa/xe/decode.h"

namespace zetl::test {
namespace {

namespace xe = zetl::isa::xe;

using xe::Architecture;
using xe::kPvc;
using xe::kXeHpc;
using xe::Opcode;
using xe::Product;

TEST(Architecture, IsFoundByName) {
    EXPECT_EQ(xe::findArchitecture("xe-hpc"), &kXeHpc);
    EXPECT_EQ(xe::findArchitecture("xe-hp"), nullptr);
    EXPECT_EQ(xe::findArchitecture(""), nullptr);
    for (const Architecture* each : xe::allArchitectures())
        EXPECT_EQ(xe::findArchitecture(each->name), each) << each->name;
}

TEST(Architecture, ProductIsFoundByVersionAndByFamily) {
    EXPECT_EQ(xe::findProduct({12, 60, 0}), &kPvc) << "revisions do not matter";
    EXPECT_EQ(xe::findProduct({12, 61, 0}), nullptr);
    EXPECT_EQ(xe::findProduct(1271, 0), &kPvc);
    EXPECT_EQ(xe::findProduct(0, 3080), &kPvc);
    EXPECT_EQ(xe::findProduct(1270, 3080), nullptr) << "the product decides if it is stated";
    EXPECT_EQ(xe::findProduct(0, 0), nullptr);
    EXPECT_EQ(xe::findProduct({20, 1, 4}), &xe::kBmg);
    EXPECT_EQ(xe::findProduct(1275, 3081), &xe::kLnl);
    EXPECT_EQ(kPvc.ip.packed(), 0x030f0007u);
    EXPECT_EQ(xe::kLnl.ip.packed(), 0x05010004u);
}

TEST(Architecture, EveryOneIsWhole) {
    for (const Architecture* each : xe::allArchitectures()) {
        SCOPED_TRACE(each->name);
        EXPECT_EQ(each->registerBytes, xe::kRegisterBytes) << "the layout of thread state relies on it";
        EXPECT_TRUE(std::ranges::is_sorted(each->registerCounts) && !each->registerCounts.empty());
        EXPECT_TRUE(std::ranges::is_sorted(each->subGroupSizes) && !each->subGroupSizes.empty());
        EXPECT_EQ(each->compaction == nullptr, each->operands == xe::OperandForm::nineBit);
        EXPECT_TRUE(!each->executes || (each->nativeFormat.size() == 16 && each->chip != nullptr));
        EXPECT_NE(each->igaPlatform, 0u);
        ASSERT_FALSE(each->products.empty());
        for (const Product* product : each->products) {
            EXPECT_EQ(product->architecture, each);
            EXPECT_EQ(xe::findProduct(product->ip), product);
            const Product* family = xe::findProduct(product->productFamily, 0);
            ASSERT_NE(family, nullptr);
            EXPECT_EQ(family->architecture, each) << "several products may share a family";
        }
    }
}

/// Xe-HPC without one opcode.
Architecture without(Opcode opcode) {
    Architecture less = kXeHpc;
    less.opcodes = {};
    for (const xe::OpcodeInfo& each : xe::allOpcodes())
        if (each.opcode != opcode) less.opcodes.add(each.opcode);
    return less;
}

TEST(Architecture, DecodesOnlyItsOwnOpcodes) {
    const Code code = assemble("mad (16|M0) r10.0<1>:f r12.0<1;0>:f r14.0<1;0>:f r16.0<1>:f");
    EXPECT_TRUE(xe::decode(kXeHpc, code, 0));
    EXPECT_FALSE(xe::decode(without(Opcode::mad), code, 0));
    EXPECT_TRUE(xe::decode(without(Opcode::add), code, 0));
}

TEST(Architecture, DecodesCompactedInstructionsByItsTables) {
    constexpr std::uint64_t kAdd = 0x40 | 1ull << 29;  // add, all indices 0
    xe::CompactionTables tables = xe::kXeHpcCompaction;
    tables.controls[0].size = 5;
    Architecture other = kXeHpc;
    other.compaction = &tables;
    const auto code = std::as_bytes(std::span(&kAdd, 1));
    const auto ours = xe::decode(kXeHpc, code, 0);
    const auto theirs = xe::decode(other, code, 0);
    ASSERT_TRUE(ours && theirs);
    EXPECT_EQ(ours->width, 16);
    EXPECT_EQ(theirs->width, 32);
    EXPECT_FALSE(xe::decode(without(Opcode::add), code, 0));
}

}  // namespace
}  // namespace zetl::test
