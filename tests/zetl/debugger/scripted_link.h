// A device that says what a test wants.
#pragma once

#include <ze_tools_layer/conditions.h>
#include <ze_tools_layer/history.h>

#include <algorithm>
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
#include "core/xe_registers.h"

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

/// Two threads in code that no module has, a memory of 4096 bytes at kBase, and what is mapped besides.
class ScriptedLink : public Link {
  public:
    ScriptedLink() {
        for (const auto& [type, bytes, count] : {std::tuple(registers::kGeneral, 64u, 128u),
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
    const debugger::Architecture& architecture() const override { return *device; }
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
        resumed = set;
        if (set == kEveryThread) standing.clear();
        standing.erase(set);
        if (onResume) onResume();
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t readMemory(const ThreadId&, zet_debug_memory_space_type_t space, std::uint64_t address,
                           std::size_t bytes, void* buffer) override {
        if (bytes == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
        if (space == ZETL_DEBUG_MEMORY_SPACE_HISTORY && onHistory) {
            std::memcpy(buffer, &answer, std::min(bytes, sizeof answer));
            return ZE_RESULT_SUCCESS;
        }
        if (space == ZET_DEBUG_MEMORY_SPACE_TYPE_SLM) {
            if ((address & kLocalOffset) + bytes > local.size()) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
            std::memcpy(buffer, local.data() + (address & kLocalOffset), bytes);
            return ZE_RESULT_SUCCESS;
        }
        const auto* const place = placeOf(address, bytes);
        if (!place) return ZE_RESULT_ERROR_NOT_AVAILABLE;
        std::memcpy(buffer, place, bytes);
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t writeMemory(const ThreadId&, zet_debug_memory_space_type_t space, std::uint64_t address,
                            std::size_t bytes, const void* buffer) override {
        if (space == ZETL_DEBUG_MEMORY_SPACE_CONDITIONS) return ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
        if (space == ZETL_DEBUG_MEMORY_SPACE_HISTORY && onHistory)
            return onHistory(*static_cast<const zetl_history_request_t*>(buffer));
        if (bytes == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
        auto* const place = placeOf(address, bytes);
        if (!place) return ZE_RESULT_ERROR_NOT_AVAILABLE;
        std::memcpy(place, buffer, bytes);
        return ZE_RESULT_SUCCESS;
    }
    /// The code reads as another instruction where a breakpoint is set.
    ze_result_t setBreakpoint(std::uint64_t address, bool on) override {
        auto* const place = placeOf(address, kOriginal.size());
        if (!place) return ZE_RESULT_ERROR_NOT_AVAILABLE;
        std::memset(place, on ? kPlaced : kOriginal[0], kOriginal.size());
        if (on)
            breakpoints.insert(address);
        else
            breakpoints.erase(address);
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t readRegisters(const ThreadId& thread, std::uint32_t type, std::uint32_t first, std::uint32_t count,
                              void* values) override {
        if (!standing.contains(thread)) return ZE_RESULT_ERROR_NOT_AVAILABLE;
        if (!has(type, first, count)) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        const auto bytes = bytesOf(type) * count;
        std::memset(values, 0, bytes);
        const auto own = generalOf.find(thread);
        const auto content = own == generalOf.end() ? general : own->second;
        if (type == registers::kGeneral)
            for (std::size_t at = 0; at < bytes; at += sizeof content)
                std::memcpy(static_cast<char*>(values) + at, &content, sizeof content);
        if (type == registers::kControl) std::memcpy(values, control[thread].data(), bytes);
        if (type == registers::kChannelEnable || type == registers::kStatus) std::memset(values, 0xff, bytes);
        if (type == registers::kStateBase)
            for (const auto& [index, base] : bases)
                if (index >= first && index < first + count)
                    std::memcpy(static_cast<char*>(values) + 8 * (index - first), &base, sizeof base);
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
    /// A module's debug image is mapped there.
    void sayLoaded(std::uint64_t image, std::uint64_t load) {
        zet_debug_event_t event{};
        event.type = ZET_DEBUG_EVENT_TYPE_MODULE_LOAD;
        event.flags = ZET_DEBUG_EVENT_FLAG_NEED_ACK;
        event.info.module = {ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, image, image + mapped.at(image).size(), load};
        events.push_back(event);
    }
    /// The thread stops by itself.
    void stop(const ThreadId& thread, std::uint32_t exceptions) {
        running.erase(thread);
        standing.insert(thread);
        control[thread] = {0, exceptions, kCode, 0};
        say(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED, thread);
    }

    static constexpr std::uint8_t kPlaced = 0xb7;
    static constexpr std::array<std::uint8_t, 16> kOriginal{};
    const debugger::Architecture* device = &debugger::xe();
    std::set<std::uint64_t> breakpoints;  ///< set by address
    std::deque<zet_debug_event_t> events;
    std::function<ze_result_t()> onIdle;
    std::function<void()> onResume;
    std::function<ze_result_t()> onInterrupt;
    /// Sets `answer`.
    std::function<ze_result_t(const zetl_history_request_t&)> onHistory;
    zetl_history_answer_t answer{};
    std::set<ThreadId> running{kFirst, kSecond};
    std::set<ThreadId> standing;
    std::map<ThreadId, std::array<std::uint32_t, 4>> control;
    std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(4096);
    std::map<std::uint64_t, std::vector<std::uint8_t>> mapped;  ///< by address
    std::map<std::uint32_t, std::uint64_t> bases{{registers::kInstructionBase, kBase}};
    std::uint64_t general = 0;                    ///< what each eight bytes of the general registers hold
    std::map<ThreadId, std::uint64_t> generalOf;  ///< of threads for which that is something else
    std::vector<std::uint8_t> local = std::vector<std::uint8_t>(512);
    ThreadId interrupted;
    ThreadId resumed;  ///< last
    int interrupts = 0;
    int resumes = 0;
    int acknowledged = 0;

  private:
    static std::uint8_t* within(std::vector<std::uint8_t>& data, std::uint64_t begin, std::uint64_t address,
                                std::size_t bytes) {
        const bool isInside = address >= begin && bytes <= data.size() && address - begin <= data.size() - bytes;
        return isInside ? data.data() + (address - begin) : nullptr;
    }
    std::uint8_t* placeOf(std::uint64_t address, std::size_t bytes) {
        for (auto& [begin, data] : mapped)
            if (auto* const place = within(data, begin, address, bytes)) return place;
        return within(memory, kBase, address, bytes);
    }
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
