// The debug module: one method for each zetDebug* function, and for zetDeviceGetDebugProperties. (It is not named
// debug.h, because the C++ library includes its own header as <debug/debug.h>.)
//
// Entry points of the layer, and of drivers that compose the module, delegate here in one line. They have checked
// handles and required pointers (tools/functions.def).
#pragma once

#include <ze_tools_layer/level_zero.h>

#include <memory>
#include <string_view>

#include "base/live_set.h"
#include "base/mutex.h"
#include "debug/agent.h"
#include "debug/session.h"
#include "device/devices.h"

namespace zetl::debug {

/// The value of ZET_ENABLE_PROGRAM_DEBUGGING at zeInit. Offline: kernels are built and laid out for debugging, but no
/// debugger can attach.
enum class Debuggee { off, online, offline };

/// The meaning of the variable's value; anything but 1 and 2 is off.
Debuggee debuggee(std::string_view value);

/// Each composition has one. Thread-safe.
class Debug {
  public:
    /// Starts the debug agent if `debuggee` is online. `devices` must outlive this.
    Debug(device::Devices& devices, Debuggee debuggee);

    /// True if a provider of device access serves the device.
    bool serves(zet_device_handle_t device);

    /// True if this module opened the session and it still exists.
    bool owns(zet_debug_session_handle_t session) const { return sessions_.find(session) != nullptr; }

    ze_result_t deviceGetDebugProperties(zet_device_handle_t device, zet_device_debug_properties_t* properties);
    ze_result_t attach(zet_device_handle_t device, const zet_debug_config_t* config,
                       zet_debug_session_handle_t* session);
    ze_result_t detach(zet_debug_session_handle_t session);
    ze_result_t readEvent(zet_debug_session_handle_t session, std::uint64_t timeout, zet_debug_event_t* event);
    ze_result_t acknowledgeEvent(zet_debug_session_handle_t session, const zet_debug_event_t* event);
    ze_result_t interrupt(zet_debug_session_handle_t session, ze_device_thread_t thread);
    ze_result_t resume(zet_debug_session_handle_t session, ze_device_thread_t thread);
    ze_result_t readMemory(zet_debug_session_handle_t session, ze_device_thread_t thread,
                           const zet_debug_memory_space_desc_t* desc, std::size_t size, void* buffer);
    ze_result_t writeMemory(zet_debug_session_handle_t session, ze_device_thread_t thread,
                            const zet_debug_memory_space_desc_t* desc, std::size_t size, const void* buffer);
    ze_result_t getRegisterSetProperties(zet_device_handle_t device, std::uint32_t* count,
                                         zet_debug_regset_properties_t* properties);
    ze_result_t getThreadRegisterSetProperties(zet_debug_session_handle_t session, ze_device_thread_t thread,
                                               std::uint32_t* count, zet_debug_regset_properties_t* properties);
    ze_result_t readRegisters(zet_debug_session_handle_t session, ze_device_thread_t thread, std::uint32_t type,
                              std::uint32_t start, std::uint32_t count, void* values);
    ze_result_t writeRegisters(zet_debug_session_handle_t session, ze_device_thread_t thread, std::uint32_t type,
                               std::uint32_t start, std::uint32_t count, void* values);

  private:
    Opened open(const device::Device& device, std::uint64_t pid, EventSink sink) const;
    ze_result_t checkSlot(const device::Device& device, std::uint64_t pid) const ZETL_REQUIRES(attaching_);
    template <class F>
    ze_result_t onSession(zet_debug_session_handle_t handle, F&& body);

    device::Devices& devices_;
    const Debuggee debuggee_;
    std::unique_ptr<Agent> agent_;
    Mutex attaching_;
    LiveSet<Session> sessions_;
};

}  // namespace zetl::debug
