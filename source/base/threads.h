// Threads of our own inside somebody else's process.
#pragma once

#include <signal.h>

#include <thread>
#include <utility>

namespace zetl {

/// A thread in which no signal of the host is delivered.
template <class F>
std::thread startServiceThread(F&& function) {
    sigset_t all;
    sigset_t previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    std::thread thread(std::forward<F>(function));
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
    return thread;
}

}  // namespace zetl
