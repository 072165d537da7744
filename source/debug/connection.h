// One debugger, from the agent's side.
#pragma once

#include <sys/types.h>

#include <deque>
#include <memory>
#include <optional>

#include "base/mutex.h"
#include "debug/admission.h"
#include "debug/target.h"
#include "debug/wire.h"
#include "device/devices.h"
#include "endpoint/unshared_descriptor.h"

namespace zetl::debug {

/// Used by the agent's thread alone, except for the outbox: the device's threads put events into it, and send them if
/// the debugger reads. Until the debugger has proved that it may debug this process, only its introduction is answered.
/// A debugger that is refused gets that answer, and nothing that it sends afterwards is read.
class Connection {
  public:
    /// `wake`: descriptor of an eventfd that is written when the outbox has to be flushed.
    Connection(FileDescriptor socket, device::Devices& devices, int wake);
    ~Connection();

    int socket() const noexcept { return socket_.get(); }
    /// True once the debugger has the device; until then the agent's patience is limited.
    bool admitted() const noexcept { return target_ != nullptr; }

    /// Reads one record, if there is one, and answers it. Returns false if the debugger is gone or sent nonsense: drop
    /// the connection then.
    bool serve();
    /// Sends what could not be sent at once. Returns false as above.
    bool flush();

  private:
    wire::Message answer(const wire::Message& request);
    wire::Message introduction(const wire::Message& request);
    zetl_status_t hello(const wire::Message& request, wire::Challenge& challenge);
    zetl_status_t proof(const wire::Message& request);
    void logRefusal() const;
    wire::Message moduleInfo(const wire::Message& request);
    wire::Message stoppedThreads(const wire::Message& request);
    wire::Message readThread(const wire::Message& request);
    wire::Message read(const wire::Message& request);
    zetl_status_t fill(const wire::Head& head, std::vector<std::byte>& data);
    zetl_status_t perform(const wire::Message& request, std::uint32_t& count);
    std::optional<std::uint64_t> registerBytes(const wire::Head& head) const;
    void deliver(const zetl_event_t& event) noexcept;
    bool announce(const wire::Message& answer);
    wire::Sent sendQueued() noexcept ZETL_REQUIRES(outboxMutex_);

    endpoint::UnsharedDescriptor socket_;
    device::Devices& devices_;
    const int wake_;
    const pid_t process_;
    const device::Device* device_ = nullptr;  ///< the device that the debugger asked for
    Admission admission_;
    bool refused_ = false;
    Mutex outboxMutex_;
    std::deque<zetl_event_t> outbox_ ZETL_GUARDED_BY(outboxMutex_);
    bool overflowed_ ZETL_GUARDED_BY(outboxMutex_) = false;
    bool announced_ ZETL_GUARDED_BY(outboxMutex_) = false;  ///< the debugger knows that it has the device
    std::unique_ptr<Target> target_;                        ///< last, so that it closes before what its sink uses
};

}  // namespace zetl::debug
