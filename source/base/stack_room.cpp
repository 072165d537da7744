#include "base/stack_room.h"

#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace zetl {
namespace {

struct Stack {
    std::uintptr_t low = 0;  ///< nothing below it is the stack's
    std::uintptr_t high = 0;
};

/// It grows up to a limit, from its highest page on, in which the program's name is the last string. Asking the thread
/// library would read a file.
Stack ofMainThread() noexcept {
    constexpr std::uintptr_t kPage = 4096;
    const auto* const name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    rlimit limit{};
    if (name == nullptr || getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
    const std::uintptr_t high = (reinterpret_cast<std::uintptr_t>(name) + std::strlen(name) + kPage) & ~(kPage - 1);
    return limit.rlim_cur < high ? Stack{high - limit.rlim_cur, high} : Stack{};
}

Stack ofThread() noexcept {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
    void* low = nullptr;
    std::size_t bytes = 0;
    std::size_t guard = 0;
    const bool known =
        pthread_attr_getstack(&attributes, &low, &bytes) == 0 && pthread_attr_getguardsize(&attributes, &guard) == 0;
    pthread_attr_destroy(&attributes);
    const auto begin = reinterpret_cast<std::uintptr_t>(low);
    return known ? Stack{begin + guard, begin + bytes} : Stack{};
}

}  // namespace

bool stackHas(std::size_t bytes) noexcept {
    thread_local const Stack stack = syscall(SYS_gettid) == getpid() ? ofMainThread() : ofThread();
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const bool outside = here < stack.low || here >= stack.high;
    return outside || here - stack.low >= bytes;
}

}  // namespace zetl
