// Lets our writes fail without ending the host's process.
#pragma once

#include <signal.h>

#include <ctime>
#include <initializer_list>

namespace zetl {

/// While it exists, a write of the calling thread can fail but not end the process: beyond the limit on the size of
/// files (SIGXFSZ), or to a pipe without a reader (SIGPIPE). The write then fails with EFBIG or EPIPE. Afterwards the
/// host's dispositions, masks and pending signals are as they were. Also for functions that make files larger, such as
/// ftruncate.
class WriteSignalsHeld {
  public:
    WriteSignalsHeld() noexcept {
        sigset_t pending;
        sigpending(&pending);
        sigemptyset(&ours_);
        for (const int each : {SIGXFSZ, SIGPIPE})
            if (sigismember(&pending, each) == 0) sigaddset(&ours_, each);
        pthread_sigmask(SIG_BLOCK, &ours_, &former_);
    }
    ~WriteSignalsHeld() {
        constexpr timespec kNow{0, 0};
        while (sigtimedwait(&ours_, nullptr, &kNow) > 0) {
        }
        pthread_sigmask(SIG_SETMASK, &former_, nullptr);
    }
    WriteSignalsHeld(const WriteSignalsHeld&) = delete;
    WriteSignalsHeld& operator=(const WriteSignalsHeld&) = delete;

  private:
    sigset_t ours_;  // signals that only a write of ours can make pending
    sigset_t former_;
};

}  // namespace zetl
