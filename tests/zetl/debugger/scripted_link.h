// A device that says what a test wants.
#pragma once

#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "core/address.h"
#include "core/link.h"
#include "core/stopped_thread.h"

namespace zetl::test {

using debugger::kEveryThread;
using debugger::kLocalOffset;
using debugger::Link;
using debugger::ThreadId;
using debugger::ThreadShape;
namespace registers = debugger::registers;

inline constexpr ThreadId kFirst{0, 0, 0, 0};
inline constexpr ThreadId kSecond{0, 0, 0, 1};
inline constexpr std::uint64_t kBase = 0x10000;
inline constexpr std::uint64_t kCode = 0x40;

/// Two threads in code that no module has, and a memory of 4096 bytes at kBase.
class ScriptedLink : public Link {
  public:
    ScriptedLink() {
        for (const auto& [type, bytes, count] : {std::tuple(registers::kGeneral, 64u, 4u),
                                                 {registers::kFlag, 4u, 4u},
                                                 {registers::kChannelEnable, 4u, 1u},
                                                 {registers::kStatus, 16u, 1u},
                                                 {registers::kControl, 16u, 1u},
                                                 {registers::kStateBase, 8u, 9u}}) {
            zet_debug_regset_properties_t set{};
            set.type = type;
            set.byteSize = bytes;
            set.count = count;
            set.generalFlags = 3;
            sets_.push_back(set);
        }
    }
    const ThreadShape& shape() const override { return shape_; }
    const std::vector<zet_debug_regset_properties_t>& registerSets() const override { return sets_; }

    ze_result_t readEvent(std::uint64_t, zet_debug_event_t& event) override {
        if (events.empty()) return onIdle ? onIdle() : ZE_RESULT_NOT_READY;
        event = events.front();
        events.pop_front();
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t acknowledge(const zet_debug_event_t&) override {
        ++acknowledged;
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t interrupt(const ThreadId& set) override {
        interrupted = set;
        ++interrupts;
        if (onInterrupt) return onInterrupt();
        for (const auto& id : running) standing.insert(id);
        running.clear();
        say(standing.empty() ? ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE : ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t resume(const ThreadId& set) override {
        ++resumes;
        if (set == kEveryThread) standing.clear();
        standing.erase(set);
        if (onResume) onResume();
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t readMemory(const ThreadId&, zet_debug_memory_space_type_t space, std::uint64_t address,
                           std::size_t bytes, void* buffer) override {
        if (bytes == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
        if (space == ZET_DEBUG_MEMORY_SPACE_TYPE_SLM) {
            if ((address & kLocalOffset) + bytes > local.size()) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
            std::memcpy(buffer, local.data() + (address & kLocalOffset), bytes);
            return ZE_RESULT_SUCCESS;
        }
        if (address < kBase || bytes > memory.size() || address - kBase > memory.size() - bytes)
            return ZE_RESULT_ERROR_NOT_AVAILABLE;
        std::memcpy(buffer, memory.data() + (address - kBase), bytes);
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t writeMemory(const ThreadId&, zet_debug_memory_space_type_t, std::uint64_t address, std::size_t bytes,
                            const void* buffer) override {
        if (bytes == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
        if (address < kBase || bytes > memory.size() || address - kBase > memory.size() - bytes)
            return ZE_RESULT_ERROR_NOT_AVAILABLE;
        std::memcpy(memory.data() + (address - kBase), buffer, bytes);
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t readRegisters(const ThreadId& thread, std::uint32_t type, std::uint32_t first, std::uint32_t count,
                              void* values) override {
        if (!standing.contains(thread)) return ZE_RESULT_ERROR_NOT_AVAILABLE;
        if (!has(type, first, count)) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        const auto bytes = bytesOf(type) * count;
        std::memset(values, 0, bytes);
        if (type == registers::kControl) std::memcpy(values, control[thread].data(), bytes);
        if (type == registers::kChannelEnable || type == registers::kStatus) std::memset(values, 0xff, bytes);
        if (type == registers::kStateBase && first <= registers::kInstructionBase &&
            first + count > registers::kInstructionBase)
            std::memcpy(static_cast<char*>(values) + 8 * (registers::kInstructionBase - first), &kBase, sizeof kBase);
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t writeRegisters(const ThreadId& thread, std::uint32_t type, std::uint32_t, std::uint32_t,
                               const void* values) override {
        if (type == registers::kControl) std::memcpy(control[thread].data(), values, 16);
        return ZE_RESULT_SUCCESS;
    }

    void say(zet_debug_event_type_t type, const ThreadId& about = kEveryThread) {
        zet_debug_event_t event{};
        event.type = type;
        event.info.thread.thread = about.native();
        events.push_back(event);
    }
    /// The thread stops by itself.
    void stop(const ThreadId& thread, std::uint32_t exceptions) {
        running.erase(thread);
        standing.insert(thread);
        control[thread] = {0, exceptions, kCode, 0};
        say(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED, thread);
    }

    std::deque<zet_debug_event_t> events;
    std::function<ze_result_t()> onIdle;
    std::function<void()> onResume;
    std::function<ze_result_t()> onInterrupt;
    std::set<ThreadId> running{kFirst, kSecond};
    std::set<ThreadId> standing;
    std::map<ThreadId, std::array<std::uint32_t, 4>> control;
    std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(4096);
    std::vector<std::uint8_t> local = std::vector<std::uint8_t>(512);
    ThreadId interrupted;
    int interrupts = 0;
    int resumes = 0;
    int acknowledged = 0;

  private:
    bool has(std::uint32_t type, std::uint64_t first, std::uint64_t count) const {
        for (const auto& set : sets_)
            if (set.type == type) return first + count <= set.count;
        return false;
    }
    std::size_t bytesOf(std::uint32_t type) const {
        for (const auto& set : sets_)
            if (set.type == type) return set.byteSize;
        return 0;
    }
    const ThreadShape shape_{1, 1, 1, 2};
    std::vector<zet_debug_regset_properties_t> sets_;
};

}  // namespace zetl::test
