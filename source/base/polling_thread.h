// A service thread that waits in poll(), and who may end it.
#pragma once

#include <unistd.h>

#include <atomic>
#include <utility>

#include "base/file_descriptor.h"
#include "base/service_thread.h"

namespace zetl {

/// Its function polls wake() beside its own descriptors and returns soon after ending() becomes true. Declare it last,
/// so that what the function uses is destroyed after it. The code that started the thread destroys it, in the same
/// process (see DeletedByMaker).
class PollingThread {
  public:
    /// The event descriptor by which the thread is woken; none, with errno, if the process has no more.
    static FileDescriptor makeWake() noexcept;

    explicit PollingThread(FileDescriptor wake) noexcept : wake_(std::move(wake)) {}
    /// Ends the function and waits for it.
    ~PollingThread();
    PollingThread(const PollingThread&) = delete;
    PollingThread& operator=(const PollingThread&) = delete;

    /// As ServiceThread::start(); false if the system gives no thread.
    template <class F>
    bool start(log::Channel channel, const char* name, F&& function) noexcept {
        if (auto thread = ServiceThread::start(channel, name, std::forward<F>(function))) thread_ = *std::move(thread);
        return thread_.joinable();
    }

    int wake() const noexcept { return wake_.get(); }
    /// Called by the thread itself. One call clears all wake-ups so far.
    void drainWake() noexcept;
    bool ending() const noexcept { return ending_; }

  private:
    const FileDescriptor wake_;
    std::atomic<bool> ending_{false};
    ServiceThread thread_;
};

/// Deletes in the process that made the object. A forked child lets it be: its threads stayed with the parent.
template <class T>
class DeletedByMaker {
  public:
    void operator()(T* object) const noexcept {
        if (getpid() == maker_) delete object;
    }

  private:
    pid_t maker_ = getpid();
};

}  // namespace zetl
