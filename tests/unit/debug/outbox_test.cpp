// How events get from the device's threads to the debugger.
#include <gtest/gtest.h>

#include <thread>

#include "support/debug_wire.h"

namespace zetl::debug {
namespace {

namespace fake = test::fake;

bool takesEvent(int socket, std::optional<wire::Clock::time_point> deadline) {
    wire::Message message;
    return wire::receive(socket, message, deadline) == wire::Received::message &&
           message.head.kind == wire::Kind::event && wire::payloadOf<zetl_event_t>(message);
}

/// A process may end before its agent's thread runs again: what it did last was never heard then.
TEST(Outbox, EventsAreSentByWhoReportsThem) {
    ServedDebugger peer;
    ASSERT_TRUE(peer.introduce());
    fake::stopThread(0, ZETL_STOP_BREAKPOINT);
    EXPECT_TRUE(takesEvent(peer.socket(), wire::Clock::now())) << "the agent did not run meanwhile";
}

TEST(Outbox, WhatTheDebuggerDoesNotReadWaitsForTheAgent) {
    constexpr int kEvents = 4000;  // more than the socket holds
    ServedDebugger peer;
    ASSERT_TRUE(peer.introduce());
    for (int i = 0; i < kEvents; ++i) fake::stopThread(static_cast<unsigned>(i) % 16, ZETL_STOP_STEP);
    int taken = 0;
    std::thread debugger([&] {
        const auto deadline = wire::Clock::now() + std::chrono::seconds(20);
        while (taken < kEvents && takesEvent(peer.socket(), deadline)) ++taken;
    });
    EXPECT_TRUE(peer.serve());
    debugger.join();
    EXPECT_EQ(taken, kEvents);
}

}  // namespace
}  // namespace zetl::debug
