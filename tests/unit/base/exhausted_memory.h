// A process that has no memory left, for what must hold then.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

namespace zetl::test {

/// Takes all memory that the C library has or can get, but for about `left` bytes in blocks of 4 KiB.
inline void exhaustMemory(std::size_t left = 0) {
    constexpr std::size_t kBlock = 4096 - 16;
    constexpr std::size_t kMost = 256;
    void* kept[kMost];
    std::size_t blocks = 0;
    while (blocks < kMost && blocks * kBlock < left) kept[blocks++] = std::malloc(kBlock);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_AS, &none);
    for (std::size_t bytes = 1u << 20; bytes >= 16; bytes /= 2)
        while (std::malloc(bytes)) {
        }
    while (blocks > 0) std::free(kept[--blocks]);
}

/// The exit code of a forked child that ran `body`, or 128 and more if a signal ended it.
template <class F>
int exitCodeOfChild(F&& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body());
    int status = 0;
    if (waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Sanitizers end a process that has no memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryCanBeExhausted = false;
#else
inline constexpr bool kMemoryCanBeExhausted = true;
#endif

}  // namespace zetl::test
