#include "base/unseen_process.h"

#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstddef>

#include "base/signals_blocked.h"

// clone() under its other name: the thread sanitizer's replacement for clone() takes a child that shares our memory for
// a copy of the process, and switches itself off in both.
extern "C" int __clone(int (*)(void*), void*, int, void*, ...);  // NOLINT(bugprone-reserved-identifier)

namespace zetl {
namespace {

struct Start {
    const UnseenProgram& program;
    const posix_spawn_file_actions_t* descriptors;
    const posix_spawnattr_t* attributes;
    pid_t process;
    int failure;
};

/// Runs in a process that shares our memory, while the thread that made it is stopped.
int spawn(void* argument) {
    Start& start = *static_cast<Start*>(argument);
    start.failure = posix_spawn(&start.process, start.program.path, start.descriptors, start.attributes,
                                start.program.arguments, start.program.environment);
    return 0;
}

/// Starts a grandchild. The child in between ends at once, and only __WCLONE waits for it.
int spawnGrandchild(Start& start) {
    constexpr std::size_t kStackBytes = 128 << 10;
    void* stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) return errno;
    const int child = __clone(spawn, static_cast<std::byte*>(stack) + kStackBytes, CLONE_VM | CLONE_VFORK, &start);
    const int failure = child < 0 ? errno : start.failure;
    while (child > 0 && waitpid(child, nullptr, __WCLONE) < 0 && errno == EINTR) {
    }
    munmap(stack, kStackBytes);
    return failure;
}

}  // namespace

int startUnseen(const UnseenProgram& program, pid_t& pid) noexcept {
    posix_spawn_file_actions_t descriptors;
    posix_spawn_file_actions_init(&descriptors);
    int failure = 0;
    for (int i = 0; i < static_cast<int>(program.gets.size()) && failure == 0; ++i)
        failure = posix_spawn_file_actions_adddup2(&descriptors, program.gets[static_cast<std::size_t>(i)], i);
    if (failure == 0)
        failure = posix_spawn_file_actions_addclosefrom_np(&descriptors, static_cast<int>(program.gets.size()));
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    Start start{program, &descriptors, &attributes, 0, 0};
    if (failure == 0) {
        const SignalsBlocked noHandlersInTheChild;
        failure = spawnGrandchild(start);
    }
    pid = start.process;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&descriptors);
    return failure;
}

}  // namespace zetl
