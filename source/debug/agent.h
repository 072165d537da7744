// The debug agent: lets a debugger in another process reach the device in this one.
#pragma once

#include <memory>

#include "base/polling_thread.h"
#include "device/devices.h"

namespace zetl::debug {

/// Started if program debugging is enabled at zeInit. It has one listening socket, and one service thread that serves
/// every connection. When a debugger goes away, for whatever reason, everything that it held is released. The cost that
/// strangers can cause is bounded: connections, the time until they have introduced themselves, memory. In a forked
/// child the agent is closed without a trace.
class Agent {
  public:
    /// Returns null and logs what to do if the endpoint cannot be opened or no thread can be started: the process runs
    /// on and cannot be debugged.
    static std::unique_ptr<Agent> start(device::Devices& devices) noexcept;
    ~Agent();
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;

  private:
    class Service;
    explicit Agent(std::unique_ptr<Service, DeletedByMaker<Service>> service);
    std::unique_ptr<Service, DeletedByMaker<Service>> service_;
};

}  // namespace zetl::debug
