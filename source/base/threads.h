// Threads of our own inside somebody else's process.
#pragma once

#include <signal.h>

#include <thread>
#include <utility>

namespace zetl {

/// The calling thread, and threads it starts meanwhile, take no signals.
class SignalsBlocked {
  public:
    SignalsBlocked() noexcept {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &former_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &former_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  private:
    sigset_t former_;
};

/// A thread in which no signal of the host is delivered: handlers run on the host's own. Throws std::system_error where
/// the system gives no thread, or std::bad_alloc; its stack has the host's limit. Better: base/service_thread.h.
template <class F>
std::thread startServiceThread(F&& function) {
    const SignalsBlocked blocked;
    return std::thread(std::forward<F>(function));
}

}  // namespace zetl
