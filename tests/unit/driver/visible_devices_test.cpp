#include "emulator/driver/device/visible_devices.h"

#include <gtest/gtest.h>

#include <array>

namespace zetl::emulator::driver::test {
namespace {

using Tiles = std::vector<std::vector<std::uint32_t>>;

Tiles visible(Hierarchy hierarchy, std::string_view mask) { return visibleTiles(hierarchy, mask, std::array{2u, 2u}); }

TEST(VisibleDevices, AllWithoutAMask) { EXPECT_EQ(visible(Hierarchy::flat, ""), (Tiles{{0, 1}, {0, 1}})); }

TEST(VisibleDevices, CompositeMasksNameDevicesAndTheirTiles) {
    EXPECT_EQ(visible(Hierarchy::composite, "1"), (Tiles{{}, {0, 1}}));
    EXPECT_EQ(visible(Hierarchy::composite, "0.1,1.0"), (Tiles{{1}, {0}}));
    EXPECT_EQ(visible(Hierarchy::composite, "0.1,0,0.1"), (Tiles{{0, 1}, {}})) << "twice is once";
}

TEST(VisibleDevices, FlatMasksCountTilesThrough) {
    EXPECT_EQ(visible(Hierarchy::flat, "1,2"), (Tiles{{1}, {0}}));
    EXPECT_EQ(visible(Hierarchy::combined, "3"), (Tiles{{}, {1}}));
}

TEST(VisibleDevices, BlanksDoNotMatter) {
    EXPECT_EQ(visible(Hierarchy::composite, "0, 1"), (Tiles{{0, 1}, {0, 1}})) << "as the specification writes it";
    EXPECT_EQ(visible(Hierarchy::composite, " 0.1 ,\t1 . 0 "), (Tiles{{1}, {0}}));
    EXPECT_EQ(visible(Hierarchy::flat, "0x1 , 2"), (Tiles{{1}, {0}}));
    EXPECT_EQ(visible(Hierarchy::composite, "  "), (Tiles{{0, 1}, {0, 1}}));
    EXPECT_EQ(visible(Hierarchy::composite, "default"), (Tiles{{0, 1}, {0, 1}}));
}

TEST(VisibleDevices, EntriesThatNameNothingArePassedOver) {
    for (const char* bad : {"2", "0.2", "x", "0.", ".0", "-1", "0.0.0", ",", "0x", "0 1", "1x", "99999999999"})
        EXPECT_EQ(visible(Hierarchy::composite, bad), (Tiles{{}, {}})) << bad;
    EXPECT_EQ(visible(Hierarchy::flat, "0.1,4,2"), (Tiles{{}, {0}}));
}

TEST(VisibleDevices, DevicesMayDifferInTheirTiles) {
    const auto mixed = [](Hierarchy hierarchy, std::string_view mask) {
        return visibleTiles(hierarchy, mask, std::array{1u, 2u, 1u});
    };
    EXPECT_EQ(mixed(Hierarchy::composite, ""), (Tiles{{0}, {0, 1}, {0}}));
    EXPECT_EQ(mixed(Hierarchy::composite, "1,0.1"), (Tiles{{}, {0, 1}, {}})) << "the first has one tile";
    EXPECT_EQ(mixed(Hierarchy::flat, "0,2,3"), (Tiles{{0}, {1}, {0}}));
    EXPECT_EQ(mixed(Hierarchy::flat, "4"), (Tiles{{}, {}, {}}));
}

TEST(VisibleDevices, HierarchiesGoByName) {
    EXPECT_EQ(hierarchyNamed("FLAT"), Hierarchy::flat);
    EXPECT_EQ(hierarchyNamed("COMBINED"), Hierarchy::combined);
    EXPECT_EQ(hierarchyNamed("COMPOSITE"), Hierarchy::composite);
    EXPECT_EQ(hierarchyNamed("flat"), Hierarchy::composite);
}

}  // namespace
}  // namespace zetl::emulator::driver::test
