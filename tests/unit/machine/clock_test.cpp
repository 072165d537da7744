// The device clock: its widths, its wraps, and one epoch for all processes of a host.
#include "emulator/machine/clock.h"

#include <gtest/gtest.h>

#include "emulator/machine/profile.h"
#include "emulator/machine/tick_width.h"

namespace zetl::emulator::machine {
namespace {

TEST(TickWidth, CutsToItsBits) {
    EXPECT_EQ(TickWidth{36}.cut(0xfff'ffff'ffff), 0xf'ffff'ffffu);
    EXPECT_EQ(TickWidth{64}.cut(UINT64_MAX), UINT64_MAX);
    EXPECT_EQ(TickWidth{32}.cut(std::uint64_t{1} << 32), 0u);
}

TEST(TickWidth, AValueStandsForTheNearestMoment) {
    constexpr TickWidth kWidth{32};
    constexpr std::uint64_t kWrap = std::uint64_t{7} << 32;
    for (const std::uint64_t now : {kWrap - 5, kWrap, kWrap + 5, kWrap + (std::uint64_t{1} << 31)})
        for (const std::int64_t distance :
             {-(std::int64_t{1} << 30), std::int64_t{-10}, std::int64_t{0}, std::int64_t{10}, std::int64_t{1} << 30}) {
            const std::uint64_t moment = now + static_cast<std::uint64_t>(distance);
            EXPECT_EQ(kWidth.nearest(kWidth.cut(moment), now), moment) << now << " " << distance;
        }
    EXPECT_EQ(kWidth.nearest(0xffff'ff00, 16), 0xffff'ff00u) << "there is no moment before the clock's zero";
    EXPECT_EQ(TickWidth{64}.nearest(3, 1000), 3u);
}

TEST(HostTime, ReadsTheOffsetOfATimeNamespace) {
    EXPECT_EQ(namespaceOffset("monotonic           0         0\nboottime            0         0\n"), 0);
    EXPECT_EQ(namespaceOffset("monotonic     2000000       500\nboottime            7         0\n"),
              2'000'000'000'000'500);
    EXPECT_EQ(namespaceOffset("boottime 7 0\nmonotonic -3 999999999\n"), -2'000'000'001);
    for (const char* text :
         {"", "monotonic", "monotonic x 0", "monotonic 1", "monotonic 1 -1", "monotonic 1 1000000000", "boottime 1 0",
          "monotonic 99999999999999999999 0", "monotonic 9999999999999 0"})
        EXPECT_FALSE(namespaceOffset(text)) << text;
}

std::uint64_t hostNow = 0;

// The same host seen by two processes, one of them in a time namespace a hundred days ahead.
TEST(Clock, ProcessesOfTwoTimeNamespacesAgree) {
    constexpr std::int64_t kAhead = 100 * 86'400 * std::int64_t{1'000'000'000};
    const Clock outside(12'500'000, {[]() noexcept { return hostNow; }, 0});
    const Clock inside(12'500'000, {[]() noexcept { return hostNow + kAhead; }, -kAhead});
    for (hostNow = 1'000'000'000; hostNow < 5'000'000'000'000; hostNow *= 7) {
        EXPECT_EQ(inside.peek(), outside.peek());
        EXPECT_EQ(outside.peek(), hostNow / 80);
        EXPECT_EQ(inside.hostAt(inside.peek()), outside.hostAt(outside.peek()) + kAhead);
    }
}

TEST(Clock, CorrelatesAcrossAWrap) {
    const DeviceProfile profile = loadProfile("max1550").devices.front();
    EXPECT_EQ(profile.timestampValidBits, 36u);
    EXPECT_EQ(profile.kernelTimestampValidBits, 32u);
    const TickWidth width = profile.kernelTimestampWidth();
    constexpr std::uint64_t kTick = 80;
    constexpr std::uint64_t kWrap = kTick << 32;
    Clock clock(profile.timerHz, {[]() noexcept { return hostNow += kTick; }, 0});
    hostNow = 3 * kWrap - 5 * kTick;
    std::uint64_t last = width.cut(clock.timestamp());
    std::uint64_t wraps = 0;
    for (int i = 0; i < 10; ++i) {
        const Clock::Pair pair = clock.correlate();
        const std::uint64_t now = width.cut(pair.device);
        EXPECT_EQ(width.cut(now - last), 1u);
        EXPECT_EQ(clock.hostAt(width.nearest(now, clock.at(pair.host))), pair.host);
        wraps += now < last;
        last = now;
    }
    EXPECT_EQ(wraps, 1u);
}

}  // namespace
}  // namespace zetl::emulator::machine
