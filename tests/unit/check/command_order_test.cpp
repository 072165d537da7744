// Sets of commands, and what is ordered before what.
#include "emulator/check/command_order.h"

#include <gtest/gtest.h>

#include <array>

namespace zetl::emulator::check {
namespace {

TEST(CommandSet, HoldsWhatWasAdded) {
    CommandSet set;
    set.add(5);
    set.add(200);
    EXPECT_TRUE(set.has(0));
    EXPECT_TRUE(set.has(5));
    EXPECT_TRUE(set.has(200));
    EXPECT_FALSE(set.has(6));
    EXPECT_FALSE(set.has(199));
    EXPECT_FALSE(set.has(100'000));
}

TEST(CommandSet, JoinsWhatLiesApart) {
    CommandSet one;
    for (std::uint64_t i = 1; i <= 130; ++i) one.add(i);
    CommandSet other;
    other.add(3);
    other.add(300);
    CommandSet both = other;
    both.add(one);
    one.add(other);
    for (const std::uint64_t member : {3u, 64u, 130u, 300u}) {
        EXPECT_TRUE(one.has(member)) << member;
        EXPECT_TRUE(both.has(member)) << member;
    }
    EXPECT_FALSE(one.has(131));
    EXPECT_FALSE(both.has(299));
}

TEST(CommandSet, StaysSmall) {
    CommandSet set;
    for (std::uint64_t i = 1; i < 100'000; i += 2) set.add(i);
    EXPECT_TRUE(set.has(2));  // so far behind that it counts as a member
    EXPECT_FALSE(set.has(99'998));
    constexpr std::uint64_t kFar = std::uint64_t{1} << 60;
    set.add(kFar + 1);
    EXPECT_TRUE(set.has(99'998));
    EXPECT_FALSE(set.has(kFar));
}

class CommandOrderTest : public testing::Test {
  protected:
    using Kind = CommandOrder::Kind;

    CommandOrder::Command run(CommandOrder::Stream& stream, Kind kind, CommandOrder::Event wait = nullptr,
                              const CommandOrder::Event& signal = nullptr) {
        const CommandOrder::Ticket ticket = order_.submit(1);
        CommandOrder::Command command{ticket.first, 1, kind, nullptr};
        const std::array waits{std::move(wait)};
        order_.begin(stream, ticket, waits, command);
        order_.end(stream, command, signal);
        return command;
    }
    static bool isBefore(const CommandOrder::Command& one, const CommandOrder::Command& other) {
        return other.before && other.before->has(one.number);
    }

    CommandOrder order_;
    CommandOrder::Stream first_;
    CommandOrder::Stream second_;
    CommandOrder::Event event_ = std::make_shared<int>();
};

TEST_F(CommandOrderTest, CommandsOfAListAreOrderedByBarriersOnly) {
    const auto a = run(first_, Kind::work);
    const auto b = run(first_, Kind::work);
    run(first_, Kind::barrier);
    const auto c = run(first_, Kind::work);
    EXPECT_FALSE(isBefore(a, b));
    EXPECT_TRUE(isBefore(a, c));
    EXPECT_TRUE(isBefore(b, c));
}

TEST_F(CommandOrderTest, AnEventTellsOfItsCommandAlone) {
    const auto a = run(first_, Kind::work);
    const auto b = run(first_, Kind::work, nullptr, event_);
    const auto c = run(second_, Kind::work, event_);
    const auto d = run(second_, Kind::work);
    EXPECT_FALSE(isBefore(a, c));
    EXPECT_TRUE(isBefore(b, c));
    EXPECT_FALSE(isBefore(b, d));
}

TEST_F(CommandOrderTest, ASignalTellsOfAllBeforeItAndAWaitHoldsForAllBehindIt) {
    const auto a = run(first_, Kind::work);
    run(first_, Kind::signal, nullptr, event_);
    run(second_, Kind::signal, event_);
    EXPECT_TRUE(isBefore(a, run(second_, Kind::work)));
}

TEST_F(CommandOrderTest, ASecondSignalTellsNothingNewUntilTheEventIsReset) {
    run(first_, Kind::signal, nullptr, event_);
    const auto a = run(first_, Kind::work);
    run(first_, Kind::signal, nullptr, event_);
    EXPECT_FALSE(isBefore(a, run(second_, Kind::work, event_)));
    order_.reset(event_);
    run(first_, Kind::signal, nullptr, event_);
    EXPECT_TRUE(isBefore(a, run(second_, Kind::work, event_)));
}

TEST_F(CommandOrderTest, WhatTheHostHasSeenIsBeforeWhatItSubmits) {
    const auto a = run(first_, Kind::work, nullptr, event_);
    EXPECT_FALSE(isBefore(a, run(second_, Kind::work)));
    order_.hostSaw(event_);
    EXPECT_TRUE(isBefore(a, run(second_, Kind::work)));
    const std::uint64_t act = order_.hostActs();
    EXPECT_TRUE(isBefore({act, 1, Kind::work, nullptr}, run(second_, Kind::work)));
}

TEST_F(CommandOrderTest, AnEventThatNobodyHereSignalledMayTellOfAnything) {
    const auto a = run(first_, Kind::work);
    EXPECT_TRUE(isBefore(a, run(second_, Kind::work, event_)));
}

TEST_F(CommandOrderTest, AnEventInTheMemoryOfAnotherIsAnother) {
    run(first_, Kind::signal, nullptr, event_);
    const auto a = run(first_, Kind::work);
    event_.reset();
    for (int i = 0; i < 5000; ++i) run(first_, Kind::signal, nullptr, std::make_shared<int>());
    event_ = std::make_shared<int>();
    run(first_, Kind::signal, nullptr, event_);
    EXPECT_TRUE(isBefore(a, run(second_, Kind::work, event_)));
}

}  // namespace
}  // namespace zetl::emulator::check
