// A process that is being debugged on one device, in this process or another.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "device/device.h"

namespace zetl::debug {

/// Receives a target's events: on a thread of the target's own, one call at a time, possibly before the target's maker
/// has returned. Must be quick, and must not call the target.
using EventSink = std::function<void(const zetl_event_t&)>;

/// The operations of the device-access interface on one open target, in this process or behind a connection. Closing it
/// (the destructor) releases every hold and runs every thread; no event follows. Thread-safe; every call is bounded in
/// time and returns ZETL_LOST if a connection does not answer.
class Target {
  public:
    virtual ~Target() = default;
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    virtual zetl_status_t release(std::uint64_t hold) = 0;
    virtual zetl_status_t halt(const zetl_thread_t& set, std::uint64_t token) = 0;
    virtual zetl_status_t run(const zetl_thread_t& set) = 0;
    virtual zetl_status_t stopped(const zetl_thread_t& set, std::vector<zetl_thread_t>& threads) = 0;
    virtual zetl_status_t registerCount(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t& count) = 0;
    virtual zetl_status_t readRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                        std::uint32_t count, std::uint64_t bytes, void* values) = 0;
    virtual zetl_status_t writeRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                         std::uint32_t count, std::uint64_t bytes, const void* values) = 0;
    virtual zetl_status_t readMemory(const zetl_thread_t& thread, zetl_space_t space, std::uint64_t address,
                                     std::uint64_t bytes, void* buffer) = 0;
    virtual zetl_status_t writeMemory(const zetl_thread_t& thread, zetl_space_t space, std::uint64_t address,
                                      std::uint64_t bytes, const void* buffer) = 0;
    virtual zetl_status_t breakpoint(std::uint64_t address, bool on) = 0;
    /// build_options of the result has no meaning.
    virtual zetl_status_t moduleInfo(zetl_module_t module, zetl_module_info_t& info) = 0;
    virtual zetl_status_t readImage(zetl_module_t module, std::uint64_t offset, std::uint64_t bytes, void* buffer) = 0;

  protected:
    Target() = default;
};

/// The result of opening a target: the target, or the refusal.
struct Opened {
    zetl_status_t status = ZETL_UNSUPPORTED;
    std::unique_ptr<Target> target;
};

/// Opens process `pid` on the device.
using TargetOpener = std::function<Opened(const device::Device& device, std::uint64_t pid, EventSink sink)>;

}  // namespace zetl::debug
