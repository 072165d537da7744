/*
 * Program debug before version 1.0: threads are numbers, events are read into a buffer, and a module that waits for its
 * debugger continues when "no thread" is resumed. Included by pre_1_0.h.
 *
 * Registers by byte offset (zetDebugReadState, zetDebugReadRegisters of 0.95) are not covered, because each driver
 * defined its own table of offsets.
 */
#ifndef ZE_TOOLS_LAYER_PRE_1_0_DEBUG_H
#define ZE_TOOLS_LAYER_PRE_1_0_DEBUG_H

#include <level_zero/zet_api.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#define ZET_DEBUG_THREAD_NONE (~std::uint64_t{0})
#define ZET_DEBUG_THREAD_ALL (~std::uint64_t{0} - 1)
#define ZET_DEBUG_EVENT_FLAG_STOPPED 1
#define ZET_DEBUG_EVENT_FLAGS_STOPPED ZET_DEBUG_EVENT_FLAG_STOPPED

#define ZET_DEBUG_DETACH_HOST_EXIT ZET_DEBUG_DETACH_REASON_HOST_EXIT
#define ZET_DEBUG_EVENT_DETACHED ZET_DEBUG_EVENT_TYPE_DETACHED
#define ZET_DEBUG_EVENT_PROCESS_ENTRY ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY
#define ZET_DEBUG_EVENT_PROCESS_EXIT ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT
#define ZET_DEBUG_EVENT_MODULE_LOAD ZET_DEBUG_EVENT_TYPE_MODULE_LOAD
#define ZET_DEBUG_EVENT_MODULE_UNLOAD ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD
#define ZET_DEBUG_EVENT_EXCEPTION ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED
#define ZET_DEBUG_EVENT_TYPE_EXCEPTION ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED
#define ZET_DEBUG_MEMORY_SPACE_GEN_DEFAULT ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT
#define ZET_DEBUG_MEMORY_SPACE_GEN_SLM ZET_DEBUG_MEMORY_SPACE_TYPE_SLM
#define ZET_DEBUG_MEMORY_SPACE_IGFX_DEFAULT ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT
#define ZET_DEBUG_MEMORY_SPACE_IGFX_SLM ZET_DEBUG_MEMORY_SPACE_TYPE_SLM

namespace zetl::pre_1_0 {

struct DebugConfig {
    std::uint16_t version;
    union {
        struct {
            int pid;
        } v1;
    } variant;
};

struct DebugEvent {
    std::uint8_t type;
    std::uint64_t thread;  ///< a number, or one of ZET_DEBUG_THREAD_NONE and _ALL
    std::uint64_t flags;
    union {
        zet_debug_event_info_detached_t detached;
        zet_debug_event_info_module_t module;
    } info;
};

/// The state that the old calls need for a session that was opened through these names.
class DebugSession {
  public:
    static ze_result_t open(ze_device_handle_t device, const DebugConfig& config, zet_debug_session_handle_t* session) {
        ze_device_properties_t properties{};
        properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
        const zet_debug_config_t today{static_cast<std::uint32_t>(config.variant.v1.pid)};
        if (const auto result = zetDebugAttach(device, &today, session); result != ZE_RESULT_SUCCESS) return result;
        const auto result = zeDeviceGetProperties(device, &properties);
        const std::lock_guard<std::mutex> guard(mutex());
        DebugSession& known = all()[*session];
        known.counts_ = {properties.numSlices, properties.numSubslicesPerSlice, properties.numEUsPerSubslice,
                         properties.numThreadsPerEU};
        known.waiting_.clear();  // left by an earlier session with the same handle
        return result;
    }

    /// Calls use(session). Returns INVALID_NULL_HANDLE or INVALID_ARGUMENT for a session that was not opened here.
    template <class Use>
    static ze_result_t with(zet_debug_session_handle_t handle, const Use& use) {
        if (!handle) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        const std::lock_guard<std::mutex> guard(mutex());
        const auto found = all().find(handle);
        return found == all().end() ? ZE_RESULT_ERROR_INVALID_ARGUMENT : use(found->second);
    }

    std::uint64_t threads() const {
        std::uint64_t product = 1;
        for (const auto count : counts_) product *= count;
        return product;
    }

    ze_device_thread_t threadOf(std::uint64_t number) const {
        if (number >= threads()) return {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};  // all, or none in particular
        std::array<std::uint32_t, 4> place{};
        for (std::size_t i = place.size(); i-- > 0; number /= counts_[i])
            place[i] = static_cast<std::uint32_t>(number % counts_[i]);
        return {place[0], place[1], place[2], place[3]};
    }
    std::uint64_t numberOf(const ze_device_thread_t& thread) const {
        if (thread.slice == UINT32_MAX) return ZET_DEBUG_THREAD_ALL;
        return ((std::uint64_t{thread.slice} * counts_[1] + thread.subslice) * counts_[2] + thread.eu) * counts_[3] +
               thread.thread;
    }

    /// The event in its old form. Events that need an acknowledgement are kept until ZET_DEBUG_THREAD_NONE is resumed.
    DebugEvent told(const zet_debug_event_t& event) {
        DebugEvent old{};
        old.type = static_cast<std::uint8_t>(event.type);
        old.thread = ZET_DEBUG_THREAD_NONE;
        if (event.flags & ZET_DEBUG_EVENT_FLAG_NEED_ACK) {
            waiting_.push_back(event);
            old.flags = ZET_DEBUG_EVENT_FLAG_STOPPED;
        }
        if (event.type == ZET_DEBUG_EVENT_TYPE_DETACHED) old.info.detached = event.info.detached;
        if (event.type == ZET_DEBUG_EVENT_TYPE_MODULE_LOAD || event.type == ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD)
            old.info.module = event.info.module;
        const bool stopped = event.type == ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED;
        if (stopped || event.type == ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE)
            old.thread = numberOf(event.info.thread.thread);
        if (stopped) old.flags = ZET_DEBUG_EVENT_FLAG_STOPPED;
        return old;
    }
    ze_result_t letGoOn(zet_debug_session_handle_t session) {
        if (waiting_.empty()) return ZE_RESULT_ERROR_NOT_AVAILABLE;
        ze_result_t result = ZE_RESULT_SUCCESS;
        for (const auto& event : waiting_)
            if (const auto each = zetDebugAcknowledgeEvent(session, &event); each != ZE_RESULT_SUCCESS) result = each;
        waiting_.clear();
        return result;
    }

  private:
    std::array<std::uint32_t, 4> counts_{};
    std::vector<zet_debug_event_t> waiting_;

    static std::mutex& mutex() {
        static std::mutex one;
        return one;
    }
    static std::map<zet_debug_session_handle_t, DebugSession>& all() {
        static std::map<zet_debug_session_handle_t, DebugSession> sessions;
        return sessions;
    }
};

/// Calls call(thread) with today's thread for a thread number.
template <class Call>
ze_result_t withThread(zet_debug_session_handle_t session, std::uint64_t number, const Call& call) {
    ze_device_thread_t thread{};
    const auto result = DebugSession::with(session, [&](const DebugSession& known) {
        const bool wild = number == ZET_DEBUG_THREAD_ALL || number == ZET_DEBUG_THREAD_NONE;
        thread = known.threadOf(number);
        return wild || number < known.threads() ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
    });
    return result == ZE_RESULT_SUCCESS ? call(thread) : result;
}

inline zet_debug_memory_space_desc_t memorySpace(int space, std::uint64_t address) {
    return {ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, nullptr, static_cast<zet_debug_memory_space_type_t>(space),
            address};
}

}  // namespace zetl::pre_1_0

inline ze_result_t zetDebugAttach(ze_device_handle_t hDevice, const zetl::pre_1_0::DebugConfig* config,
                                  zet_debug_session_handle_t* phDebug) {
    if (!config || !phDebug) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return zetl::pre_1_0::DebugSession::open(hDevice, *config, phDebug);
}
inline ze_result_t zetDebugGetNumThreads(zet_debug_session_handle_t hDebug, std::uint64_t* pNumThreads) {
    if (!pNumThreads) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return zetl::pre_1_0::DebugSession::with(hDebug, [&](const zetl::pre_1_0::DebugSession& session) {
        *pNumThreads = session.threads();
        return ZE_RESULT_SUCCESS;
    });
}
inline ze_result_t zetDebugReadEvent(zet_debug_session_handle_t hDebug, std::uint64_t timeout, std::size_t size,
                                     void* buffer) {
    if (!buffer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (size < sizeof(zetl::pre_1_0::DebugEvent)) return ZE_RESULT_ERROR_INVALID_SIZE;
    zet_debug_event_t event{};
    if (const auto result = zetDebugReadEvent(hDebug, timeout, &event); result != ZE_RESULT_SUCCESS) return result;
    return zetl::pre_1_0::DebugSession::with(hDebug, [&](zetl::pre_1_0::DebugSession& session) {
        const auto old = session.told(event);
        std::memcpy(buffer, &old, sizeof old);
        return ZE_RESULT_SUCCESS;
    });
}
inline ze_result_t zetDebugInterrupt(zet_debug_session_handle_t hDebug, std::uint64_t threadid) {
    return zetl::pre_1_0::withThread(
        hDebug, threadid, [&](const ze_device_thread_t& thread) { return zetDebugInterrupt(hDebug, thread); });
}
inline ze_result_t zetDebugResume(zet_debug_session_handle_t hDebug, std::uint64_t threadid) {
    using zetl::pre_1_0::DebugSession;
    if (threadid == ZET_DEBUG_THREAD_NONE)
        return DebugSession::with(hDebug, [&](DebugSession& session) { return session.letGoOn(hDebug); });
    return zetl::pre_1_0::withThread(hDebug, threadid,
                                     [&](const ze_device_thread_t& thread) { return zetDebugResume(hDebug, thread); });
}
inline ze_result_t zetDebugReadMemory(zet_debug_session_handle_t hDebug, std::uint64_t threadid, int memSpace,
                                      std::uint64_t address, std::size_t size, void* buffer) {
    const auto space = zetl::pre_1_0::memorySpace(memSpace, address);
    return zetl::pre_1_0::withThread(hDebug, threadid, [&](const ze_device_thread_t& thread) {
        return zetDebugReadMemory(hDebug, thread, &space, size, buffer);
    });
}
inline ze_result_t zetDebugWriteMemory(zet_debug_session_handle_t hDebug, std::uint64_t threadid, int memSpace,
                                       std::uint64_t address, std::size_t size, const void* buffer) {
    const auto space = zetl::pre_1_0::memorySpace(memSpace, address);
    return zetl::pre_1_0::withThread(hDebug, threadid, [&](const ze_device_thread_t& thread) {
        return zetDebugWriteMemory(hDebug, thread, &space, size, buffer);
    });
}

/* From here on, the names of structures have their old meaning. */
#define zet_debug_config_t zetl::pre_1_0::DebugConfig
#define zet_debug_event_t zetl::pre_1_0::DebugEvent

#endif
