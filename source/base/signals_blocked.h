// Threads and processes of our own inside somebody else's process take none of its signals.
#pragma once

#include <signal.h>

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

}  // namespace zetl
