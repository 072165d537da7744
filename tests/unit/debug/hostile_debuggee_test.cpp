// A debuggee that lies, or says nothing: its debugger believes nothing that cannot be, and waits for nobody for ever.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "debug/possible.h"
#include "debug/remote_target.h"
#include "debug/session.h"
#include "support/debug_wire.h"
#include "support/wait_for.h"

namespace zetl::debug {
namespace {

namespace fake = test::fake;
using namespace std::chrono_literals;

zetl_event_t eventOf(zetl_event_kind_t kind) {
    zetl_event_t event{};
    event.size = sizeof event;
    event.kind = kind;
    return event;
}

class HostileDebuggee : public testing::Test {
  protected:
    HostileDebuggee() { fake::addTo(devices_); }
    const device::Device& device() { return **devices_.find(fake::deviceHandle()); }
    /// The debugger's side of a connection to somebody who answers so.
    std::unique_ptr<Target> lyingTarget(
        ScriptedAgent::Script lie, EventSink sink = [](const zetl_event_t&) {}) {
        auto [theirs, ours] = socketPair();
        liar_.emplace(std::move(theirs), std::move(lie));
        return makeRemoteTarget(std::move(ours), device(), std::move(sink));
    }
    std::shared_ptr<Session> lyingSession(ScriptedAgent::Script lie) {
        const auto open = [&](const device::Device&, std::uint64_t, EventSink sink) {
            return Opened{ZETL_OK, lyingTarget(std::move(lie), std::move(sink))};
        };
        return *Session::attach(device(), 1, open);
    }
    static wire::Message answer(std::uint32_t count, std::vector<std::byte> payload = {}) {
        wire::Message message;
        message.head.count = count;
        message.payload = std::move(payload);
        return message;
    }
    device::Devices devices_{fake::coreCalls()};
    std::atomic<int> asked_{0};
    std::atomic<int> events_{0};
    std::atomic<bool> answers_{false};
    zetl_module_info_t info_{};
    std::optional<ScriptedAgent> liar_;  // its thread uses the above
    const zetl_thread_t any_{{ZETL_ANY, ZETL_ANY, ZETL_ANY, ZETL_ANY, 0, 0}};
    const zetl_thread_t one_{};
};

TEST_F(HostileDebuggee, ThreadsThatTheDeviceDoesNotHaveEndTheList) {
    const auto target = lyingTarget([&](const wire::Message&) {
        ++asked_;
        return answer(UINT32_MAX, wire::bytesOf(zetl_thread_t{}));
    });
    std::vector<zetl_thread_t> threads;
    EXPECT_EQ(target->stopped(any_, threads), ZETL_LOST);
    EXPECT_LE(asked_.load(), static_cast<int>(fake::kThreads) + 1);
}

TEST_F(HostileDebuggee, AnswersOfAnotherLengthAreNotCopied) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{63}, std::size_t{65}, wire::kPayload}) {
        const auto target = lyingTarget([=](const wire::Message&) { return answer(0, std::vector<std::byte>(bytes)); });
        char buffer[64];
        EXPECT_EQ(target->readMemory(any_, ZETL_SPACE_GLOBAL, 0, sizeof buffer, buffer), ZETL_LOST);
        EXPECT_EQ(target->readRegisters(one_, fake::kGeneral, 0, 1, sizeof buffer, buffer), ZETL_LOST);
        EXPECT_EQ(target->readImage(1, 0, sizeof buffer, buffer), ZETL_LOST);
        zetl_module_info_t info{};
        EXPECT_EQ(target->moduleInfo(1, info), ZETL_LOST);
    }
}

TEST_F(HostileDebuggee, ModulesThatCannotBeAreIgnored) {
    info_.size = sizeof info_;
    const auto target = lyingTarget([&](const wire::Message&) { return answer(0, wire::bytesOf(info_)); });
    zetl_module_info_t got{};
    EXPECT_EQ(target->moduleInfo(1, got), ZETL_OK);
    info_.image_bytes = UINT64_MAX;
    EXPECT_EQ(target->moduleInfo(1, got), ZETL_LOST);
    info_.image_bytes = 1;
    info_.load_address = UINT64_MAX - 1;
    info_.code_bytes = 4;
    EXPECT_EQ(target->moduleInfo(1, got), ZETL_LOST);
}

/// Its module is let go, and the events behind it are reported.
TEST_F(HostileDebuggee, ModulesThatItLiesAboutAreLetGo) {
    for (const bool refuses : {false, true}) {
        std::atomic<std::uint64_t> released{0};
        const auto session = lyingSession([&](const wire::Message& request) {
            auto message = answer(0);
            if (request.head.kind == wire::Kind::release) released = request.head.id;
            if (request.head.kind == wire::Kind::moduleInfo && refuses)
                message.head.status = ZETL_NO_MEMORY;
            else if (request.head.kind == wire::Kind::moduleInfo)
                message.payload = wire::bytesOf(zetl_module_info_t{});
            return message;
        });
        liar_->send(eventOf(ZETL_EVENT_PROCESS_ENTRY));
        auto load = eventOf(ZETL_EVENT_MODULE_LOAD);
        load.module = 7;
        load.hold = 8;
        liar_->send(load);
        liar_->send(eventOf(ZETL_EVENT_PROCESS_EXIT));
        zet_debug_event_t event{};
        ASSERT_EQ(session->readEvent(5000, event), ZE_RESULT_SUCCESS);
        EXPECT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
        ASSERT_EQ(session->readEvent(5000, event), ZE_RESULT_SUCCESS);
        EXPECT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT);
        EXPECT_EQ(released.load(), 8u);
        session->detach();
        liar_.reset();
    }
}

TEST_F(HostileDebuggee, StatusThatIsNoneCountsAsLost) {
    const auto target = lyingTarget([&](const wire::Message&) {
        auto message = answer(0);
        message.head.status = 4711;
        return message;
    });
    EXPECT_EQ(target->release(1), ZETL_LOST);
}

TEST_F(HostileDebuggee, ThatAnswersNothingIsGivenUp) {
    const auto target = lyingTarget([](const wire::Message&) { return std::nullopt; });
    const auto start = wire::Clock::now();
    EXPECT_EQ(target->run(any_), ZETL_LOST);
    EXPECT_GE(wire::Clock::now() - start, 1900ms);
}

/// Each piece comes in time, all of them would take minutes.
TEST_F(HostileDebuggee, ThatAnswersSlowlyIsGivenUp) {
    const auto target = lyingTarget([&](const wire::Message& request) {
        test::letPass(500ms);
        ++asked_;
        return answer(0, std::vector<std::byte>(request.head.length));
    });
    std::vector<char> buffer(40 * wire::kPayload);
    EXPECT_EQ(target->readMemory(any_, ZETL_SPACE_GLOBAL, 0, buffer.size(), buffer.data()), ZETL_LOST);
    EXPECT_LT(asked_.load(), 20) << "3.3 s for 1.3 MB";
}

TEST_F(HostileDebuggee, EventsThatCannotBeAreIgnored) {
    const auto target = lyingTarget([&](const wire::Message&) { return answer(0); },
                                    [&](const zetl_event_t& event) { events_ += event.kind != ZETL_EVENT_GONE; });
    auto event = eventOf(ZETL_EVENT_STOPPED);
    event.thread = any_;  // not one thread
    liar_->send(event);
    event.thread = {{0, 7, 0, 0, 0, 0}};  // none of the device's
    liar_->send(event);
    event = eventOf(static_cast<zetl_event_kind_t>(0));
    liar_->send(event);
    event.kind = 4711;
    liar_->send(event);
    event = eventOf(ZETL_EVENT_PROCESS_ENTRY);
    event.size = 1;
    liar_->send(event);
    liar_->send(eventOf(ZETL_EVENT_PROCESS_ENTRY));
    EXPECT_EQ(target->run(any_), ZETL_OK);  // what was sent before has been looked at
    EXPECT_EQ(events_.load(), 1);
}

/// A debugger that does not read is not filled up without end.
TEST_F(HostileDebuggee, FloodOfEventsEndsTheSession) {
    const auto session = lyingSession([](const wire::Message&) { return answer(0); });
    constexpr std::size_t kOnTheirWay = 2000;  // more than a socket holds
    for (std::size_t i = 0; i < kMostEvents + kOnTheirWay; ++i)
        liar_->send(eventOf(i % 2 ? ZETL_EVENT_PROCESS_EXIT : ZETL_EVENT_PROCESS_ENTRY));
    zet_debug_event_t event{};
    std::size_t read = 0;
    while (session->readEvent(10'000, event) == ZE_RESULT_SUCCESS && event.type != ZET_DEBUG_EVENT_TYPE_DETACHED)
        ++read;
    EXPECT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_DETACHED);
    EXPECT_LE(read, kMostEvents + 1);
}

/// Entering and leaving a process with many modules makes many events of few.
TEST_F(HostileDebuggee, EventsThatGrowInTheSessionAreBounded) {
    const auto session = lyingSession([](const wire::Message&) {
        zetl_module_info_t info{};
        info.size = sizeof info;
        return answer(0, wire::bytesOf(info));
    });
    constexpr int kModules = 2000;
    constexpr int kRounds = 200;
    for (int i = 1; i <= kModules; ++i) {
        auto load = eventOf(ZETL_EVENT_MODULE_LOAD);
        load.module = static_cast<zetl_module_t>(i);
        liar_->send(load);
    }
    for (int i = 0; i < kRounds; ++i) {
        liar_->send(eventOf(ZETL_EVENT_PROCESS_ENTRY));
        liar_->send(eventOf(ZETL_EVENT_PROCESS_EXIT));
    }
    zet_debug_event_t event{};
    const int expected = kRounds * 2 * (kModules + 1);  // none is lost, though never all are kept at a time
    int read = 0;
    while (read < expected && session->readEvent(10'000, event) == ZE_RESULT_SUCCESS) ++read;
    EXPECT_EQ(read, expected);
}

TEST_F(HostileDebuggee, ModuleWhoseDescriptionIsLateIsNotLost) {
    const auto session = lyingSession([&](const wire::Message&) -> std::optional<wire::Message> {
        if (!answers_) return std::nullopt;
        zetl_module_info_t info{};
        info.size = sizeof info;
        return answer(0, wire::bytesOf(info));
    });
    auto load = eventOf(ZETL_EVENT_MODULE_LOAD);
    load.module = 5;
    load.hold = 6;
    liar_->send(eventOf(ZETL_EVENT_PROCESS_ENTRY));
    liar_->send(load);
    zet_debug_event_t event{};
    ASSERT_EQ(session->readEvent(10'000, event), ZE_RESULT_SUCCESS);
    EXPECT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    EXPECT_EQ(session->readEvent(0, event), ZE_RESULT_NOT_READY);
    answers_ = true;
    ASSERT_EQ(session->readEvent(10'000, event), ZE_RESULT_SUCCESS);
    EXPECT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    EXPECT_TRUE(event.flags & ZET_DEBUG_EVENT_FLAG_NEED_ACK);
}

/// Another thread may reach a breakpoint while the debugger resumes all that it knows of: it must stay where it is.
TEST_F(HostileDebuggee, AResumeOfAllRunsThreadsThatTheDebuggerKnows) {
    std::atomic<int> others{0};
    const auto session = lyingSession([&](const wire::Message& request) {
        if (request.head.kind != wire::Kind::run) return answer(0);
        ++asked_;
        others += std::memcmp(&request.head.thread, &one_, sizeof one_) != 0 ? 1 : 0;
        return answer(0);
    });
    liar_->send(eventOf(ZETL_EVENT_STOPPED));
    zet_debug_event_t event{};
    ASSERT_EQ(session->readEvent(10'000, event), ZE_RESULT_SUCCESS);
    EXPECT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    EXPECT_EQ(session->resume(ThreadSet::all()), ZE_RESULT_SUCCESS);
    EXPECT_EQ(asked_.load(), 1);
    EXPECT_EQ(others.load(), 0);
}

/// It does what it was told, later.
TEST_F(HostileDebuggee, AResumeThatIsAnsweredLateIsNoFailure) {
    std::atomic<bool> runs{false};
    const auto session = lyingSession([&](const wire::Message& request) -> std::optional<wire::Message> {
        if (request.head.kind == wire::Kind::run) {
            runs = true;
            return std::nullopt;
        }
        auto message = answer(0);
        if (runs) message.head.status = ZETL_NOT_READY;
        return message;
    });
    liar_->send(eventOf(ZETL_EVENT_STOPPED));
    zet_debug_event_t event{};
    ASSERT_EQ(session->readEvent(10'000, event), ZE_RESULT_SUCCESS);
    EXPECT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    EXPECT_EQ(session->resume(ThreadSet::all()), ZE_RESULT_SUCCESS);
    EXPECT_EQ(session->resume(ThreadSet::all()), ZE_RESULT_ERROR_NOT_AVAILABLE) << "it runs";
}

/// An interrupt's answer without the threads that stand still could not be followed by a resume.
TEST_F(HostileDebuggee, StopWhoseThreadsAreToldLateIsNotLost) {
    std::atomic<std::uint64_t> token{0};
    const auto session = lyingSession([&](const wire::Message& request) -> std::optional<wire::Message> {
        if (request.head.kind == wire::Kind::halt) token = request.head.id;
        if (request.head.kind != wire::Kind::stopped) return answer(0);
        if (!answers_) return std::nullopt;
        return answer(1, wire::bytesOf(zetl_thread_t{}));
    });
    const ThreadSet all = ThreadSet::all();
    ASSERT_EQ(session->interrupt(all), ZE_RESULT_SUCCESS);
    auto halted = eventOf(ZETL_EVENT_HALTED);
    halted.thread = any_;
    halted.token = token;
    halted.stopped = 1;
    liar_->send(halted);
    zet_debug_event_t event{};
    EXPECT_EQ(session->readEvent(500, event), ZE_RESULT_NOT_READY);
    answers_ = true;
    ASSERT_EQ(session->readEvent(10'000, event), ZE_RESULT_SUCCESS);
    EXPECT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    EXPECT_EQ(session->resume(all), ZE_RESULT_SUCCESS);
}

}  // namespace
}  // namespace zetl::debug
