// A debuggee in another process: the scripted device runs in a child, the debugger here.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "debug/endpoint.h"
#include "debug/remote_target.h"
#include "debug/wire.h"
#include "session_fixture.h"

namespace zetl::debug {
namespace {

namespace fake = test::fake;

/// A child process with the scripted device and, if asked, a debug agent. It does `act` whenever it is told to step.
class ChildProcess {
  public:
    explicit ChildProcess(
        Debuggee mode, std::function<void(int)> act = [](int) {}) {
        EXPECT_EQ(pipe2(commands_, O_CLOEXEC), 0);
        EXPECT_EQ(pipe2(answers_, O_CLOEXEC), 0);
        pid_ = fork();
        if (pid_ == 0) child(mode, act);
        waitForAnswer();
    }
    ~ChildProcess() {
        kill();
        for (const int end : {commands_[0], commands_[1], answers_[0], answers_[1]}) close(end);
    }
    uint32_t pid() const { return static_cast<uint32_t>(pid_); }
    void step() {
        EXPECT_EQ(write(commands_[1], "s", 1), 1);
        waitForAnswer();
    }
    void kill() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }

  private:
    void waitForAnswer() {
        char answer = 0;
        EXPECT_EQ(read(answers_[0], &answer, 1), 1);
    }
    [[noreturn]] void child(Debuggee mode, const std::function<void(int)>& act) {
        device::Devices devices(fake::coreCalls());
        fake::addTo(devices);
        Debug debug(devices, mode);
        char command = 0;
        int steps = 0;
        do {
            if (write(answers_[1], "r", 1) != 1) _exit(1);
            if (read(commands_[0], &command, 1) != 1) _exit(0);
            act(steps++);
        } while (true);
    }
    int commands_[2], answers_[2];
    pid_t pid_ = 0;
};

class Remote : public SessionTest {
  protected:
    /// No agent here: its thread may be allocating at the fork, and a sanitizer's allocator lock is then never released
    /// in the child.
    Remote() : SessionTest(Debuggee::off) {}
    ze_result_t attachTo(uint32_t pid) {
        zet_debug_config_t config{pid};
        return debug_.attach(device_, &config, &session_);
    }
    zet_debug_event_t await() {
        zet_debug_event_t event{};
        EXPECT_EQ(read(event, 5000), ZE_RESULT_SUCCESS);
        return event;
    }
};

TEST_F(Remote, ProcessWithoutAgentIsNotReady) {
    ChildProcess debuggee(Debuggee::off);
    EXPECT_EQ(attachTo(debuggee.pid()), ZE_RESULT_NOT_READY);
    EXPECT_EQ(session_, nullptr);
}

TEST_F(Remote, EventsRegistersAndMemoryCrossTheConnection) {
    ChildProcess debuggee(Debuggee::online, [](int step) {
        if (step == 0) {
            fake::map(0x10000, std::string(64, 'c'));
            fake::enterProcess();
            fake::load(std::string(100'000, 'i'), 0x10000, 64, 900);
        }
        if (step == 1) fake::stopThread(5, ZETL_STOP_BREAKPOINT);
    });
    ASSERT_EQ(attachTo(debuggee.pid()), ZE_RESULT_SUCCESS);
    EXPECT_TRUE(nothing());
    debuggee.step();
    EXPECT_EQ(await().type, ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto load = await();
    ASSERT_EQ(load.type, ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    EXPECT_EQ(readMemory(kAll, at(load.info.module.moduleBegin), 100'000), std::string(100'000, 'i'))
        << "several pieces";
    auto desc = at(0x10008);
    ASSERT_EQ(debug_.writeMemory(session_, kAll, &desc, 2, "BP"), ZE_RESULT_SUCCESS);
    EXPECT_EQ(readMemory(kAll, at(0x10007), 4), "cBPc");
    EXPECT_EQ(debug_.acknowledgeEvent(session_, &load), ZE_RESULT_SUCCESS);

    debuggee.step();
    const auto stop = await();
    ASSERT_EQ(stop.type, ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    const auto five = stop.info.thread.thread;
    EXPECT_TRUE(same(five, {0, 1, 0, 1}));
    uint64_t control[2] = {7, 8}, back[2] = {};
    ASSERT_EQ(debug_.writeRegisters(session_, five, fake::kControl, 0, 1, control), ZE_RESULT_SUCCESS);
    ASSERT_EQ(debug_.readRegisters(session_, five, fake::kControl, 0, 1, back), ZE_RESULT_SUCCESS);
    EXPECT_EQ(back[1], 8u);
    EXPECT_EQ(debug_.resume(session_, five), ZE_RESULT_SUCCESS);
    ASSERT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_SUCCESS);
    EXPECT_EQ(await().type, ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    EXPECT_EQ(debug_.readRegisters(session_, five, fake::kControl, 0, 1, back), ZE_RESULT_SUCCESS);
    EXPECT_EQ(debug_.detach(session_), ZE_RESULT_SUCCESS);
}

TEST_F(Remote, SecondDebuggerIsRefusedUntilTheFirstIsGone) {
    ChildProcess debuggee(Debuggee::online, [](int) { fake::enterProcess(); });
    debuggee.step();
    ASSERT_EQ(attachTo(debuggee.pid()), ZE_RESULT_SUCCESS);
    Debug other(devices_, Debuggee::off);  // as another process would
    zet_debug_config_t config{debuggee.pid()};
    zet_debug_session_handle_t second = nullptr;
    EXPECT_EQ(other.attach(device_, &config, &second), ZE_RESULT_ERROR_NOT_AVAILABLE);
    ASSERT_EQ(debug_.detach(session_), ZE_RESULT_SUCCESS);
    ze_result_t result = ZE_RESULT_ERROR_NOT_AVAILABLE;
    for (int tries = 0; tries < 200 && result == ZE_RESULT_ERROR_NOT_AVAILABLE; ++tries) {
        result = other.attach(device_, &config, &second);
        usleep(1000);
    }
    ASSERT_EQ(result, ZE_RESULT_SUCCESS);
    zet_debug_event_t event{};
    ASSERT_EQ(other.readEvent(second, 5000, &event), ZE_RESULT_SUCCESS);
    EXPECT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY) << "replayed";
}

TEST_F(Remote, KilledDebuggeeIsUnloadedLeftAndDetached) {
    ChildProcess debuggee(Debuggee::online, [](int) {
        fake::enterProcess();
        fake::load("image", 0x10000, 64);
    });
    debuggee.step();
    ASSERT_EQ(attachTo(debuggee.pid()), ZE_RESULT_SUCCESS);
    EXPECT_EQ(await().type, ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    EXPECT_EQ(await().type, ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    debuggee.kill();
    EXPECT_EQ(await().type, ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD);
    EXPECT_EQ(await().type, ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT);
    EXPECT_EQ(await().type, ZET_DEBUG_EVENT_TYPE_DETACHED);
    uint8_t byte = 0;
    auto desc = at(0x10000);
    EXPECT_EQ(debug_.readMemory(session_, kAll, &desc, 1, &byte), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_EQ(debug_.detach(session_), ZE_RESULT_SUCCESS);
}

TEST_F(Remote, GarbageOnTheSocketDoesNotHarmTheDebuggee) {
    ChildProcess debuggee(Debuggee::online);
    const auto name = endpointName(static_cast<pid_t>(debuggee.pid()));
    ASSERT_TRUE(name);
    std::vector<std::string> records = {"", "x", std::string(sizeof(wire::Head), '\xff'), std::string(40000, 'y')};
    wire::Head head;  // a request before the hello, and one of unknown kind, of impossible length
    head.kind = wire::Kind::readMemory;
    head.length = UINT64_MAX;
    records.emplace_back(reinterpret_cast<const char*>(&head), sizeof head);
    head.kind = static_cast<wire::Kind>(55);
    head.bytes = 12;
    records.emplace_back(reinterpret_cast<const char*>(&head), sizeof head);
    for (const auto& record : records) {
        const auto socket = connectTo(*name);
        ASSERT_TRUE(socket);
        [[maybe_unused]] const auto sent = send(socket.get(), record.data(), record.size(), MSG_NOSIGNAL);
    }
    ASSERT_EQ(attachTo(debuggee.pid()), ZE_RESULT_SUCCESS);
    debuggee.step();
}

TEST_F(Remote, ProcessThatAcceptsNobodyIsNotWaitedForForEver) {
    const auto name = endpointName(getpid());
    ASSERT_TRUE(name);
    const auto listening = listenAt(*name);
    ASSERT_TRUE(listening);
    std::vector<FileDescriptor> queued;
    do queued.push_back(connectTo(*name));
    while (queued.back() && queued.size() < 64);
    EXPECT_FALSE(queued.back()) << "the queue never filled";
    EXPECT_GT(queued.size(), 1u);
}

TEST_F(Remote, ForkedChildOfADebuggeeDropsTheAgent) {
    ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);  // the orphan is ours to wait for
    int started[2], ending[2];
    ASSERT_EQ(pipe2(started, O_CLOEXEC), 0);
    ASSERT_EQ(pipe2(ending, O_CLOEXEC), 0);
    ChildProcess debuggee(Debuggee::online, [&](int) {
        if (fork() != 0) return;
        close(ending[1]);
        pid_t self = getpid();
        [[maybe_unused]] const auto told = write(started[1], &self, sizeof self);
        [[maybe_unused]] const auto ended = ::read(ending[0], &self, sizeof self);  // outlives its parent, not the test
        _exit(0);
    });
    close(ending[0]);
    debuggee.step();
    pid_t child = 0;
    ASSERT_EQ(::read(started[0], &child, sizeof child), ssize_t{sizeof child});
    const auto name = endpointName(static_cast<pid_t>(debuggee.pid()));
    ASSERT_TRUE(name);
    EXPECT_TRUE(connectTo(*name));
    debuggee.kill();
    EXPECT_FALSE(connectTo(*name)) << "the child keeps its parent's endpoint open";
    for (const int end : {started[0], started[1], ending[1]}) close(end);
    EXPECT_EQ(waitpid(child, nullptr, 0), child);
}

}  // namespace
}  // namespace zetl::debug
