#include "emulated_gpu/misfortune.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>

namespace {

std::atomic<long> untilFailure{0};
std::atomic<long> failuresLeft{0};
std::atomic<bool> failed{false};
std::atomic<bool> ofWorkers{false};
std::atomic<long> threadsLeft{zetl::test::kAnyNumber};

/// Whether the nearest caller that is the loader or one of ours is one of ours.
bool isOurs() noexcept {
    void* callers[48];
    const int count = backtrace(callers, std::size(callers));
    for (int i = 0; i < count; ++i) {
        Dl_info place{};
        if (dladdr(callers[i], &place) == 0 || place.dli_fname == nullptr) continue;
        if (std::strstr(place.dli_fname, "libze_loader")) return false;
        if (std::strstr(place.dli_fname, "libze_emulated_gpu") || std::strstr(place.dli_fname, "libze_tools_layer"))
            return true;
    }
    return false;
}

/// Whether this thread runs kernels.
bool isWorker() noexcept {
    char name[16] = {};
    return pthread_getname_np(pthread_self(), name, sizeof name) == 0 && std::strcmp(name, "zetl-worker") == 0;
}

bool fails() noexcept {
    if (failuresLeft.load(std::memory_order_relaxed) <= 0) return false;
    if (!(ofWorkers ? isWorker() : isOurs())) return false;
    if (untilFailure.load(std::memory_order_relaxed) > 0 && untilFailure.fetch_sub(1) != 1) return false;
    if (failuresLeft.fetch_sub(1) <= 0) return false;
    failed = true;
    return true;
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
    if (fails()) return nullptr;
    const std::size_t wanted = bytes == 0 ? 1 : bytes;
    return alignment <= alignof(std::max_align_t)
               ? std::malloc(wanted)
               : std::aligned_alloc(alignment, (wanted + alignment - 1) / alignment * alignment);
}

void* orThrow(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

// GCC takes these for calls of each other.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t bytes) { return orThrow(allocate(bytes, 1)); }
void* operator new[](std::size_t bytes) { return orThrow(allocate(bytes, 1)); }
void* operator new(std::size_t bytes, std::align_val_t to) { return orThrow(allocate(bytes, std::size_t(to))); }
void* operator new[](std::size_t bytes, std::align_val_t to) { return orThrow(allocate(bytes, std::size_t(to))); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 1); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                                     const pthread_attr_t* attributes,
                                                                     void* (*body)(void*), void* argument) noexcept {
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    return threadsLeft.fetch_sub(1) <= 0 ? EAGAIN : create(thread, attributes, body, argument);
}

namespace zetl::test {

void failAllocation(long n, long count) {
    void* warm[1];
    backtrace(warm, 1);  // the first call loads a library
    failed = false;
    failuresLeft = 0;
    untilFailure = n;
    failuresLeft = n == 0 ? 0 : count;
}

void failWorkersAllocation(long n) {
    ofWorkers = n != 0;
    failAllocation(n);
}
bool allocationFailed() { return failed; }

void allowThreads(long count) { threadsLeft = count; }

void forbidClone(int error, bool clone3Only) {
    const auto answer = SECCOMP_RET_ERRNO | static_cast<unsigned>(error);
    const unsigned first = clone3Only ? SECCOMP_RET_ALLOW : answer;
    sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
                            BPF_STMT(BPF_RET | BPF_K, first),
                            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
                            BPF_STMT(BPF_RET | BPF_K, answer),
                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program{std::size(filter), filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        std::abort();
}

}  // namespace zetl::test

#ifdef __SANITIZE_ADDRESS__
/// The sanitizer does not see threads that are started past its own pthread_create, so what only they hold would count
/// as lost.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif
