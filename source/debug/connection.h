// One debugger, as the agent serves it.
#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "debug/endpoint.h"
#include "debug/target.h"
#include "debug/wire.h"
#include "device/devices.h"

namespace zetl::debug {

/// Used by the agent's thread alone, except for the outbox, into which the device's threads put events.
class Connection {
  public:
    /// `wake`: descriptor of an eventfd that is written when the outbox fills.
    Connection(FileDescriptor socket, device::Devices& devices, int wake);
    ~Connection();

    int socket() const noexcept { return socket_.get(); }

    /// Reads one record and answers it. False: the debugger is gone or sent nonsense; the connection is to be dropped.
    bool serve();
    /// Sends what the device reported. False as above.
    bool flush();

  private:
    wire::Message answer(const wire::Message& request);
    zetl_status_t hello(const wire::Message& request);
    wire::Message moduleInfo(const wire::Message& request);
    wire::Message stoppedThreads(const wire::Message& request);
    wire::Message read(const wire::Message& request);
    zetl_status_t perform(const wire::Message& request, std::uint32_t& count);
    void deliver(const zetl_event_t& event);

    FileDescriptor socket_;
    device::Devices& devices_;
    const int wake_;
    std::mutex outboxMutex_;
    std::deque<zetl_event_t> outbox_;
    bool overflowed_ = false;
    std::unique_ptr<Target> target_;  ///< last, so that it closes before what its sink uses
};

}  // namespace zetl::debug
