// Program debugging: sessions, events, threads, memory and registers.
// Every function checks its arguments and delegates (tools_entry.h).
#include "debug_guard.h"
#include "tools_entry.h"

using zetl::ddi::Function;
using zetl::layer::serve;
using zetl::layer::serveGuarded;

extern "C" {

ze_result_t ZE_APICALL zetDeviceGetDebugProperties(zet_device_handle_t hDevice,
                                                   zet_device_debug_properties_t* pDebugProperties) {
    return serveGuarded<Function::zetDeviceGetDebugProperties>(
        [&] { return zetl::layer::answerDebugProperties(hDevice, pDebugProperties); }, hDevice, pDebugProperties);
}

ze_result_t ZE_APICALL zetDebugAttach(zet_device_handle_t hDevice, const zet_debug_config_t* config,
                                      zet_debug_session_handle_t* phDebug) {
    return serveGuarded<Function::zetDebugAttach>([&] { return zetl::layer::refuseAttach(hDevice); }, hDevice, config,
                                                  phDebug);
}

ze_result_t ZE_APICALL zetDebugDetach(zet_debug_session_handle_t hDebug) {
    return serve<Function::zetDebugDetach>(hDebug);
}

ze_result_t ZE_APICALL zetDebugReadEvent(zet_debug_session_handle_t hDebug, std::uint64_t timeout,
                                         zet_debug_event_t* event) {
    return serve<Function::zetDebugReadEvent>(hDebug, timeout, event);
}

ze_result_t ZE_APICALL zetDebugAcknowledgeEvent(zet_debug_session_handle_t hDebug, const zet_debug_event_t* event) {
    return serve<Function::zetDebugAcknowledgeEvent>(hDebug, event);
}

ze_result_t ZE_APICALL zetDebugInterrupt(zet_debug_session_handle_t hDebug, ze_device_thread_t thread) {
    return serve<Function::zetDebugInterrupt>(hDebug, thread);
}

ze_result_t ZE_APICALL zetDebugResume(zet_debug_session_handle_t hDebug, ze_device_thread_t thread) {
    return serve<Function::zetDebugResume>(hDebug, thread);
}

ze_result_t ZE_APICALL zetDebugReadMemory(zet_debug_session_handle_t hDebug, ze_device_thread_t thread,
                                          const zet_debug_memory_space_desc_t* desc, std::size_t size, void* buffer) {
    return serve<Function::zetDebugReadMemory>(hDebug, thread, desc, size, buffer);
}

ze_result_t ZE_APICALL zetDebugWriteMemory(zet_debug_session_handle_t hDebug, ze_device_thread_t thread,
                                           const zet_debug_memory_space_desc_t* desc, std::size_t size,
                                           const void* buffer) {
    return serve<Function::zetDebugWriteMemory>(hDebug, thread, desc, size, buffer);
}

ze_result_t ZE_APICALL zetDebugGetRegisterSetProperties(zet_device_handle_t hDevice, std::uint32_t* pCount,
                                                        zet_debug_regset_properties_t* pRegisterSetProperties) {
    return serve<Function::zetDebugGetRegisterSetProperties>(hDevice, pCount, pRegisterSetProperties);
}

ze_result_t ZE_APICALL zetDebugReadRegisters(zet_debug_session_handle_t hDebug, ze_device_thread_t thread,
                                             std::uint32_t type, std::uint32_t start, std::uint32_t count,
                                             void* pRegisterValues) {
    return serve<Function::zetDebugReadRegisters>(hDebug, thread, type, start, count, pRegisterValues);
}

ze_result_t ZE_APICALL zetDebugWriteRegisters(zet_debug_session_handle_t hDebug, ze_device_thread_t thread,
                                              std::uint32_t type, std::uint32_t start, std::uint32_t count,
                                              void* pRegisterValues) {
    return serve<Function::zetDebugWriteRegisters>(hDebug, thread, type, start, count, pRegisterValues);
}

ze_result_t ZE_APICALL zetDebugGetThreadRegisterSetProperties(zet_debug_session_handle_t hDebug,
                                                              ze_device_thread_t thread, std::uint32_t* pCount,
                                                              zet_debug_regset_properties_t* pRegisterSetProperties) {
    return serve<Function::zetDebugGetThreadRegisterSetProperties>(hDebug, thread, pCount, pRegisterSetProperties);
}

}  // extern "C"
