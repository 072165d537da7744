#include "binary/spirv_group_atomics.h"

#include <gtest/gtest.h>

#include <vector>

#include "unit/module/compiled.h"

namespace zetl::binary {
namespace {

constexpr const char* kAtomics =
    "kernel void atomics(global atomic_int* a, global int* b) {\n"
    "    atomic_store_explicit(a, 1, memory_order_release, memory_scope_work_group);\n"
    "    atomic_store_explicit(a, 1, memory_order_release, memory_scope_device);\n"
    "    atomic_inc(b);\n"
    "    atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_work_group);\n"
    "    b[1] = atomic_fetch_add_explicit(a, 1, memory_order_acq_rel, memory_scope_work_group);\n"
    "    atomic_store_explicit(a, 1, memory_order_release, memory_scope_work_group); atomic_store(a + 1, 1);\n"
    "}\n";

std::vector<std::uint32_t> linesWith(const std::string& flags) {
    std::vector<std::uint32_t> lines;
    for (const CodeLine& line :
         linesOfGroupAtomics(emulator::module::readCompiled(kAtomics, "-cl-std=CL2.0 " + flags)->spirv))
        lines.push_back(line.second);
    return lines;
}

TEST(SpirvGroupAtomics, AreLinesOfOrderedAtomicsOfAGroup) {
    EXPECT_EQ(linesWith("-g"), (std::vector<std::uint32_t>{2, 6}));
}

TEST(SpirvGroupAtomics, AreNotKnownWithoutLines) { EXPECT_EQ(linesWith(""), std::vector<std::uint32_t>()); }

TEST(SpirvGroupAtomics, DamagedModulesHaveNone) {
    const std::vector<std::uint8_t> damaged{3, 2, 0x23, 7, 0, 0};
    EXPECT_TRUE(linesOfGroupAtomics(damaged).empty());
    EXPECT_TRUE(linesOfGroupAtomics({}).empty());
}

}  // namespace
}  // namespace zetl::binary
