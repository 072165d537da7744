// A debug session as the tests drive it.
#pragma once

#include <level_zero/zet_api.h>
#include <ze_tools_layer/breakpoints.h>

#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "emulated_gpu/gpu.h"
#include "support/scenario.h"
#include "support/wait_for.h"

namespace zetl::test {

inline constexpr ze_device_thread_t kAll{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
inline constexpr std::uint64_t kLimitMs = 20'000;

// Register sets, and what is in them (zet_intel_gpu_debug.h numbers).
inline constexpr std::uint32_t kCr = 6;
inline constexpr std::uint32_t kSba = 11;
inline constexpr std::uint32_t kSuppressBreakpoint = 1u << 15;  // of cr0.0
inline constexpr std::uint32_t kBreakpointStatus = 1u << 31;    // of cr0.1
inline constexpr std::uint32_t kPageFaultStatus = 1u << 16;
inline constexpr std::uint32_t kIllegalStatus = 1u << 28;
inline constexpr std::uint32_t kHaltStatus = (1u << 26) | (1u << 30);
inline constexpr int kInstructionBase = 4;  // of the SBA set

/// A debug session with the shorthands that the tests need.
class DebugSession {
  public:
    DebugSession(const Gpu& gpu, std::uint32_t pid) : device_(gpu.device()), config_{pid} {}
    DebugSession(ze_device_handle_t device, std::uint32_t pid) : device_(device), config_{pid} {}
    DebugSession(const DebugSession&) = delete;
    DebugSession& operator=(const DebugSession&) = delete;
    ~DebugSession() {
        if (handle_) zetDebugDetach(handle_);
    }
    ze_result_t attach() { return zetDebugAttach(device_, &config_, &handle_); }
    void attachPatiently() {
        ze_result_t result = ZE_RESULT_NOT_READY;
        EXPECT_TRUE(waitFor([&] {
            EXPECT_EQ(handle_, nullptr);
            result = attach();
            return result != ZE_RESULT_NOT_READY;
        }));
        ASSERT_OK(result);
    }
    ze_result_t detach() { return zetDebugDetach(std::exchange(handle_, nullptr)); }
    zet_debug_session_handle_t operator*() const { return handle_; }

    zet_debug_event_t next(zet_debug_event_type_t expected) const {
        zet_debug_event_t event{};
        EXPECT_OK(zetDebugReadEvent(handle_, kLimitMs, &event));
        EXPECT_EQ(event.type, expected);
        return event;
    }
    bool quiet() const {
        zet_debug_event_t event{};
        return zetDebugReadEvent(handle_, 20, &event) == ZE_RESULT_NOT_READY;
    }

    std::string read(std::uint64_t address, std::size_t bytes) const {
        const zet_debug_memory_space_desc_t space{ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, nullptr,
                                                  ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, address};
        std::string data(bytes, '\0');
        EXPECT_OK(zetDebugReadMemory(handle_, kAll, &space, bytes, data.data()));
        return data;
    }
    void write(std::uint64_t address, const std::string& data) const {
        const zet_debug_memory_space_desc_t space{ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, nullptr,
                                                  ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, address};
        EXPECT_OK(zetDebugWriteMemory(handle_, kAll, &space, data.size(), data.data()));
    }

    /// The first thread of the device whose registers can be read: tools find stopped threads so.
    std::optional<ze_device_thread_t> stoppedThread() const {
        ze_device_properties_t device{};
        device.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
        EXPECT_OK(zeDeviceGetProperties(device_, &device));
        for (std::uint32_t slice = 0; slice < device.numSlices; ++slice)
            for (std::uint32_t subslice = 0; subslice < device.numSubslicesPerSlice; ++subslice)
                for (std::uint32_t eu = 0; eu < device.numEUsPerSubslice; ++eu)
                    for (std::uint32_t thread = 0; thread < device.numThreadsPerEU; ++thread) {
                        std::uint32_t cr[4];
                        const ze_device_thread_t id{slice, subslice, eu, thread};
                        if (zetDebugReadRegisters(handle_, id, kCr, 0, 1, cr) == ZE_RESULT_SUCCESS) return id;
                    }
        return std::nullopt;
    }
    /// Interrupts all until a thread is found: an answer may find the launch not dispatched yet.
    std::optional<ze_device_thread_t> haltSomeThread() const {
        std::optional<ze_device_thread_t> thread;
        waitFor([&] {
            zet_debug_event_t event{};
            EXPECT_OK(zetDebugInterrupt(handle_, kAll));
            EXPECT_OK(zetDebugReadEvent(handle_, kLimitMs, &event));
            EXPECT_EQ(std::memcmp(&event.info.thread.thread, &kAll, sizeof kAll), 0);
            if (event.type == ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED) thread = stoppedThread();
            return thread.has_value();
        });
        return thread;
    }
    /// A breakpoint, without writing code.
    ze_result_t setByAddress(std::uint64_t address) const {
        const zet_debug_memory_space_desc_t place{ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, nullptr,
                                                  ZETL_DEBUG_MEMORY_SPACE_BREAKPOINTS, address};
        const ze_bool_t on = 1;
        return zetDebugWriteMemory(handle_, kAll, &place, sizeof on, &on);
    }
    std::array<std::uint32_t, 4> control(const ze_device_thread_t& thread) const {
        std::array<std::uint32_t, 4> cr{};
        EXPECT_OK(zetDebugReadRegisters(handle_, thread, kCr, 0, 1, cr.data()));
        return cr;
    }
    void setControl(const ze_device_thread_t& thread, std::array<std::uint32_t, 4> cr) const {
        EXPECT_OK(zetDebugWriteRegisters(handle_, thread, kCr, 0, 1, cr.data()));
    }
    std::uint64_t instruction(const ze_device_thread_t& thread) const {
        std::uint64_t base = 0;
        EXPECT_OK(zetDebugReadRegisters(handle_, thread, kSba, kInstructionBase, 1, &base));
        return base + control(thread)[2];
    }
    /// Lets the thread execute the instruction it stands at, breakpoint or not, and then stop again or run on.
    void pass(const ze_device_thread_t& thread, bool stopAgain) const {
        auto cr = control(thread);
        cr[0] |= kSuppressBreakpoint;
        cr[1] &= ~(kHaltStatus | kBreakpointStatus);
        if (stopAgain) cr[1] |= kBreakpointStatus;
        setControl(thread, cr);
        EXPECT_OK(zetDebugResume(handle_, thread));
    }
    void resumeHalted(const ze_device_thread_t& thread) const {
        auto cr = control(thread);
        cr[1] &= ~kHaltStatus;
        setControl(thread, cr);
        EXPECT_OK(zetDebugResume(handle_, kAll));
    }

  private:
    const ze_device_handle_t device_;
    zet_debug_config_t config_;
    zet_debug_session_handle_t handle_ = nullptr;
};

inline bool same(const ze_device_thread_t& a, const ze_device_thread_t& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Bit of an instruction that stops threads before it.
inline void toggleBreakpoint(std::string& instruction) {
    constexpr std::uint32_t kCompacted = 1u << 29;
    constexpr std::uint32_t kBreakpoint = 1u << 30;
    constexpr std::uint32_t kCompactedBreakpoint = 1u << 7;
    std::uint32_t word = 0;
    std::memcpy(&word, instruction.data(), sizeof word);
    word ^= word & kCompacted ? kCompactedBreakpoint : kBreakpoint;
    std::memcpy(instruction.data(), &word, sizeof word);
}

}  // namespace zetl::test
