// Which threads wait for ever, by their registers alone. Time is what the test says it is.
#include "emulator/check/spin_watch.h"

#include <gtest/gtest.h>

#include <memory>

namespace zetl::emulator::check {
namespace {

using namespace std::chrono_literals;

/// A thread that reads memory once in a second.
class SpinningThread : public testing::Test {
  protected:
    /// The first second in which it is said to wait for ever; 0 if that is in none of a hundred.
    template <class Step>
    int foundAfter(Step&& step) {
        for (int second = 1; second <= 100; ++second) {
            step(second);
            if (watch.sees(*thread, line, progress, SpinWatch::Clock::time_point(second * 1s))) return second;
        }
        return 0;
    }
    std::uint32_t& number() { return *reinterpret_cast<std::uint32_t*>(thread->state + 64); }

    std::unique_ptr<isa::Thread> thread = std::make_unique<isa::Thread>();
    SpinWatch watch;
    isa::Line line = 7;
    std::uint64_t progress = 1;
};

TEST_F(SpinningThread, WaitsForEverIfNothingChanges) {
    EXPECT_EQ(foundAfter([](int) {}), 1 + kSpinLimit.count());
}

TEST_F(SpinningThread, WaitsForEverInALoopOfSeveralSteps) {
    const int found = foundAfter([this](int second) {
        number() = second % 3;
        line = 7 + second % 3;
    });
    EXPECT_GE(found, kSpinLimit.count());
    EXPECT_LE(found, 2 * kSpinLimit.count());
}

TEST_F(SpinningThread, WhichCountsDoesNot) {
    EXPECT_EQ(foundAfter([this](int second) { number() = second; }), 0);
}

TEST_F(SpinningThread, DoesNotWhileOthersWrite) {
    EXPECT_EQ(foundAfter([this](int second) { progress = second / 5; }), 0);
}

TEST_F(SpinningThread, WaitsFromTheLastWriteOn) {
    EXPECT_EQ(foundAfter([this](int second) { progress = second < 20 ? second : 20; }), 20 + kSpinLimit.count());
}

TEST_F(SpinningThread, WithOtherLanesIsNotInTheSamePlace) {
    EXPECT_EQ(foundAfter([this](int second) { thread->active = second; }), 0);
}

}  // namespace
}  // namespace zetl::emulator::check
