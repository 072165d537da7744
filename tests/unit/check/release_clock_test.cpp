#include "emulator/check/release_clock.h"

#include <gtest/gtest.h>

namespace zetl::test {
namespace {

using emulator::check::ReleaseClock;

TEST(ReleaseClock, LateWritesAreLateUntilTheyAreReleased) {
    constexpr std::uint64_t kGroup = 7;
    ReleaseClock clock;
    clock.wroteLate(kGroup, 0x1000, {.thread = 1, .fences = 1, .epoch = 0});
    EXPECT_TRUE(clock.isLate(kGroup, 0x1000));
    EXPECT_FALSE(clock.isLate(kGroup + 1, 0x1000));
    clock.release(kGroup, {.thread = 1, .fences = 1, .epoch = 0});
    EXPECT_TRUE(clock.isLate(kGroup, 0x1000)) << "no fence between the write and the atomic";
    clock.release(kGroup, {.thread = 1, .fences = 2, .epoch = 0});
    EXPECT_FALSE(clock.isLate(kGroup, 0x1000));
}

TEST(ReleaseClock, KeepsNoMoreLateWritesThanItSays) {
    ReleaseClock clock;
    for (std::uint64_t n = 0; n <= ReleaseClock::kMostPlaces; ++n) clock.wroteLate(n % 3, n * 4, {.fences = 1});
    constexpr std::uint64_t kLast = ReleaseClock::kMostPlaces;
    EXPECT_TRUE(clock.isLate((kLast - 1) % 3, (kLast - 1) * 4));
    EXPECT_FALSE(clock.isLate(kLast % 3, kLast * 4));
    for (std::uint64_t group = 0; group < 3; ++group) clock.release(group, {.fences = 2});
    clock.wroteLate(kLast % 3, kLast * 4, {.fences = 1});
    EXPECT_TRUE(clock.isLate(kLast % 3, kLast * 4)) << "there is room for others again";
}

}  // namespace
}  // namespace zetl::test
