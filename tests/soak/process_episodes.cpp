// Forks, children, and memory shared with another process.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <new>

#include "soak/episodes.h"
#include "soak/peer.h"

extern char** environ;

namespace zetl::soak {
namespace {

int exitCode(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// A child that is forked while a kernel runs is refused, and ends; the parent's kernel goes on.
[[maybe_unused]] void forkInKernel(const Gpu& gpu, Random&) {
    const auto stop = gpu.allocate(ZE_MEMORY_TYPE_SHARED, sizeof(std::uint32_t));
    *stop.as() = 0;
    const auto kernel = gpu.kernel("spin", 16);
    Gpu::arguments(kernel, stop.as());
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    SOAK_CALL(zeCommandListAppendLaunchKernel(list, kernel, std::array{ze_group_count_t{2, 1, 1}}.data(), nullptr, 0,
                                              nullptr));
    const pid_t child = fork();
    if (child == 0) _exit(zeCommandListAppendBarrier(list, nullptr, 0, nullptr) == ZE_RESULT_ERROR_DEVICE_LOST ? 0 : 1);
    const int code = child < 0 ? 0 : exitCode(child);
    __atomic_store_n(stop.as(), 1u, __ATOMIC_SEQ_CST);
    gpu.synchronize(list);
    checkValue(static_cast<std::uint64_t>(code), 0, "exit code of a forked child");
}

/// Another process fills memory of this one.
void shareWithProcess(const Gpu& gpu, Random& random) {
    const PeerTask task{random.between(1, 5000) * 4u, random.below(UINT32_MAX), {}};
    const auto memory = gpu.allocate(ZE_MEMORY_TYPE_DEVICE, task.bytes);
    auto sent = task;
    SOAK_CALL(zeMemGetIpcHandle(gpu.context(), memory.as(), &sent.memory));
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::bad_alloc();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    const char* const arguments[] = {"/proc/self/exe", "--peer", nullptr};
    pid_t child = 0;
    const int failure = posix_spawn(&child, arguments[0], &actions, nullptr, const_cast<char**>(arguments), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    const bool written = write(ends[1], &sent, sizeof sent) == static_cast<ssize_t>(sizeof sent);
    close(ends[1]);
    if (failure != 0) throw std::bad_alloc();
    const int code = exitCode(child);
    if (code == kPeerLacksRoom) throw Failure("the peer lacks memory", ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    checkValue(static_cast<std::uint64_t>(code), 0, "exit code of a process that memory is shared with");
    std::uint32_t back = 0;
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    SOAK_CALL(zeCommandListAppendMemoryCopy(list, &back, memory.as<char>() + task.bytes - 4, sizeof back, nullptr, 0,
                                            nullptr));
    checkValue(back, written ? task.pattern : back, "word written by another process");
}

/// A sanitizer's allocator takes no care of forks: a child may wait forever for a lock that another thread held.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::array kProcessEpisodes = {Episode{"shareWithProcess", shareWithProcess}};
#else
constexpr std::array kProcessEpisodes = {Episode{"forkInKernel", forkInKernel},
                                         Episode{"shareWithProcess", shareWithProcess}};
#endif

}  // namespace

std::span<const Episode> processEpisodes() { return kProcessEpisodes; }

}  // namespace zetl::soak
