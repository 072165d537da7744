// Who may debug whom: strangers of every kind, and friends behind a namespace. Each test says what it could not set up
// on this host and then does the nearest thing that can fail.
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <iostream>
#include <set>
#include <thread>

#include "child_process.h"
#include "debug/endpoint.h"
#include "debug/introduction.h"
#include "debug/wire.h"
#include "endpoint/name.h"
#include "endpoint/user_directory.h"

namespace zetl::debug {
namespace {

namespace fake = test::fake;

constexpr uid_t kDebuggee = 12345;
constexpr uid_t kStranger = 23456;
constexpr int kNotSetUp = 77;  // a child could not become what it was to be

void become(uid_t user, gid_t group) {
    if (setgroups(0, nullptr) != 0 || setresgid(group, group, group) != 0 || setresuid(user, user, user) != 0)
        _exit(kNotSetUp);
    prctl(PR_SET_DUMPABLE, 1);  // as after exec; a change of user takes it away
}
void become(uid_t user) { become(user, user); }

bool unshareHere(int namespaces) { return unshare(namespaces) == 0; }

void dropCapabilities() {
    __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct none[2]{};
    if (syscall(SYS_capset, &head, none) != 0) _exit(kNotSetUp);
}

/// What zetDebugAttach answers in a process of its own that does `become` first; so often, all the same or -1.
int attachAs(std::uint32_t pid, const std::function<void()>& become, int times = 1) {
    const pid_t child = fork();
    if (child == 0) {
        become();
        device::Devices devices(fake::coreCalls());
        fake::addTo(devices);
        Debug debug(devices, Debuggee::off);
        std::set<ze_result_t> results;
        for (int i = 0; i < times; ++i) {
            zet_debug_config_t config{pid};
            zet_debug_session_handle_t session = nullptr;
            results.insert(debug.attach(fake::deviceHandle(), &config, &session));
        }
        // Exit codes are small: the place in this list, from 1.
        constexpr ze_result_t kKnown[] = {ZE_RESULT_SUCCESS, ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS,
                                          ZE_RESULT_NOT_READY, ZE_RESULT_ERROR_DEVICE_LOST,
                                          ZE_RESULT_ERROR_INVALID_ARGUMENT};
        for (int i = 0; i < int{std::size(kKnown)}; ++i)
            if (results == std::set{kKnown[i]}) _exit(i + 1);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
constexpr int kMayDebug = 1;
constexpr int kRefused = 2;
constexpr int kNotReady = 3;
constexpr int kNoSuchProcess = 5;

/// A debuggee that a stranger must not debug, whatever rights the tests run with: of another user where they may change
/// users, else not dumpable.
struct Prey {
    Prey()
        : process(
              Debuggee::online, [](int) { fake::enterProcess(); }, [this] { root ? become(kDebuggee) : hide(); }) {
        if (!root) std::cout << "not root: a process that is not dumpable stands in for another user's\n";
    }
    static void hide() { prctl(PR_SET_DUMPABLE, 0); }
    void stranger() const {
        if (root) become(kStranger);
    }
    const bool root = geteuid() == 0;
    ChildProcess process;
};

void sayNamespaces(const char* what) { std::cout << what << " cannot be had here (unshare); checked without\n"; }

TEST(Attacker, OfAnotherUserIsToldThatItMayNot) {
    const Prey prey;
    EXPECT_EQ(attachAs(
                  prey.process.pid(), [&] { prey.stranger(); }, 60),
              kRefused);
}

TEST(Attacker, WithTheSameUserButAnotherGroupIsRefused) {
    const Prey prey;
    EXPECT_EQ(attachAs(
                  prey.process.pid(), [&] { prey.root ? become(kDebuggee, kStranger) : prey.stranger(); }, 5),
              kRefused);
}

TEST(Attacker, WithFewerCapabilitiesIsRefused) {
    // The debuggee is this user with all that it may; where that is nothing, one that is not dumpable.
    const bool root = geteuid() == 0;
    ChildProcess debuggee(
        Debuggee::online, [](int) {},
        [=] {
            if (!root) Prey::hide();
        });
    EXPECT_EQ(attachAs(debuggee.pid(), dropCapabilities, 5), kRefused);
}

TEST(Attacker, CannotDebugWhatIsNotDumpable) {
    ChildProcess debuggee(
        Debuggee::online, [](int step) { prctl(PR_SET_DUMPABLE, step == 0 ? 0 : 1); },
        [] {
            if (geteuid() == 0) become(kDebuggee);
        });
    const auto friendly = [] {
        if (geteuid() == 0) become(kDebuggee);
    };
    EXPECT_EQ(attachAs(debuggee.pid(), friendly), kMayDebug);
    debuggee.step();
    EXPECT_EQ(attachAs(debuggee.pid(), friendly, 5), kRefused);
    debuggee.step();
    EXPECT_EQ(attachAs(debuggee.pid(), friendly), kMayDebug);
}

/// Both look like the overflow user to each other, and to themselves.
TEST(Attacker, InAUserNamespaceWithoutMappingIsRefused) {
    const bool root = geteuid() == 0;
    ChildProcess debuggee(
        Debuggee::online, [](int) { fake::enterProcess(); },
        [=] {
            if (root) become(kDebuggee);
            if (!unshareHere(CLONE_NEWUSER)) Prey::hide();
        });
    const auto stranger = [=] {
        if (root) become(kStranger);
        if (!unshareHere(CLONE_NEWUSER)) sayNamespaces("a user namespace");
    };
    EXPECT_EQ(attachAs(debuggee.pid(), stranger, 5), kRefused);
    // The same user, in a namespace beside the debuggee's: ptrace(2) says no, too.
    const auto sibling = [=] {
        if (root) become(kDebuggee);
        if (!unshareHere(CLONE_NEWUSER)) dropCapabilities();
    };
    EXPECT_EQ(attachAs(debuggee.pid(), sibling, 5), kRefused);
}

/// Who made a user namespace may debug what runs in it: containers without root.
TEST(Attacker, IsNotTheOwnerOfAUserNamespace) {
    ChildProcess debuggee(
        Debuggee::online, [](int) { fake::enterProcess(); },
        [] {
            if (geteuid() == 0) become(kDebuggee);
            if (!unshareHere(CLONE_NEWUSER)) sayNamespaces("a user namespace");
        });
    const auto owner = [] {
        if (geteuid() == 0) become(kDebuggee);
    };
    EXPECT_EQ(attachAs(debuggee.pid(), owner), kMayDebug);
}

TEST(Attacker, IsNotWhoLivesInAnotherNetworkNamespace) {
    // Without root a network namespace comes with a user namespace, whose owner this process is.
    const int namespaces = geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWNET | CLONE_NEWUSER;
    ChildProcess debuggee(
        Debuggee::online, [](int) {},
        [=] {
            if (!unshareHere(namespaces)) sayNamespaces("a network namespace");
        });
    EXPECT_EQ(attachAs(debuggee.pid(), [] {}), kMayDebug);
}

/// The debuggee is the first process of a pid namespace, and knows itself by another pid than its debugger does.
TEST(Attacker, IsNotWhoLooksIntoAPidNamespace) {
    int told[2];
    ASSERT_EQ(pipe2(told, O_CLOEXEC), 0);
    const bool root = geteuid() == 0;
    const pid_t outer = fork();
    if (outer == 0) {
        if (!unshareHere(root ? CLONE_NEWPID : CLONE_NEWPID | CLONE_NEWUSER)) sayNamespaces("a pid namespace");
        ChildProcess debuggee(
            Debuggee::online, [](int) {}, [] { prctl(PR_SET_PDEATHSIG, SIGKILL); });
        const auto pid = debuggee.pid();
        if (write(told[1], &pid, sizeof pid) != ssize_t{sizeof pid}) _exit(1);
        pause();
    }
    std::uint32_t pid = 0;
    ASSERT_EQ(read(told[0], &pid, sizeof pid), ssize_t{sizeof pid});
    EXPECT_EQ(attachAs(pid, [] {}), kMayDebug);
    // From inside another pid namespace the debuggee does not exist.
    const auto inside = [=] {
        if (!unshareHere(root ? CLONE_NEWPID : CLONE_NEWPID | CLONE_NEWUSER)) _exit(kNoSuchProcess);
        const pid_t first = fork();
        if (first == 0) return;
        int status = 0;
        waitpid(first, &status, 0);
        _exit(WEXITSTATUS(status));
    };
    EXPECT_EQ(attachAs(pid, inside), kNoSuchProcess);
    kill(outer, SIGKILL);
    waitpid(outer, nullptr, 0);
}

/// From now on the calls fail in this process as if the kernel did not permit them.
void forbid(std::initializer_list<unsigned> calls) {
    for (const auto call : calls) {
        sock_filter program[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        const sock_fprog filter{std::size(program), program};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
            _exit(kNotSetUp);
    }
}

/// As under Yama: what is read of the process is allowed, tracing it is not.
TEST(Attacker, WhomTheKernelDoesNotLetTraceIsRefused) {
    ChildProcess debuggee(Debuggee::online);
    EXPECT_EQ(attachAs(
                  debuggee.pid(),
                  [] {
                      forbid({SYS_process_vm_readv, SYS_pread64});
                  },
                  5),
              kRefused);
    EXPECT_EQ(attachAs(debuggee.pid(), [] {}), kMayDebug);
}

TEST(Attacker, IsNotWhoseSandboxForbidsOneWayOfReading) {
    ChildProcess debuggee(Debuggee::online);
    EXPECT_EQ(attachAs(debuggee.pid(), [] { forbid({SYS_process_vm_readv}); }), kMayDebug);
}

/// A child of that pid that waits to be killed, or, if the kernel does not let us choose (CAP_SYS_ADMIN), of another.
pid_t forkAs(pid_t pid) {
    clone_args arguments{};
    arguments.exit_signal = SIGCHLD;
    arguments.set_tid = reinterpret_cast<std::uint64_t>(&pid);
    arguments.set_tid_size = 1;
    auto child = static_cast<pid_t>(syscall(SYS_clone3, &arguments, sizeof arguments));
    if (child < 0) {
        std::cout << "a pid cannot be chosen here; a process of another pid stands in\n";
        child = fork();
    }
    if (child == 0)
        for (;;) pause();
    return child;
}

/// A debugger knows a process by its pid, and the process ends: the next process with that pid is not taken for it.
TEST(Attacker, TheNextProcessOfAPidIsAnotherOne) {
    auto debuggee = std::make_unique<ChildProcess>(Debuggee::online);
    const auto pid = static_cast<pid_t>(debuggee->pid());
    EXPECT_EQ(attachAs(debuggee->pid(), [] {}), kMayDebug);
    debuggee->kill();  // which leaves its socket in the directory
    const pid_t next = forkAs(pid);
    ASSERT_GT(next, 0);
    EXPECT_TRUE(geteuid() != 0 || next == pid);
    EXPECT_EQ(attachAs(static_cast<std::uint32_t>(next), [] {}), kNotReady);
    kill(next, SIGKILL);
    waitpid(next, nullptr, 0);
}

/// Speaks to an agent without the library's manners. Its process may debug the debuggee; it does not prove it.
class RawDebugger {
  public:
    explicit RawDebugger(std::uint32_t pid) {
        ProcessDirectory process;
        EXPECT_EQ(ProcessDirectory::open(static_cast<pid_t>(pid), process), ProcessDirectory::Opening::open);
        EXPECT_EQ(connectTo(process, socket_), Connecting::connected);
    }
    /// The status of the answer; -1 if the connection ended without one.
    int ask(wire::Kind kind, std::vector<std::byte> payload = {}) {
        wire::Message request;
        request.head.kind = kind;
        request.payload = std::move(payload);
        wire::send(socket_.get(), request);
        const auto received = wire::receive(socket_.get(), answer_, wire::Clock::now() + std::chrono::seconds(20));
        return received == wire::Received::message ? static_cast<int>(answer_.head.status) : -1;
    }
    int hello() {
        wire::Hello hello;
        const auto uuid = fake::uuid();
        std::copy(std::begin(uuid.id), std::end(uuid.id), hello.uuid);
        return ask(wire::Kind::hello, wire::bytesOf(hello));
    }
    std::uint64_t address() const {
        return wire::payloadOf<wire::Challenge>(answer_).value_or(wire::Challenge{}).address;
    }
    bool ended() {
        return wire::receive(socket_.get(), answer_, wire::Clock::now() + std::chrono::seconds(20)) ==
               wire::Received::closed;
    }

  private:
    FileDescriptor socket_;
    wire::Message answer_;
};

TEST(Attacker, WhoDoesNotKnowTheSecretHearsSoEachTime) {
    ChildProcess debuggee(Debuggee::online);
    for (int i = 0; i < 60; ++i) {
        RawDebugger raw(debuggee.pid());
        ASSERT_EQ(raw.hello(), ZETL_OK);
        ASSERT_EQ(raw.ask(wire::Kind::proof, wire::bytesOf(Nonce{})), ZETL_NEEDS_PRIVILEGE) << i;
        EXPECT_TRUE(raw.ended());
    }
}

TEST(Attacker, HasOneTry) {
    ChildProcess debuggee(Debuggee::online);
    RawDebugger raw(debuggee.pid());
    ASSERT_EQ(raw.hello(), ZETL_OK);
    Proof proof{};
    ASSERT_EQ(readProof(static_cast<pid_t>(debuggee.pid()), raw.address(), proof), 0);
    ASSERT_EQ(raw.ask(wire::Kind::proof, wire::bytesOf(Nonce{})), ZETL_NEEDS_PRIVILEGE);
    EXPECT_EQ(raw.ask(wire::Kind::proof, wire::bytesOf(proof.secret)), -1);
}

TEST(Attacker, CannotUseTheSecretOfAnotherConnection) {
    ChildProcess debuggee(Debuggee::online);
    RawDebugger one(debuggee.pid());
    RawDebugger other(debuggee.pid());
    ASSERT_EQ(one.hello(), ZETL_OK);
    ASSERT_EQ(other.hello(), ZETL_OK);
    Proof proof{};
    ASSERT_EQ(readProof(static_cast<pid_t>(debuggee.pid()), one.address(), proof), 0);
    EXPECT_EQ(other.ask(wire::Kind::proof, wire::bytesOf(proof.secret)), ZETL_NEEDS_PRIVILEGE);
    EXPECT_EQ(one.ask(wire::Kind::proof, wire::bytesOf(proof.secret)), ZETL_OK);
}

TEST(Attacker, GetsNothingBeforeTheProof) {
    ChildProcess debuggee(Debuggee::online);
    for (auto kind = wire::Kind::proof; kind <= wire::Kind::readImage;
         kind = static_cast<wire::Kind>(static_cast<std::uint32_t>(kind) + 1)) {
        RawDebugger raw(debuggee.pid());
        EXPECT_EQ(raw.ask(kind, std::vector<std::byte>(32)), ZETL_NEEDS_PRIVILEGE);
        RawDebugger polite(debuggee.pid());
        ASSERT_EQ(polite.hello(), ZETL_OK);
        EXPECT_EQ(polite.ask(kind, std::vector<std::byte>(32)), ZETL_NEEDS_PRIVILEGE);
    }
}

TEST(Attacker, AgentOfAnotherVersionIsUnsupported) {
    ChildProcess debuggee(Debuggee::online);
    RawDebugger raw(debuggee.pid());
    const std::uint32_t version = wire::kVersion + 1;
    EXPECT_EQ(raw.ask(wire::Kind::hello, wire::bytesOf(version)), ZETL_UNSUPPORTED);
}

/// A process that took the endpoint of another one wants the debugger to fetch memory out of that one for it.
TEST(Attacker, WhoPosesAsAnAgentLearnsNothing) {
    ChildProcess victim(Debuggee::off);
    ProcessDirectory process;
    ProcessDirectory self;
    ASSERT_EQ(ProcessDirectory::open(static_cast<pid_t>(victim.pid()), process), ProcessDirectory::Opening::open);
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    const FileDescriptor impostor(ends[0]);
    const FileDescriptor debugger(ends[1]);
    static const Nonce kMemoryOfTheVictim{std::byte{1}, std::byte{2}};  // at the same address in both
    std::thread posing([&] {
        wire::Message hello;
        wire::Message answer;
        ASSERT_EQ(wire::receive(impostor.get(), hello), wire::Received::message);
        answer.head.sequence = hello.head.sequence;
        answer.payload = wire::bytesOf(wire::Challenge{reinterpret_cast<std::uint64_t>(&kMemoryOfTheVictim)});
        ASSERT_TRUE(wire::send(impostor.get(), answer));
        EXPECT_EQ(wire::receive(impostor.get(), hello), wire::Received::closed) << "it got an answer";
    });
    EXPECT_EQ(introduce(debugger.get(), static_cast<pid_t>(victim.pid()), device::Uuid{}), ZETL_NEEDS_PRIVILEGE);
    shutdown(debugger.get(), SHUT_RDWR);
    posing.join();
}

}  // namespace
}  // namespace zetl::debug
