// The fake driver's program debugging: a session that is one byte pattern, and says what it was asked.
#include <cstring>

#include "support/fake_driver/objects.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

/// The session's handle; the loader may read the first words.
struct Session {
    void* words[8] = {};
    std::uint32_t pid = 0;
    ze_device_thread_t last{};
};
Session session;

ze_result_t mine(zet_debug_session_handle_t handle) {
    return handle == reinterpret_cast<zet_debug_session_handle_t>(&session) ? ZE_RESULT_SUCCESS
                                                                            : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}
/// Remembers the thread, of which the next event is.
ze_result_t asked(zet_debug_session_handle_t handle, ze_device_thread_t thread) {
    session.last = thread;
    return mine(handle);
}

ze_result_t properties(zet_device_handle_t, zet_device_debug_properties_t* properties) {
    properties->flags = control.debugFlags;
    return ZE_RESULT_SUCCESS;
}
ze_result_t attach(zet_device_handle_t, const zet_debug_config_t* config, zet_debug_session_handle_t* handle) {
    ++control.debugAttached;
    session.pid = config->pid;
    *handle = reinterpret_cast<zet_debug_session_handle_t>(&session);
    return ZE_RESULT_SUCCESS;
}
ze_result_t detach(zet_debug_session_handle_t handle) { return mine(handle); }
ze_result_t readEvent(zet_debug_session_handle_t handle, std::uint64_t timeout, zet_debug_event_t* event) {
    if (timeout == 0) return ZE_RESULT_NOT_READY;
    event->type = ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED;
    event->info.thread.thread = session.last;
    return mine(handle);
}
ze_result_t readMemory(zet_debug_session_handle_t handle, ze_device_thread_t thread,
                       const zet_debug_memory_space_desc_t* space, std::size_t bytes, void* to) {
    std::memset(to, static_cast<int>(space->address & 0xff), bytes);
    return asked(handle, thread);
}
ze_result_t readRegisters(zet_debug_session_handle_t handle, ze_device_thread_t thread, std::uint32_t set,
                          std::uint32_t first, std::uint32_t count, void* to) {
    const std::uint32_t all[] = {session.pid, set, first, count};
    std::memcpy(to, all, sizeof all);
    return asked(handle, thread);
}

}  // namespace

std::span<const Implemented> debugFunctions() {
    static const Implemented functions[] = {
        implement<slotOf("zetDeviceGetDebugProperties"), properties>(),
        implement<slotOf("zetDebugAttach"), attach>(),
        implement<slotOf("zetDebugDetach"), detach>(),
        implement<slotOf("zetDebugReadEvent"), readEvent>(),
        implement<slotOf("zetDebugInterrupt"), asked>(),
        implement<slotOf("zetDebugResume"), asked>(),
        implement<slotOf("zetDebugReadMemory"), readMemory>(),
        implement<slotOf("zetDebugReadRegisters"), readRegisters>(),
    };
    return functions;
}

}  // namespace zetl::test
