// ze_event_pool_handle_t (core specification, "Events").
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/file_descriptor.h"
#include "base/result.h"
#include "emulator/driver/execution/signal_state.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

class Device;
struct IpcHandle;

/// A row of signal states, in memory that other processes can map if the pool was made with ZE_EVENT_POOL_FLAG_IPC.
/// Thread-safe.
class EventPool : public Object<EventPool, ze_event_pool_handle_t> {
  public:
    static constexpr const char* kNoun = "event pool";

    /// INVALID_SIZE (no events), INVALID_ENUMERATION, INVALID_ARGUMENT (counter-based events for no kind of
    /// list), UNSUPPORTED_FEATURE (IPC of counter-based events).
    static Result<std::shared_ptr<EventPool>> create(std::shared_ptr<Context> context,
                                                     const ze_event_pool_desc_t& description, std::uint32_t deviceCount,
                                                     ze_device_handle_t* devices);
    /// The pool behind one event of zeEventCounterBasedCreate; the application does not get its handle.
    static std::shared_ptr<EventPool> createCounter(std::shared_ptr<Context> context, std::shared_ptr<Device> device,
                                                    ze_event_pool_flags_t flags);
    static Result<std::shared_ptr<EventPool>> open(std::shared_ptr<Context> context, const IpcHandle& handle);
    static Result<std::shared_ptr<EventPool>> openHandle(std::shared_ptr<Context> context,
                                                         const ze_ipc_event_pool_handle_t& handle);
    /// Ends the use of a handle, which is nothing to do: its descriptor is the pool's own. INVALID_ARGUMENT for bytes
    /// that are no handle.
    static Status putHandle(const ze_ipc_event_pool_handle_t& handle);

    struct Parts {
        std::shared_ptr<Context> context;
        std::shared_ptr<Device> device;
        FileDescriptor file;
        std::shared_ptr<SignalState> states;
        std::uint32_t count = 0;
        ze_event_pool_flags_t flags = 0;
        bool counterBased = false;
        ze_event_pool_counter_based_exp_flags_t counterFlags = 0;  ///< of the pool's descriptor
        bool opened = false;
    };
    explicit EventPool(Parts parts) : parts_(std::move(parts)) {}

    /// Valid as long as the pool lives. INVALID_ARGUMENT for a pool without ZE_EVENT_POOL_FLAG_IPC.
    Result<IpcHandle> ipcHandle() const;
    Status getIpcHandle(ze_ipc_event_pool_handle_t& out) const;
    /// Ends the life of a pool that was opened; INVALID_ARGUMENT for others.
    Status close();
    /// True if open() made it.
    bool opened() const noexcept { return parts_.opened; }

    Context& context() const noexcept { return *parts_.context; }
    ze_event_pool_flags_t flags() const noexcept { return parts_.flags; }
    bool counterBased() const noexcept { return parts_.counterBased; }
    ze_event_pool_counter_based_exp_flags_t counterFlags() const noexcept { return parts_.counterFlags; }
    bool shared() const noexcept { return static_cast<bool>(parts_.file); }
    bool hasTimestamps() const noexcept {
        return parts_.flags & (ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP);
    }
    bool hasMappedTimestamps() const noexcept { return parts_.flags & ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP; }
    std::uint32_t count() const noexcept { return parts_.count; }
    /// The device whose clock and valid bits the timestamps have.
    Device& device() const noexcept { return *parts_.device; }

    /// State `index` < count(); keeps the pool's memory alive. Counter-based pools have states only if they are shared.
    std::shared_ptr<SignalState> state(std::uint32_t index) const;

  private:
    const Parts parts_;
};

}  // namespace zetl::emulator::driver
