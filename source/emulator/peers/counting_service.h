// The part of a process that counts at the request of another process of the same user.
#pragma once

#include <memory>

#include "base/polling_thread.h"
#include "emulator/machine/machine.h"

namespace zetl::emulator::peers {

/// An endpoint and a thread that sleeps as long as there are no readers. A process that begins to read a device looks
/// the endpoint up and connects; the service then looks for the endpoints of readers, connects to those that it does
/// not know and counts for them until they close. It looks for them when it starts, too, so that a reader sees all that
/// a later process does. Nothing that comes from a reader is read: it is there or it is gone. A second endpoint answers
/// how the process uses its devices (shared_use.h).
class CountingService {
  public:
    /// Returns null, and logs a line, if the process gives no place, descriptor or thread: other processes then do not
    /// see the work of this one. The machine must never be destroyed.
    static std::unique_ptr<CountingService> start(machine::Machine& machine) noexcept;
    ~CountingService();
    /// Leaves this process's sums to readers of shared use, at the ordinary end of the process.
    void leave() const noexcept;
    CountingService(const CountingService&) = delete;
    CountingService& operator=(const CountingService&) = delete;

  private:
    class Service;
    explicit CountingService(std::unique_ptr<Service, DeletedByMaker<Service>> service);
    std::unique_ptr<Service, DeletedByMaker<Service>> service_;
};

}  // namespace zetl::emulator::peers
