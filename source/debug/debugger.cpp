#include "debug/debugger.h"

#include <signal.h>
#include <unistd.h>
#include <ze_tools_layer/breakpoints.h>
#include <ze_tools_layer/conditions.h>
#include <ze_tools_layer/history.h>
#include <ze_tools_layer/lane_memory.h>
#include <ze_tools_layer/level_zero.h>
#include <ze_tools_layer/watches.h>

#include <algorithm>
#include <cerrno>

#include "base/enumerate.h"
#include "debug/local_target.h"
#include "debug/log_channel.h"
#include "debug/register_sets.h"
#include "debug/remote_target.h"

namespace zetl::debug {
namespace {

bool processExists(std::uint64_t pid) {
    if (pid == 0 || pid > static_cast<std::uint64_t>(INT32_MAX)) return false;
    return kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM;
}

bool debuggable(const device::Device& device) {
    const auto& info = device.info();
    if (info.target_places != 0 && !device.threadsHaveNames())
        log::warn(kLog, "{} cannot be debugged: its threads have {} levels, and ze_device_thread_t has four", info.name,
                  info.level_count);
    return info.target_places != 0 && device.threadsHaveNames();
}

bool isMemorySpace(zet_debug_memory_space_type_t type) {
    return static_cast<std::uint32_t>(type) <= ZET_DEBUG_MEMORY_SPACE_TYPE_BARRIER ||
           type == ZETL_DEBUG_MEMORY_SPACE_HISTORY || type == ZETL_DEBUG_MEMORY_SPACE_WATCHES ||
           type == ZETL_DEBUG_MEMORY_SPACE_CONDITIONS || type == ZETL_DEBUG_MEMORY_SPACE_PRIVATE ||
           type == ZETL_DEBUG_MEMORY_SPACE_PARAMETERS;
}

}  // namespace

Debuggee debuggee(std::string_view value) {
    if (value == "1") return Debuggee::online;
    return value == "2" ? Debuggee::offline : Debuggee::off;
}

Debug::Debug(device::Devices& devices, Debuggee debuggee) : devices_(devices), debuggee_(debuggee) {
    if (debuggee_ == Debuggee::online) agent_ = Agent::start(devices_);
}

bool Debug::serves(zet_device_handle_t device) { return device && static_cast<bool>(devices_.find(device)); }

ze_result_t Debug::deviceGetDebugProperties(zet_device_handle_t handle, zet_device_debug_properties_t* properties) {
    const auto device = devices_.find(handle);
    const bool able = device && debuggable(**device);
    properties->flags = able ? zet_device_debug_property_flags_t{ZET_DEVICE_DEBUG_PROPERTY_FLAG_ATTACH} : 0u;
    return ZE_RESULT_SUCCESS;
}

Opened Debug::open(const device::Device& device, std::uint64_t pid, EventSink sink) const {
    const bool own = pid == static_cast<std::uint64_t>(getpid());
    if (own && debuggee_ != Debuggee::online) {
        log::warn(kLog, "attach to this process refused: set ZET_ENABLE_PROGRAM_DEBUGGING=1 before zeInit");
        return {ZETL_NOT_READY, nullptr};
    }
    if (own || (device.info().target_places & ZETL_TARGET_OTHER_PROCESS))
        return openLocalTarget(device, pid, std::move(sink));
    auto opened = openRemoteTarget(device, pid, std::move(sink));
    if (opened.status == ZETL_NOT_READY)
        log::info(kLog, "attach to {} not possible yet: it has no debug agent; it needs ZET_ENABLE_PROGRAM_DEBUGGING=1",
                  pid);
    return opened;
}

ze_result_t Debug::checkSlot(const device::Device& device, std::uint64_t pid) const {
    for (const auto& session : sessions_.all()) {
        if (session->pid() != pid || session->over()) continue;
        const auto& other = session->device();
        const bool related = other.id() == device.parent() || other.parent() == device.id();
        if (&other == &device || (related && &other.access().devices() == &device.access().devices())) {
            log::warn(kLog, "attach to {} refused: this process debugs it already on {}", pid, other.info().name);
            return ZE_RESULT_ERROR_NOT_AVAILABLE;
        }
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t Debug::attach(zet_device_handle_t handle, const zet_debug_config_t* config,
                          zet_debug_session_handle_t* sessionHandle) {
    *sessionHandle = nullptr;
    const auto device = devices_.find(handle);
    if (!device) return device.code();
    if (!debuggable(**device)) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    const Lock guard(attaching_);
    if (const auto slot = checkSlot(**device, config->pid); slot != ZE_RESULT_SUCCESS) return slot;
    if (!processExists(config->pid)) {
        log::warn(kLog, "attach refused: there is no process {}", config->pid);
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    auto session =
        Session::attach(**device, config->pid, [this](const device::Device& target, std::uint64_t pid, EventSink sink) {
            return open(target, pid, std::move(sink));
        });
    if (!session) return session.code();
    *sessionHandle = sessions_.add(std::move(*session));
    return ZE_RESULT_SUCCESS;
}

ze_result_t Debug::detach(zet_debug_session_handle_t handle) {
    const auto session = sessions_.remove(handle);
    if (!session) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    session->detach();
    return ZE_RESULT_SUCCESS;
}

template <class F>
ze_result_t Debug::onSession(zet_debug_session_handle_t handle, F&& body) {
    const auto session = sessions_.find(handle);
    if (!session) {
        log::warn(kLog, "{} is no open debug session", static_cast<void*>(handle));
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    return body(*session);
}

ze_result_t Debug::readEvent(zet_debug_session_handle_t handle, std::uint64_t timeout, zet_debug_event_t* event) {
    return onSession(handle, [&](Session& session) { return session.readEvent(timeout, *event); });
}

ze_result_t Debug::acknowledgeEvent(zet_debug_session_handle_t handle, const zet_debug_event_t* event) {
    return onSession(handle, [&](Session& session) { return session.acknowledge(*event); });
}

ze_result_t Debug::interrupt(zet_debug_session_handle_t handle, ze_device_thread_t thread) {
    return onSession(handle, [&](Session& session) { return session.interrupt(ThreadSet(thread)); });
}

ze_result_t Debug::resume(zet_debug_session_handle_t handle, ze_device_thread_t thread) {
    return onSession(handle, [&](Session& session) { return session.resume(ThreadSet(thread)); });
}

ze_result_t Debug::readMemory(zet_debug_session_handle_t handle, ze_device_thread_t thread,
                              const zet_debug_memory_space_desc_t* desc, std::size_t size, void* buffer) {
    if (!isMemorySpace(desc->type)) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    return onSession(handle, [&](Session& session) {
        return session.readMemory(ThreadSet(thread), desc->type, desc->address, size, buffer);
    });
}

ze_result_t Debug::writeMemory(zet_debug_session_handle_t handle, ze_device_thread_t thread,
                               const zet_debug_memory_space_desc_t* desc, std::size_t size, const void* buffer) {
    if (desc->type == ZETL_DEBUG_MEMORY_SPACE_BREAKPOINTS)
        return onSession(handle, [&](Session& session) {
            return session.writeBreakpoint(ThreadSet(thread), desc->address, size, buffer);
        });
    if (!isMemorySpace(desc->type)) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    return onSession(handle, [&](Session& session) {
        return session.writeMemory(ThreadSet(thread), desc->type, desc->address, size, buffer);
    });
}

ze_result_t Debug::getRegisterSetProperties(zet_device_handle_t handle, std::uint32_t* count,
                                            zet_debug_regset_properties_t* properties) {
    const auto device = devices_.find(handle);
    if (!device) return device.code();
    const auto sets = registerSetsOf(**device);
    if (sets.empty()) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    return enumerateInto(sets.size(), count, properties,
                         [&](std::uint32_t i, auto& target) { fill(target, *sets[i], usualCount(*sets[i])); });
}

ze_result_t Debug::getThreadRegisterSetProperties(zet_debug_session_handle_t handle, ze_device_thread_t thread,
                                                  std::uint32_t* count, zet_debug_regset_properties_t* properties) {
    return onSession(handle, [&](Session& session) -> ze_result_t {
        const auto sets = registerSetsOf(session.device());
        std::vector<std::uint32_t> counts;
        for (const auto* set : sets) {
            const auto registers = session.registerCount(ThreadSet(thread), set->type);
            if (!registers) return registers.code();
            counts.push_back(std::min(*registers, set->count));  // even if the target claims more
        }
        return enumerateInto(sets.size(), count, properties,
                             [&](std::uint32_t i, auto& target) { fill(target, *sets[i], counts[i]); });
    });
}

ze_result_t Debug::readRegisters(zet_debug_session_handle_t handle, ze_device_thread_t thread, std::uint32_t type,
                                 std::uint32_t start, std::uint32_t count, void* values) {
    if (!values) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return onSession(
        handle, [&](Session& session) { return session.readRegisters(ThreadSet(thread), type, start, count, values); });
}

ze_result_t Debug::writeRegisters(zet_debug_session_handle_t handle, ze_device_thread_t thread, std::uint32_t type,
                                  std::uint32_t start, std::uint32_t count, void* values) {
    if (!values) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return onSession(handle, [&](Session& session) {
        return session.writeRegisters(ThreadSet(thread), type, start, count, values);
    });
}

}  // namespace zetl::debug
