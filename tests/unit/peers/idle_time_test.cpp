// The idle time of a device that several processes use.
#include "emulator/peers/idle_time.h"

#include <gtest/gtest.h>

namespace zetl::emulator::peers {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

TEST(IdleTime, IsWhatWorkLeaves) {
    IdleTime idle;
    EXPECT_EQ(idle.of(10 * kMillisecond, 0), 10 * kMillisecond);
    EXPECT_EQ(idle.of(20 * kMillisecond, 4 * kMillisecond), 16 * kMillisecond);
}

TEST(IdleTime, WorkThatIsToldLateIsTakenOff) {
    IdleTime idle;
    EXPECT_EQ(idle.of(10 * kMillisecond, 0), 10 * kMillisecond);
    EXPECT_EQ(idle.of(11 * kMillisecond, 3 * kMillisecond), 10 * kMillisecond) << "never back";
    EXPECT_EQ(idle.of(14 * kMillisecond, 3 * kMillisecond), 11 * kMillisecond);
}

TEST(IdleTime, WorkAtTheSameTimeDoesNotStopItForLong) {
    IdleTime idle;
    EXPECT_EQ(idle.of(1000 * kMillisecond, 4000 * kMillisecond), 0u) << "four processes for a second";
    EXPECT_EQ(idle.of(1010 * kMillisecond, 4000 * kMillisecond), 0u);
    EXPECT_EQ(idle.of(1015 * kMillisecond, 4000 * kMillisecond), 5 * kMillisecond);
}

}  // namespace
}  // namespace zetl::emulator::peers
