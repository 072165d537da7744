// The gate on what a calculated row costs, in instructions.
#include <gtest/gtest.h>

#include <cstdlib>

#include "benchmark/callgrind.h"
#include "benchmark/metrics/reports.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

constexpr std::size_t kRows = 2048;

SCENARIO(calculateRows) {
    const metrics::Calculator calculator(hardwareGroup());
    ASSERT_EQ(calculator.columns(), kColumns);
    const auto raw = reportsOf(kRows + 1);
    std::vector<zet_typed_value_t> values(kRows * kColumns);
    for (long turn = std::atol(std::getenv("ZETL_BENCHMARK_CALLS")); turn > 0; --turn)
        calculator.calculate(ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES, raw, kRows, values.data());
    EXPECT_EQ(values[1].value.ui64, 65536u);
}

double instructions(long turns) {
    return instructionsOf(ZETL_VALGRIND,
                          fresh("calculateRows", Slots::none).with("ZETL_BENCHMARK_CALLS", std::to_string(turns)));
}

TEST(Instructions, OfARow) {
    constexpr long kFew = 1;
    constexpr long kMany = 21;
    const double each = (instructions(kMany) - instructions(kFew)) / ((kMany - kFew) * kRows);
    testing::Test::RecordProperty("instructions", std::to_string(each));
    std::printf("%.1f instructions a row of %zu columns\n", each, kColumns);
    EXPECT_LE(each, 900);
}

}  // namespace
}  // namespace zetl::test
