#include "ddi/table_size.h"

#include <gtest/gtest.h>
#include <level_zero/ze_ddi.h>
#include <level_zero/zes_ddi.h>
#include <level_zero/zet_ddi.h>

namespace zetl::ddi {
namespace {

ze_api_version_t spec(unsigned major, unsigned minor) {
    return static_cast<ze_api_version_t>(ZE_MAKE_VERSION(major, minor));
}
ze_api_version_t spec(unsigned minor) { return spec(1, minor); }

TEST(TableSize, CountsOfTheSpecification) {
    EXPECT_EQ(kTraced, 252u);  // 248 core, 4 runtime
    EXPECT_EQ(kTools, 69u);
    EXPECT_EQ(kTables, 76u);
}

TEST(TableSize, HeadersOfThisBuildHaveTheLengthTheirVersionGives) {
    EXPECT_EQ(usableSlots(Table::zeCommandList, ZE_API_VERSION_CURRENT),
              sizeof(ze_command_list_dditable_t) / sizeof(void*));
    EXPECT_EQ(usableSlots(Table::zesDevice, ZE_API_VERSION_CURRENT), sizeof(zes_device_dditable_t) / sizeof(void*));
    EXPECT_EQ(usableSlots(Table::zetMetric, ZE_API_VERSION_CURRENT), sizeof(zet_metric_dditable_t) / sizeof(void*));
}

TEST(TableSize, OldCallersHaveLess) {
    EXPECT_EQ(usableSlots(Table::zeGlobal, spec(4)), 1u);
    EXPECT_EQ(usableSlots(Table::zeGlobal, spec(10)), 1u);
    EXPECT_EQ(usableSlots(Table::zeGlobal, spec(11)), 2u);
    EXPECT_EQ(usableSlots(Table::zeGraph, spec(12)), 0u);
}

TEST(TableSize, NeverShrinksAndNeverPassesTheTable) {
    for (std::size_t i = 0; i < kTables; ++i) {
        const auto table = Table(i);
        std::size_t before = 0;
        for (unsigned minor = 0; minor <= 40; ++minor) {
            const auto now = usableSlots(table, spec(minor));
            EXPECT_GE(now, before) << getter(table) << " 1." << minor;
            EXPECT_LE(now, slots(table)) << getter(table);
            before = now;
        }
    }
}

TEST(TableSize, VersionsFromTheFutureCountAsTheNewest) {
    EXPECT_EQ(usableSlots(Table::zeCommandList, spec(99)), slots(Table::zeCommandList));
    EXPECT_EQ(usableSlots(Table::zeCommandList, spec(2, 0)), slots(Table::zeCommandList));
}

TEST(TableSize, FunctionsOfATableFollowItsFirst) {
    const auto first = index(firstFunction(Table::zeFence));
    for (std::size_t i = 0; i < slots(Table::zeFence); ++i) EXPECT_EQ(row(Function(first + i)).table, Table::zeFence);
    EXPECT_STREQ(row(firstFunction(Table::zeFence)).name, "zeFenceCreate");
}

TEST(Deviation, OnlyLoadersWhoseTablesDiffer) {
    EXPECT_TRUE(deviates(Table::zeKernelExp, {1, 18, 5}));
    EXPECT_FALSE(deviates(Table::zeKernelExp, {1, 19, 0}));
    EXPECT_TRUE(deviates(Table::zetMetricGroupExp, {1, 9, 0}));
    EXPECT_FALSE(deviates(Table::zetMetricGroupExp, {1, 8, 0}));
    EXPECT_FALSE(deviates(Table::zeCommandList, {1, 18, 0}));
}

TEST(Deviation, IsAskedForOnlyWhereAVersionIsAmbiguous) {
    EXPECT_TRUE(mayDeviate(Table::zeKernelExp, spec(11)));
    EXPECT_FALSE(mayDeviate(Table::zeKernelExp, spec(12)));
    EXPECT_FALSE(mayDeviate(Table::zeCommandList, spec(11)));
}

}  // namespace
}  // namespace zetl::ddi
