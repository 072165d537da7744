// Which groups of a launch each tile of a device gets.
#include "emulator/driver/execution/scaled_launch.h"

#include <gtest/gtest.h>

namespace zetl::emulator::driver {
namespace {

using machine::Extent;

TEST(GridParts, OneTileTakesTheWholeGrid) {
    const auto parts = partsOf({5, 6, 7}, 1);
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_EQ(parts[0].groupCount, (Extent{5, 6, 7}));
    EXPECT_EQ(parts[0].firstGroup, (Extent{0, 0, 0}));
}

TEST(GridParts, TheLongestDimensionIsCut) {
    const auto parts = partsOf({2, 7, 3}, 2);
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[0].groupCount, (Extent{2, 3, 3}));
    EXPECT_EQ(parts[0].firstGroup, (Extent{0, 0, 0}));
    EXPECT_EQ(parts[1].groupCount, (Extent{2, 4, 3}));
    EXPECT_EQ(parts[1].firstGroup, (Extent{0, 3, 0}));
    EXPECT_EQ(parts[1].tile, 1u);
}

TEST(GridParts, NoTileGetsAnEmptyPart) {
    EXPECT_EQ(partsOf({1, 1, 1}, 2).size(), 1u);
    EXPECT_EQ(partsOf({3, 1, 1}, 8).size(), 3u);
    const auto empty = partsOf({0, 4, 4}, 2);
    ASSERT_EQ(empty.size(), 1u);
    EXPECT_EQ(empty[0].groupCount, (Extent{0, 4, 4}));
}

TEST(GridParts, HugeGridsAreCoveredOnce) {
    std::uint64_t sum = 0;
    for (const auto& part : partsOf({UINT32_MAX, 1, 1}, 8)) {
        EXPECT_EQ(part.firstGroup[0], sum);
        sum += part.groupCount[0];
    }
    EXPECT_EQ(sum, UINT32_MAX);
}

}  // namespace
}  // namespace zetl::emulator::driver
