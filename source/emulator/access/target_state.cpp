// Threads of a target, their registers and memory, and the images of modules.
#include <ze_tools_layer/conditions.h>
#include <ze_tools_layer/history.h>
#include <ze_tools_layer/watches.h>

#include <algorithm>
#include <cstring>

#include "emulator/access/module_table.h"
#include "emulator/access/target.h"
#include "emulator/driver/device/platform.h"
#include "emulator/isa/registers.h"
#include "isa/xe/condition.h"

namespace zetl::emulator::access {
namespace {

zetl_status_t statusOf(machine::ControlStatus status) {
    switch (status) {
        case machine::ControlStatus::ok:
            return ZETL_OK;
        case machine::ControlStatus::notStopped:
            return ZETL_NOT_READY;
        case machine::ControlStatus::invalid:
            return ZETL_MISUSE;
        case machine::ControlStatus::outOfRange:
            return ZETL_GONE;
    }
    return ZETL_MISUSE;
}

/// Code has its own access, so that a write is seen whole; the debug area at the instruction base is code, too.
bool isCode(machine::CodeHeap& code, std::uint32_t space, std::uint64_t address) {
    return space == ZETL_SPACE_CODE || (space == ZETL_SPACE_GLOBAL && code.find(address).end != 0);
}

}  // namespace

std::uint32_t causeOf(machine::StopCause cause) {
    switch (cause) {
        case machine::StopCause::halt:
            return ZETL_STOP_HALT;
        case machine::StopCause::breakpoint:
            return ZETL_STOP_BREAKPOINT;
        case machine::StopCause::step:
            return ZETL_STOP_STEP;
        case machine::StopCause::illegal:
            return ZETL_STOP_ILLEGAL;
        case machine::StopCause::software:
            return ZETL_STOP_SOFTWARE;
        case machine::StopCause::fault:
            return ZETL_STOP_FAULT;
        case machine::StopCause::none:
            return 0;
    }
    return 0;
}

std::optional<TileThread> Target::locate(const zetl_thread_t& thread) const {
    const auto tiles = tilesOf(thread);
    if (tiles.size() != 1 || !tiles.front().thread.single()) return std::nullopt;
    return tiles.front();
}

/// Runs the body with the control of the thread's tile.
template <class F>
zetl_status_t Target::onThread(const zetl_thread_t& thread, F&& body) const {
    const auto place = locate(thread);
    return place ? body(control(*place), place->thread) : ZETL_MISUSE;
}

zetl_status_t Target::state(const zetl_thread_t& thread, zetl_thread_state_t& state, std::uint32_t& cause) {
    return onThread(thread, [&](machine::Control& control, const machine::ThreadId& one) {
        machine::StopCause why = machine::StopCause::none;
        const auto now = control.state(one, &why);
        state = now == machine::ThreadState::stopped   ? ZETL_THREAD_STOPPED
                : now == machine::ThreadState::running ? ZETL_THREAD_RUNNING
                                                       : ZETL_THREAD_IDLE;
        cause = causeOf(why);
        return ZETL_OK;
    });
}

zetl_status_t Target::registerCount(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t& count) {
    return onThread(thread, [&](machine::Control& control, const machine::ThreadId& one) {
        return statusOf(control.registerCount(one, static_cast<isa::RegisterSet>(type), &count));
    });
}

zetl_status_t Target::readRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                    std::uint32_t count, void* values) {
    return onThread(thread, [&](machine::Control& control, const machine::ThreadId& one) {
        return statusOf(control.readRegisters(one, static_cast<isa::RegisterSet>(type), first, count, values));
    });
}

zetl_status_t Target::writeRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                     std::uint32_t count, const void* values) {
    return onThread(thread, [&](machine::Control& control, const machine::ThreadId& one) {
        return statusOf(control.writeRegisters(one, static_cast<isa::RegisterSet>(type), first, count, values));
    });
}

/// The memory space decides who has the bytes: local memory is the thread's, code the heap's, everything else is
/// memory.
template <class Slm, class Code, class Memory>
zetl_status_t Target::inSpace(const zetl_thread_t& thread, std::uint32_t space, std::uint64_t address, Slm&& inSlm,
                              Code&& inCode, Memory&& inMemory) const {
    if (space == ZETL_SPACE_SHARED)
        return onThread(thread, [&](machine::Control& control, const machine::ThreadId& one) {
            return statusOf(inSlm(control, one));
        });
    auto& code = device_.machine().code();
    if (isCode(code, space, address)) return inCode(code, tiles()) ? ZETL_OK : ZETL_GONE;
    if (space != ZETL_SPACE_GLOBAL) return ZETL_UNSUPPORTED;
    return inMemory(driver::platform().memory()) ? ZETL_OK : ZETL_GONE;
}

static_assert(sizeof(machine::HistoryRequest) == sizeof(zetl_history_request_t));
static_assert(sizeof(machine::HistoryAnswer) == sizeof(zetl_history_answer_t));
static_assert(sizeof(machine::HistoryStep) == sizeof(zetl_history_step_t));
static_assert(sizeof(machine::MarkedCode) == sizeof(zetl_history_code_t));
static_assert(machine::MarkedCode::kFrom == ZETL_HISTORY_FROM && machine::MarkedCode::kTo == ZETL_HISTORY_TO);

/// The first tile that has a recorded launch answers.
zetl_status_t Target::askHistory(std::uint64_t offset, std::uint64_t bytes, const void* request) {
    machine::HistoryRequest asked;
    if (offset != 0 || bytes < sizeof asked) return ZETL_MISUSE;
    std::memcpy(&asked, request, sizeof asked);
    const bool hasCode = asked.kind == static_cast<std::uint32_t>(machine::HistoryRequest::Kind::entry);
    const std::uint64_t ranges = hasCode ? asked.count : 0;
    if (ranges > ZETL_HISTORY_MOST_CODE || bytes - sizeof asked != ranges * sizeof(machine::MarkedCode))
        return ZETL_MISUSE;
    std::vector<machine::MarkedCode> code(ranges);
    if (!code.empty())
        std::memcpy(code.data(), static_cast<const std::byte*>(request) + sizeof asked, ranges * sizeof code[0]);
    for (machine::MarkedCode& each : code) {
        each.begin -= device_.machine().code().base();
        each.end -= device_.machine().code().base();
    }
    const std::uint32_t global = asked.slot;
    const std::uint32_t slots = device_.profile().threads();
    machine::HistoryReport report;
    for (std::uint32_t tile = 0; tile < device_.tiles() && report.answer.status == 0; ++tile) {
        asked.tile = static_cast<std::uint8_t>(tile);
        asked.slot = global / slots == tile ? global % slots : slots;
        report = device_.tile(tile).control().history(asked, code);
        report.answer.tile = tile;
        report.answer.slot += tile * slots;
        for (machine::HistoryStep& step : report.way) step.ip += device_.machine().code().base();
    }
    std::vector<std::byte> answer(sizeof report.answer + report.way.size() * sizeof(machine::HistoryStep));
    std::memcpy(answer.data(), &report.answer, sizeof report.answer);
    if (!report.way.empty())
        std::memcpy(answer.data() + sizeof report.answer, report.way.data(),
                    report.way.size() * sizeof(machine::HistoryStep));
    const Lock guard(mutex_);
    historyAnswer_ = std::move(answer);
    return ZETL_OK;
}

zetl_status_t Target::readHistory(std::uint64_t offset, std::uint64_t bytes, void* buffer) {
    const Lock guard(mutex_);
    if (offset > historyAnswer_.size() || bytes > historyAnswer_.size() - offset) return ZETL_GONE;
    std::memcpy(buffer, historyAnswer_.data() + offset, bytes);
    return ZETL_OK;
}

static_assert(sizeof(machine::WatchedRange) == sizeof(zetl_watch_t));
static_assert(sizeof(machine::WatchHit) == sizeof(zetl_watch_hit_t));

/// On all tiles, or on none.
zetl_status_t Target::watch(std::uint64_t offset, std::uint64_t bytes, const void* watches) {
    constexpr std::uint64_t kMost = 64;
    if (offset != 0 || bytes % sizeof(machine::WatchedRange) != 0) return ZETL_MISUSE;
    std::vector<machine::WatchedRange> ranges(bytes / sizeof(machine::WatchedRange));
    if (ranges.size() > kMost) return ZETL_GONE;
    std::memcpy(ranges.data(), watches, bytes);
    std::erase_if(ranges, [](const machine::WatchedRange& range) { return range.bytes == 0; });
    const machine::Memory& memory = driver::platform().memory();
    bool fits = std::ranges::all_of(ranges, [&](const machine::WatchedRange& range) {
        if (range.isLocal != 0) return true;
        const auto found = memory.find(range.address);
        return found && range.bytes <= found->end - range.address;
    });
    if (!fits) ranges.clear();
    for (std::uint32_t tile = 0; tile < device_.tiles(); ++tile)
        fits = device_.tile(tile).control().watch(ranges) && fits;
    for (std::uint32_t tile = 0; tile < device_.tiles() && !fits; ++tile) device_.tile(tile).control().watch({});
    return fits ? ZETL_OK : ZETL_GONE;
}

zetl_status_t Target::takeWatchHits(std::uint64_t offset, std::uint64_t bytes, void* buffer) {
    if (offset != 0 || bytes % sizeof(machine::WatchHit) != 0) return ZETL_MISUSE;
    const std::uint32_t slots = device_.profile().threads();
    std::vector<machine::WatchHit> hits;
    for (std::uint32_t tile = 0; tile < device_.tiles(); ++tile)
        for (machine::WatchHit hit : device_.tile(tile).control().takeWatchHits()) {
            hit.slot += tile * slots;
            hit.ip += device_.machine().code().base();
            hits.push_back(hit);
        }
    hits.resize(std::min<std::uint64_t>(hits.size(), bytes / sizeof(machine::WatchHit)));
    std::memset(buffer, 0, bytes);
    if (!hits.empty()) std::memcpy(buffer, hits.data(), hits.size() * sizeof(machine::WatchHit));
    return ZETL_OK;
}

static_assert(sizeof(zetl::isa::xe::ConditionStep) == sizeof(zetl_condition_step_t));
static_assert(zetl::isa::xe::kConditionOperations == ZETL_CONDITION_EITHER + 1);
static_assert(sizeof(machine::ConditionCounts) == sizeof(zetl_condition_counts_t));

/// On the tiles that the breakpoint stops, or on none.
zetl_status_t Target::setCondition(std::uint64_t address, std::uint64_t bytes, const void* steps) {
    using zetl::isa::xe::ConditionStep;
    const auto& code = device_.machine().code();
    const std::uint64_t count = bytes / sizeof(ConditionStep);
    if (bytes % sizeof(ConditionStep) != 0 || count > zetl::isa::xe::kMostConditionSteps) return ZETL_MISUSE;
    if (address < code.base() || address - code.base() > UINT32_MAX) return ZETL_GONE;
    std::vector<ConditionStep> program(count);
    if (count != 0) std::memcpy(program.data(), steps, bytes);
    if (count == 1 && program.front().operation == ZETL_CONDITION_NONE) program.clear();
    const auto ip = static_cast<std::uint32_t>(address - code.base());
    bool done = true;
    for (std::uint32_t tile = 0; tile < device_.tiles(); ++tile)
        done = device_.tile(tile).control().setCondition(ip, program) && done;
    for (std::uint32_t tile = 0; tile < device_.tiles() && !done; ++tile)
        device_.tile(tile).control().setCondition(ip, {});
    return done ? ZETL_OK : ZETL_MISUSE;
}

zetl_status_t Target::countConditions(std::uint64_t bytes, void* buffer) {
    machine::ConditionCounts all;
    if (bytes != sizeof all) return ZETL_MISUSE;
    for (std::uint32_t tile = 0; tile < device_.tiles(); ++tile) {
        const auto counts = device_.tile(tile).control().conditionCounts();
        all.passed += counts.passed;
        all.unknown += counts.unknown;
    }
    std::memcpy(buffer, &all, sizeof all);
    return ZETL_OK;
}

zetl_status_t Target::readMemory(const zetl_thread_t& thread, std::uint32_t space, std::uint64_t address,
                                 std::uint64_t bytes, void* buffer) {
    if (space == ZETL_SPACE_HISTORY) return readHistory(address, bytes, buffer);
    if (space == ZETL_SPACE_WATCHES) return takeWatchHits(address, bytes, buffer);
    if (space == ZETL_SPACE_CONDITIONS) return countConditions(bytes, buffer);
    return inSpace(
        thread, space, address,
        [&](auto& control, const auto& one) { return control.readSlm(one, address, buffer, bytes); },
        [&](auto& code, auto tiles) { return code.read(address, buffer, bytes, tiles); },
        [&](auto& memory) { return memory.read(address, buffer, bytes); });
}

zetl_status_t Target::writeMemory(const zetl_thread_t& thread, std::uint32_t space, std::uint64_t address,
                                  std::uint64_t bytes, const void* buffer) {
    if (space == ZETL_SPACE_HISTORY) return askHistory(address, bytes, buffer);
    if (space == ZETL_SPACE_WATCHES) return watch(address, bytes, buffer);
    if (space == ZETL_SPACE_CONDITIONS) return setCondition(address, bytes, buffer);
    if (space == ZETL_SPACE_GLOBAL)
        for (std::uint32_t tile = 0; tile < device_.tiles(); ++tile)
            device_.tile(tile).control().changes(address, bytes);
    return inSpace(
        thread, space, address,
        [&](auto& control, const auto& one) { return control.writeSlm(one, address, buffer, bytes); },
        [&](auto& code, auto tiles) { return code.write(address, buffer, bytes, tiles); },
        [&](auto& memory) { return memory.write(address, buffer, bytes); });
}

zetl_status_t Target::moduleInfo(zetl_module_t module, zetl_module_info_t& info) {
    return ModuleTable::instance().describe(module, info);
}

zetl_status_t Target::readImage(zetl_module_t module, std::uint64_t offset, std::uint64_t bytes, void* buffer) {
    return ModuleTable::instance().readImage(module, offset, bytes, buffer);
}

}  // namespace zetl::emulator::access
