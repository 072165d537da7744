#include "base/polling_thread.h"

#include <sys/eventfd.h>

#include <cstdint>

namespace zetl {

FileDescriptor PollingThread::makeWake() noexcept { return FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

void PollingThread::end() noexcept {
    if (!thread_.joinable()) return;
    ending_ = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(wake_.get(), &one, sizeof one);
    thread_.join();
}

void PollingThread::drainWake() noexcept {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = read(wake_.get(), &count, sizeof count);
}

}  // namespace zetl
