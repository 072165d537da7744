#include "emulator/module/side_by_side.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>

namespace zetl::emulator::module {
namespace {

TEST(SideBySide, DoesEachPieceOnce) {
    std::array<std::atomic<int>, 100> done{};
    EXPECT_TRUE(sideBySide(done.size(), [&](std::size_t i) { return ++done[i] != 0; }));
    for (const std::atomic<int>& each : done) EXPECT_EQ(each, 1);
    EXPECT_TRUE(sideBySide(0, [](std::size_t) { return false; }));
}

TEST(SideBySide, BeginsNothingAfterAFailure) {
    std::atomic<std::size_t> begun{0};
    EXPECT_FALSE(sideBySide(100'000, [&](std::size_t) {
        ++begun;
        return false;
    }));
    EXPECT_LT(begun, 100'000u);
}

}  // namespace
}  // namespace zetl::emulator::module
