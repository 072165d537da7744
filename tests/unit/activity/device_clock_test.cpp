// Kernel timestamps on the host's clock.
#include "activity/device_clock.h"

#include <gtest/gtest.h>

namespace zetl::activity {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

/// 12.5 MHz in 32 bits: wraps after 343.6 seconds.
DeviceClock clockAt(std::uint64_t host, std::uint64_t device, std::uint32_t kernelBits = 32) {
    DeviceClock clock({36, kernelBits, 80});
    clock.correlate({host, device});
    return clock;
}

TEST(DeviceClock, CountsFromTheCorrelatedPair) {
    const auto clock = clockAt(1000 * kSecond, 5000);
    EXPECT_EQ(clock.hostTime(5010, 1000 * kSecond), 1000 * kSecond + 800);
    EXPECT_EQ(clock.hostTime(4000, 1000 * kSecond - 90'000), 1000 * kSecond - 80'000) << "before the pair was read";
    EXPECT_EQ(clock.duration(5000, 5010), 800u);
}

TEST(DeviceClock, IsNotUsedBeforeItIsKnown) {
    EXPECT_FALSE(DeviceClock().usable());
    EXPECT_FALSE(DeviceClock({36, 32, 80}).usable()) << "both clocks were not read";
    EXPECT_FALSE(clockAt(1, 1, 0).usable());
    EXPECT_TRUE(clockAt(1, 1).usable());
}

TEST(DeviceClock, CutsTheDevicesTimeToTheKernelsBits) {
    const auto clock = clockAt(1000 * kSecond, (std::uint64_t(7) << 32) + 100);
    EXPECT_EQ(clock.hostTime(110, 1000 * kSecond), 1000 * kSecond + 800);
}

TEST(DeviceClock, WrapsBetweenStartAndEnd) {
    const auto clock = clockAt(1000 * kSecond, UINT32_MAX - 4);
    EXPECT_EQ(clock.hostTime(5, 1000 * kSecond), 1000 * kSecond + 800);
    EXPECT_EQ(clock.duration(UINT32_MAX - 4, 5), 800u);
}

TEST(DeviceClock, ACommandDoesNotBeginBeforeItWasSubmitted) {
    // The nearest moment with these cycles is 20 seconds before the pair; the command was submitted 10 before it.
    const auto clock = clockAt(1000 * kSecond, 1'000'000'000);
    const auto cycles = 1'000'000'000 - 20 * kSecond / 80;
    const auto wrap = (std::uint64_t(1) << 32) * 80;
    EXPECT_EQ(clock.hostTime(cycles, 990 * kSecond), 980 * kSecond + wrap);
    EXPECT_EQ(clock.hostTime(cycles, 979 * kSecond), 980 * kSecond);
}

TEST(DeviceClock, AWholeTurnBetweenSubmissionAndReadingIsFound) {
    // Submitted 300 seconds before the pair was read, began at once: nearer after the pair than before it.
    const auto clock = clockAt(1000 * kSecond, 4'000'000'000);
    const auto cycles = 4'000'000'000 - 300 * kSecond / 80;
    EXPECT_EQ(clock.hostTime(cycles, 700 * kSecond), 700 * kSecond);
}

TEST(DeviceClock, ClocksReadOneAfterTheOtherMayDisagreeALittle) {
    const auto clock = clockAt(1000 * kSecond, 5000);
    EXPECT_EQ(clock.hostTime(5000, 1000 * kSecond + 500), 1000 * kSecond);
}

TEST(DeviceClock, SixtyFourBitsDoNotWrap) {
    DeviceClock clock({64, 64, 1});
    clock.correlate({10 * kSecond, 5});
    EXPECT_EQ(clock.hostTime(3, 10 * kSecond), 10 * kSecond - 2);
    EXPECT_EQ(clock.duration(3, 5), 2u);
}

}  // namespace
}  // namespace zetl::activity
