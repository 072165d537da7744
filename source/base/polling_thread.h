// A service thread that waits in poll(), and that its owner may end.
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
    /// Makes the event descriptor by which the thread is woken. Returns none, and sets errno, if the process has no
    /// more descriptors.
    static FileDescriptor makeWake() noexcept;

    explicit PollingThread(FileDescriptor wake) noexcept : wake_(std::move(wake)) {}
    ~PollingThread() { end(); }
    PollingThread(const PollingThread&) = delete;
    PollingThread& operator=(const PollingThread&) = delete;

    /// Like ServiceThread::start(). Returns false if the system gives no thread.
    template <class F>
    bool start(log::Channel channel, const char* name, F&& function) noexcept {
        if (auto thread = ServiceThread::start(channel, name, std::forward<F>(function))) thread_ = *std::move(thread);
        return thread_.joinable();
    }

    /// Ends the function and waits for it. Later calls do nothing.
    void end() noexcept;

    int wake() const noexcept { return wake_.get(); }
    /// Called by the thread itself. One call clears all wake-ups so far.
    void drainWake() noexcept;
    bool ending() const noexcept { return ending_; }

  private:
    const FileDescriptor wake_;
    std::atomic<bool> ending_{false};
    ServiceThread thread_;
};

/// Deletes an object in the process that made it. A forked child leaves it alone: its threads stayed with the parent.
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
