// A debuggee in another process: the scripted device runs in a child, the debugger here.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <fstream>
#include <sstream>

#include "child_process.h"
#include "debug/endpoint.h"
#include "debug/wire.h"
#include "session_fixture.h"
#include "support/wait_for.h"

namespace zetl::debug {
namespace {

namespace fake = test::fake;

class Remote : public SessionTest {
  protected:
    /// No agent here: its thread may be allocating at the fork, and a sanitizer's allocator lock is then never released
    /// in the child.
    Remote() : SessionTest(Debuggee::off) {}
    ze_result_t attachTo(std::uint32_t pid) {
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
    std::uint64_t control[2] = {7, 8};
    std::uint64_t back[2] = {};
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
    EXPECT_TRUE(test::waitFor([&] {
        result = other.attach(device_, &config, &second);
        return result != ZE_RESULT_ERROR_NOT_AVAILABLE;
    }));
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
    std::uint8_t byte = 0;
    auto desc = at(0x10000);
    EXPECT_EQ(debug_.readMemory(session_, kAll, &desc, 1, &byte), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_EQ(debug_.detach(session_), ZE_RESULT_SUCCESS);
}

TEST_F(Remote, DebuggeeThatEndsLeavesTheRestToTheEvents) {
    ChildProcess debuggee(Debuggee::online, [](int) {
        fake::enterProcess();
        fake::load("image", 0x10000, 64, 700);
        fake::stopThread(5, ZETL_STOP_BREAKPOINT);
    });
    debuggee.step();
    ASSERT_EQ(attachTo(debuggee.pid()), ZE_RESULT_SUCCESS);
    EXPECT_EQ(await().type, ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto load = await();
    // The stop was made before anybody was attached and is found by interrupting.
    ASSERT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_SUCCESS);
    EXPECT_EQ(await().type, ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    debuggee.kill();
    const ze_device_thread_t one{0, 0, 0, 0};
    EXPECT_EQ(debug_.interrupt(session_, one), ZE_RESULT_SUCCESS);
    EXPECT_EQ(debug_.resume(session_, kAll), ZE_RESULT_SUCCESS);
    EXPECT_EQ(debug_.acknowledgeEvent(session_, &load), ZE_RESULT_SUCCESS);
    EXPECT_EQ(await().type, ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD);
    EXPECT_EQ(await().type, ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT);
    EXPECT_EQ(await().type, ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
    ASSERT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_SUCCESS);
    EXPECT_EQ(debug_.acknowledgeEvent(session_, &load), ZE_RESULT_SUCCESS);
    EXPECT_EQ(await().type, ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
    EXPECT_EQ(await().type, ZET_DEBUG_EVENT_TYPE_DETACHED);
    EXPECT_EQ(debug_.detach(session_), ZE_RESULT_SUCCESS);
}

/// A connection to the agent of that process; its socket is empty if there is none.
FileDescriptor connectionTo(std::uint32_t pid) {
    ProcessDirectory process;
    FileDescriptor socket;
    if (ProcessDirectory::open(static_cast<pid_t>(pid), process) == ProcessDirectory::Opening::open)
        connectTo(process, socket);
    return socket;
}

TEST_F(Remote, GarbageOnTheSocketDoesNotHarmTheDebuggee) {
    ChildProcess debuggee(Debuggee::online);
    std::vector<std::string> records = {"", "x", std::string(sizeof(wire::Head), '\xff'), std::string(40000, 'y')};
    wire::Head head;  // a request before the hello, and one of unknown kind, of impossible length
    head.kind = wire::Kind::readMemory;
    head.length = UINT64_MAX;
    records.emplace_back(reinterpret_cast<const char*>(&head), sizeof head);
    head.kind = static_cast<wire::Kind>(55);
    head.bytes = 12;
    records.emplace_back(reinterpret_cast<const char*>(&head), sizeof head);
    for (const auto& record : records) {
        const auto socket = connectionTo(debuggee.pid());
        ASSERT_TRUE(socket);
        [[maybe_unused]] const auto sent = send(socket.get(), record.data(), record.size(), MSG_NOSIGNAL);
    }
    ASSERT_EQ(attachTo(debuggee.pid()), ZE_RESULT_SUCCESS);
    debuggee.step();
}

TEST_F(Remote, ProcessThatAcceptsNobodyIsNotWaitedForForEver) {
    const auto listening = listenForDebuggers();
    ASSERT_TRUE(listening.socket);
    std::vector<FileDescriptor> queued;
    do queued.push_back(connectionTo(static_cast<std::uint32_t>(getpid())));
    while (queued.back() && queued.size() < 64);
    EXPECT_FALSE(queued.back()) << "the queue never filled";
    EXPECT_GT(queued.size(), 1u);
}

TEST_F(Remote, StrangersWhoSayNothingDoNotKeepADebuggerOut) {
    ChildProcess debuggee(Debuggee::online);
    std::vector<FileDescriptor> strangers;
    for (int i = 0; i < 40; ++i) strangers.push_back(connectionTo(debuggee.pid()));  // more than the agent serves
    auto result = ZE_RESULT_NOT_READY;
    for (int tries = 0; tries < 10 && result == ZE_RESULT_NOT_READY; ++tries) result = attachTo(debuggee.pid());
    EXPECT_EQ(result, ZE_RESULT_SUCCESS) << "their time was not up";
}

/// The processor time that a process has used, in clock ticks.
long ticksUsed(std::uint32_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    long user = 0;
    long system = 0;
    fields >> user >> system;
    return user + system;
}

TEST_F(Remote, AgentWithoutDescriptorsWaitsAndRecovers) {
    std::vector<FileDescriptor> all;
    ChildProcess debuggee(Debuggee::online, [&](int step) {
        const rlimit few{64, 64};
        if (step == 0) setrlimit(RLIMIT_NOFILE, &few);
        while (step == 0 && (all.empty() || all.back())) all.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
        all.resize(step == 0 ? all.size() : 0);
    });
    debuggee.step();
    const auto before = ticksUsed(debuggee.pid());
    EXPECT_EQ(attachTo(debuggee.pid()), ZE_RESULT_NOT_READY) << "in the queue for two seconds";
    const auto used = ticksUsed(debuggee.pid()) - before;
    EXPECT_LT(used, sysconf(_SC_CLK_TCK) / 2) << "it spins";
    debuggee.step();
    EXPECT_EQ(attachTo(debuggee.pid()), ZE_RESULT_SUCCESS);
}

TEST_F(Remote, ProcessThatGetsNoThreadLivesWithoutAnAgent) {
    constexpr uid_t kSomebody = 12345;
    ChildProcess debuggee(
        Debuggee::online, [](int) {},
        [] {
            const rlimit none{0, 0};
            if (geteuid() == 0 && setresuid(kSomebody, kSomebody, kSomebody) != 0) _exit(2);  // root is not limited
            if (setrlimit(RLIMIT_NPROC, &none) != 0) _exit(3);
        });
    debuggee.step();
    const auto result = attachTo(debuggee.pid());
    EXPECT_EQ(result, ZE_RESULT_NOT_READY);
}

TEST_F(Remote, ForkedChildOfADebuggeeDropsTheAgent) {
    ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);  // the orphan is ours to wait for
    int started[2];
    int ending[2];
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
    ASSERT_EQ(attachTo(debuggee.pid()), ZE_RESULT_SUCCESS);
    debuggee.kill();
    EXPECT_EQ(await().type, ZET_DEBUG_EVENT_TYPE_DETACHED) << "the child keeps its parent's connection open";
    for (const int end : {started[0], started[1], ending[1]}) close(end);
    EXPECT_EQ(waitpid(child, nullptr, 0), child);
}

}  // namespace
}  // namespace zetl::debug
