// A debug session on the scripted device.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>

#include "debug/debugger.h"
#include "support/fake_core.h"

namespace zetl::debug {

inline constexpr ze_device_thread_t kAll{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};

class SessionTest : public testing::Test {
  protected:
    explicit SessionTest(Debuggee mode = Debuggee::online, const test::fake::Character& character = {})
        : debug_(test::fake::addTo(devices_, character), mode) {}

    zet_debug_session_handle_t attach() {
        zet_debug_config_t config{static_cast<std::uint32_t>(getpid())};
        EXPECT_EQ(debug_.attach(device_, &config, &session_), ZE_RESULT_SUCCESS);
        return session_;
    }
    ze_result_t read(zet_debug_event_t& event, std::uint64_t timeout = 0) {
        return debug_.readEvent(session_, timeout, &event);
    }
    /// The next event; a failure if there is none.
    zet_debug_event_t next() {
        zet_debug_event_t event{};
        EXPECT_EQ(read(event), ZE_RESULT_SUCCESS);
        return event;
    }
    bool nothing() {
        zet_debug_event_t event{};
        return read(event) == ZE_RESULT_NOT_READY && event.type == ZET_DEBUG_EVENT_TYPE_INVALID;
    }
    static bool same(const ze_device_thread_t& a, const ze_device_thread_t& b) {
        return a.slice == b.slice && a.subslice == b.subslice && a.eu == b.eu && a.thread == b.thread;
    }
    /// Stops one thread at a breakpoint and reads the event.
    void stopAndRead(std::uint32_t thread) {
        test::fake::stopThread(thread, ZETL_STOP_BREAKPOINT);
        EXPECT_EQ(next().type, ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    }
    static zet_debug_memory_space_desc_t at(std::uint64_t address,
                                            zet_debug_memory_space_type_t type = ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT) {
        return {static_cast<zet_structure_type_t>(0x7777), reinterpret_cast<void*>(0x1), type, address};
    }
    std::optional<std::string> readMemory(const ze_device_thread_t& thread, zet_debug_memory_space_desc_t desc,
                                          std::size_t size, ze_result_t expected = ZE_RESULT_SUCCESS) {
        std::string bytes(size, '?');
        const auto result = debug_.readMemory(session_, thread, &desc, size, bytes.data());
        EXPECT_EQ(result, expected);
        return result == ZE_RESULT_SUCCESS ? std::optional(bytes) : std::nullopt;
    }

    const ze_device_handle_t device_ = test::fake::deviceHandle();
    device::Devices devices_{test::fake::coreCalls()};
    Debug debug_;
    zet_debug_session_handle_t session_ = nullptr;
};

}  // namespace zetl::debug
