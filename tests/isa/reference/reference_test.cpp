// Random instructions by steps and by the reference, on every table that the host has.
#include <gtest/gtest.h>

#include <set>

#include "isa/xe/architecture.h"
#include "reference/trial.h"

namespace zetl::test::reference {
namespace {

TEST(Reference, AgreesWithTheStepsOnRandomInstructions) {
    constexpr std::uint32_t kPrograms = 6000;
    constexpr std::uint32_t kBatch = 2000;
    Trial trial(usableTables());
    for (std::uint32_t first = 1; first <= kPrograms; first += kBatch) ASSERT_EQ(trial.run(first, kBatch), "");
    const Coverage& coverage = trial.coverage();
    EXPECT_EQ(coverage.missing(), "");
    EXPECT_GT(coverage.sums, 0u);
    EXPECT_LT(coverage.openSums, coverage.sums / 4) << "of real matrices, added in an order that matters";
}

// Native instructions of Xe2 are those of Xe-HPC; what executes them must not take them for others.
TEST(Reference, AgreesWithTheStepsOnXe2) {
    Trial trial(usableTables(), zetl::isa::xe::kXe2);
    EXPECT_EQ(trial.run(7001, 2000), "");
}

TEST(Reference, HasEveryOpcodeThatComputes) {
    std::set<isa::Opcode> known;
    for (const Form& form : forms()) known.insert(form.opcode);
    for (const Excluded& e : excludedOpcodes()) EXPECT_TRUE(known.insert(e.opcode).second) << e.why;
    for (const isa::OpcodeInfo& o : isa::allOpcodes()) EXPECT_TRUE(known.contains(o.opcode)) << o.mnemonic;
}

}  // namespace
}  // namespace zetl::test::reference
