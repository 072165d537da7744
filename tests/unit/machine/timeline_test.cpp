// Every period has its sample, even if a reader was late: on a tile whose time and counts the test moves.
#include "emulator/machine/timeline.h"

#include <gtest/gtest.h>

#include <atomic>

#include "emulator/machine/machine.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::uint64_t kTick = 80;
constexpr std::uint64_t kPeriod = 1'000'000;
constexpr std::uint64_t kPeriodTicks = kPeriod / kTick;
constexpr std::uint64_t kCountsPerTick = 3;

std::atomic<std::uint64_t> hostTime{0};

/// A device of which a timeline needs the clock only.
class FakeDevice final : public Device {
  public:
    explicit FakeDevice(Tile& tile) : tile_(tile) {}
    Machine& machine() const noexcept override { std::abort(); }
    std::uint32_t index() const noexcept override { return 0; }
    const DeviceProfile& profile() const noexcept override { return profile_; }
    Clock& clock() noexcept override { return clock_; }
    CodeHeap& code() noexcept override { std::abort(); }
    Tile& tile(std::uint32_t) noexcept override { return tile_; }
    const std::shared_ptr<MemoryBudget>& memoryBudget() const noexcept override { return budget_; }
    const std::shared_ptr<MemoryBudget>& memoryBudget(std::uint32_t) const noexcept override { return budget_; }

  private:
    Tile& tile_;
    DeviceProfile profile_;
    Clock clock_{1'000'000'000 / kTick, {[]() noexcept { return hostTime.load(); }, 0}};
    std::shared_ptr<MemoryBudget> budget_;
};

class FakeTile final : public Tile {
  public:
    Device& device() const noexcept override { return device_; }
    std::uint32_t index() const noexcept override { return 0; }
    std::shared_ptr<Dispatch> submit(Launch, Completion) override { std::abort(); }
    std::shared_ptr<ExpectedWork> expect(std::uint64_t, std::uint64_t) override { return {}; }
    Snapshot counters() const override {
        Snapshot snapshot;
        snapshot.timestamp = device_.clock().peek();
        snapshot.coreClocks = snapshot.timestamp * 128;
        // One atomic value moves both: a reading by the timeline's thread at any time changes nothing.
        snapshot.counts[Counter::instructions] = snapshot.timestamp * kCountsPerTick + atOnce;
        return snapshot;
    }
    Snapshot countersSoFar() const override { return counters(); }
    std::vector<Snapshot> settledSince(std::uint64_t) const override { return {}; }
    std::shared_ptr<void> collect(ModelDetail) override { return {}; }
    void listen(Listening, std::shared_ptr<CountsListener>) override {}
    std::vector<InstructionStalls> stalls() const override { return {}; }
    std::uint64_t stallsFound() const noexcept override { return 0; }
    std::chrono::nanoseconds busyTime() const override { return {}; }
    std::vector<InstructionCount> instructionCounts() const override { return {}; }
    Control& control() noexcept override { std::abort(); }

    std::atomic<std::uint64_t> atOnce{0};

  private:
    mutable FakeDevice device_{*this};
};

class TimelineTest : public testing::Test {
  protected:
    TimelineTest() { hostTime = 1'000'000'000; }
    static void pass(std::uint64_t nanoseconds) { hostTime += nanoseconds; }
    std::vector<Sample> drain(Timeline& timeline, std::size_t most = SIZE_MAX) { return timeline.drain(most, &loss_); }

    FakeTile tile_;
    SampleLoss loss_;
};

std::uint64_t instructionsOf(const Sample& sample) { return sample.snapshot.counts[Counter::instructions]; }

TEST_F(TimelineTest, LateReadingsMoveNoSample) {
    const std::uint64_t start = hostTime / kTick;
    Timeline timeline(tile_, kPeriod, 1000);
    std::vector<Sample> samples;
    for (const std::uint64_t delay : {kPeriod, 25 * kPeriod, kPeriod / 3, 7 * kPeriod + 11, kPeriod * 2}) {
        pass(delay);
        const auto part = drain(timeline);
        samples.insert(samples.end(), part.begin(), part.end());
        EXPECT_EQ(loss_.samples, 0u);
    }
    ASSERT_EQ(samples.size(), 35u);
    for (std::size_t i = 0; i < samples.size(); ++i)
        EXPECT_EQ(samples[i].snapshot.timestamp, start + (i + 1) * kPeriodTicks) << i;
}

// Work of three periods whose counts are known late, with the time to which they belong.
TEST_F(TimelineTest, CountsLieWhereTheySettled) {
    const std::uint64_t start = hostTime / kTick;
    std::atomic<bool> settled{false};
    std::atomic<bool> told{false};
    Timeline timeline(tile_, kPeriod, 1000, [&](std::uint64_t) {
        Snapshot now;
        const bool first = settled && !told.exchange(true);
        now.more = first;
        now.timestamp = settled ? (first ? start + 3 * kPeriodTicks : hostTime / kTick) : start;
        now.counts[Counter::instructions] = settled ? 300 : 0;
        return now;
    });
    pass(5 * kPeriod);
    EXPECT_TRUE(drain(timeline).empty()) << "nothing is known about these periods";
    settled = true;
    const auto samples = drain(timeline);
    ASSERT_EQ(samples.size(), 5u);
    for (std::size_t i = 0; i < samples.size(); ++i)
        EXPECT_EQ(instructionsOf(samples[i]), std::min<std::uint64_t>(i + 1, 3) * 100) << i;
}

TEST_F(TimelineTest, InterpolatedCountsAddUpToTheRealOnes) {
    Timeline timeline(tile_, kPeriod, 1000);
    pass(10 * kPeriod + 7 * kTick);
    auto samples = drain(timeline);
    ASSERT_EQ(samples.size(), 10u);
    for (const Sample& sample : samples) {
        EXPECT_EQ(instructionsOf(sample), sample.snapshot.timestamp * kCountsPerTick)
            << "an even load is shared evenly";
        EXPECT_EQ(sample.interpolated, &sample != &samples.back());
    }
    tile_.atOnce = 1001;
    for (const std::uint64_t delay : {2 * kPeriod, kPeriod}) {
        pass(delay);
        const auto part = drain(timeline);
        samples.insert(samples.end(), part.begin(), part.end());
    }
    ASSERT_EQ(samples.size(), 13u);
    for (std::size_t i = 1; i < samples.size(); ++i)
        EXPECT_GT(instructionsOf(samples[i]), instructionsOf(samples[i - 1]));
    const std::uint64_t real = samples.back().snapshot.timestamp * kCountsPerTick + 1001;
    EXPECT_EQ(instructionsOf(samples.back()), real) << "nothing is left out, nothing is counted twice";
}

TEST_F(TimelineTest, WhatNobodyDrainsIsLostOnceAndToldOnce) {
    const std::uint64_t start = hostTime / kTick;
    Timeline timeline(tile_, kPeriod, 100);
    pass(130 * kPeriod);
    EXPECT_EQ(timeline.pending(), 100u);
    auto samples = drain(timeline);
    EXPECT_EQ(loss_.samples, 30u);
    EXPECT_EQ(loss_.begin, start + kPeriodTicks);
    EXPECT_EQ(loss_.end, start + 30 * kPeriodTicks);
    ASSERT_EQ(samples.size(), 100u);
    EXPECT_EQ(samples.front().snapshot.timestamp, start + 31 * kPeriodTicks);
    pass(kPeriod);
    EXPECT_EQ(drain(timeline).size(), 1u);
    EXPECT_EQ(loss_.samples, 0u);
}

TEST_F(TimelineTest, ADayOfSleepCostsNoMoreThanTheRing) {
    Timeline timeline(tile_, kPeriod, 100);
    pass(50 * kPeriod);
    EXPECT_EQ(timeline.pending(), 50u);
    constexpr std::uint64_t kDay = 86'400'000;  // periods
    pass(kDay * kPeriod);
    EXPECT_EQ(timeline.pending(), 100u);
    EXPECT_EQ(drain(timeline).size(), 100u);
    EXPECT_EQ(loss_.samples, kDay + 50 - 100);
}

TEST_F(TimelineTest, MarkersLieBetweenTheirSamples) {
    Timeline timeline(tile_, kPeriod, 100);
    pass(kPeriod * 5 / 2);
    timeline.mark(7);
    timeline.mark(8);
    pass(kPeriod);
    const auto samples = drain(timeline);
    ASSERT_EQ(samples.size(), 5u);
    EXPECT_TRUE(samples[2].marker && samples[3].marker);
    EXPECT_EQ(samples[2].value, 7u);
    EXPECT_EQ(samples[3].value, 8u);
    for (std::size_t i = 1; i < samples.size(); ++i)
        EXPECT_GE(samples[i].snapshot.timestamp, samples[i - 1].snapshot.timestamp);
}

// Intervals are made of two samples, so a marker that came first in a read would be in no interval.
TEST_F(TimelineTest, AMarkerIsNeverTheFirstOfARead) {
    Timeline timeline(tile_, kPeriod, 100);
    timeline.mark(1);
    auto samples = drain(timeline);
    ASSERT_EQ(samples.size(), 2u);
    EXPECT_FALSE(samples[0].marker);
    EXPECT_EQ(samples[1].value, 1u);
    timeline.mark(2);
    samples = drain(timeline);
    ASSERT_EQ(samples.size(), 2u);
    EXPECT_FALSE(samples[0].marker) << "the marker before it is repeated as a report of the timer";
    EXPECT_EQ(samples[0].value, 0u);
    EXPECT_EQ(samples[1].value, 2u);
    timeline.mark(3);
    samples = drain(timeline, 1);
    ASSERT_EQ(samples.size(), 1u) << "no room for both";
    EXPECT_EQ(samples[0].value, 3u);
    EXPECT_TRUE(drain(timeline, 0).empty());
}

TEST_F(TimelineTest, LostMarkersAreCounted) {
    Timeline timeline(tile_, kPeriod, 10);
    timeline.mark(1);
    pass(20 * kPeriod);
    drain(timeline);
    EXPECT_EQ(loss_.markers, 1u);
    EXPECT_EQ(loss_.samples, 11u);
}

TEST_F(TimelineTest, PeriodsAreWholeTicksAndStayWhatTheyWere) {
    for (const std::uint64_t wanted : {0ull, 50'000ull, 99'999ull, 100'500ull, 1'000'000ull, 4'000'000'000ull}) {
        const std::uint64_t granted = Timeline::periodOf(tile_, wanted);
        EXPECT_EQ(granted % kTick, 0u);
        EXPECT_EQ(Timeline::periodOf(tile_, granted), granted);
        EXPECT_EQ(Timeline(tile_, wanted, 1).period(), granted);
    }
}

}  // namespace
}  // namespace zetl::emulator::machine
