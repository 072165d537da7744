// How events get from the device's threads to the debugger.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

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

/// The agent answers requests on the same socket meanwhile. For the thread sanitizer, too.
TEST(Outbox, EventsOfThreadsThatStopTogetherArriveBesideAnswers) {
    constexpr int kThreads = 4;
    constexpr int kStops = 1000;  // of each
    constexpr int kRequests = 1000;
    ServedDebugger peer;
    ASSERT_TRUE(peer.introduce());
    int events = 0;
    int answers = 0;
    std::thread debugger([&] {
        const auto deadline = wire::Clock::now() + std::chrono::seconds(60);
        wire::Message message;
        while (events + answers < kThreads * kStops + kRequests &&
               wire::receive(peer.socket(), message, deadline) == wire::Received::message)
            ++(message.head.kind == wire::Kind::event ? events : answers);
    });
    std::vector<std::thread> device;
    for (unsigned thread = 0; thread < kThreads; ++thread)
        device.emplace_back([thread] {
            for (int i = 0; i < kStops; ++i) fake::stopThreadBesideOthers(thread, ZETL_STOP_STEP);
        });
    wire::Message request;
    request.head.kind = wire::Kind::stopped;
    request.head.thread = {{ZETL_ANY, ZETL_ANY, ZETL_ANY, ZETL_ANY}};
    for (int i = 0; i < kRequests; ++i) EXPECT_TRUE(wire::send(peer.socket(), request) && peer.serve());
    for (auto& each : device) each.join();
    EXPECT_TRUE(peer.serve()) << "what waits is sent";
    debugger.join();
    EXPECT_EQ(events, kThreads * kStops);
    EXPECT_EQ(answers, kRequests);
}

}  // namespace
}  // namespace zetl::debug
