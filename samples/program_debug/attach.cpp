// Attaches to a process and detaches from it: `debug_attach [PID]`. Without a number, it uses the sample debuggee.
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

#include "program_debug/target.h"
#include "session/check.h"

namespace {

/// A process that has not begun to use the device gives NOT_READY, and may be ready soon.
ze_result_t attach(ze_device_handle_t device, std::uint32_t pid, zet_debug_session_handle_t& session) {
    constexpr int kTries = 100;
    zet_debug_config_t config{};
    config.pid = pid;
    auto result = ZE_RESULT_NOT_READY;
    for (int tries = 0; tries < kTries && result == ZE_RESULT_NOT_READY; ++tries) {
        if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        result = zetDebugAttach(device, &config, &session);
    }
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    const session::Session session;
    zet_device_debug_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_DEVICE_DEBUG_PROPERTIES;
    CHECK(zetDeviceGetDebugProperties(session.device, &properties));
    if (!(properties.flags & ZET_DEVICE_DEBUG_PROPERTY_FLAG_ATTACH)) {
        std::printf("debug_attach: this device cannot be debugged\n");
        return 2;
    }
    std::optional<program_debug::Debuggee> own;
    const auto pid = argc > 1 ? static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)) : own.emplace().pid();

    zet_debug_session_handle_t debug = nullptr;
    CHECK(attach(session.device, pid, debug));
    std::printf("debug_attach: attached to process %u\n", pid);
    CHECK(zetDebugDetach(debug));
    std::printf("debug_attach: detached\n");
    return 0;
}
