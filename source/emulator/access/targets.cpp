// Section "targets": program debug of this process.
#include <unistd.h>

#include "base/never_destroyed.h"
#include "emulator/access/device_ref.h"
#include "emulator/access/module_table.h"
#include "emulator/access/sections.h"
#include "emulator/access/target.h"
#include "emulator/driver/device/platform.h"
#include "emulator/isa/registers.h"
#include "provider/filled.h"
#include "provider/listing.h"

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

/// Runs the body with the open target.
template <class F>
zetl_status_t onTarget(zetl_target_t id, F&& body) noexcept {
    return guarded([&]() -> zetl_status_t {
        const auto target = Targets::instance().find(id);
        return target ? body(*target) : ZETL_GONE;
    });
}

/// Runs the body with the control of a thread's tile.
template <class F>
zetl_status_t onThread(zetl_target_t id, const zetl_thread_t* thread, F&& body) noexcept {
    return onTarget(id, [&](Target& target) -> zetl_status_t {
        TileThread place{};
        if (!thread || !target.locate(*thread, place)) return ZETL_MISUSE;
        return body(target.control(place), place.thread);
    });
}

zetl_status_t open(zetl_device_t id, std::uint64_t pid, zetl_sink_t sink, void* user, zetl_target_t* target) noexcept {
    return guarded([&] {
        auto* const device = deviceOf(id);
        if (!device) return ZETL_GONE;
        if (!sink || !target) return ZETL_MISUSE;
        if (pid != static_cast<std::uint64_t>(getpid())) return ZETL_UNSUPPORTED;
        return Targets::instance().open(*device, sink, user, *target);
    });
}

zetl_status_t closeTarget(zetl_target_t id) noexcept {
    return guarded([&] { return Targets::instance().close(id); });
}

zetl_status_t release(zetl_target_t id, std::uint64_t hold) noexcept {
    return guarded([&] { return Targets::instance().release(id, hold); });
}

zetl_status_t halt(zetl_target_t id, const zetl_thread_t* set, std::uint64_t token) noexcept {
    return onTarget(id, [&](Target& target) {
        if (!set) return ZETL_MISUSE;
        target.halt(*set, token);
        return ZETL_OK;
    });
}

zetl_status_t run(zetl_target_t id, const zetl_thread_t* set) noexcept {
    return onTarget(id, [&](Target& target) {
        if (!set) return ZETL_MISUSE;
        return target.run(*set) > 0 ? ZETL_OK : ZETL_NOT_READY;
    });
}

zetl_status_t threadState(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t* result,
                          std::uint32_t* cause) noexcept {
    return onThread(id, thread, [&](machine::Control& control, const machine::ThreadId& one) {
        if (!result || !cause) return ZETL_MISUSE;
        machine::StopCause why = machine::StopCause::none;
        const auto state = control.state(one, &why);
        *result = state == machine::ThreadState::stopped   ? ZETL_THREAD_STOPPED
                  : state == machine::ThreadState::running ? ZETL_THREAD_RUNNING
                                                           : ZETL_THREAD_IDLE;
        *cause = causeOf(why);
        return ZETL_OK;
    });
}

zetl_status_t stopped(zetl_target_t id, const zetl_thread_t* set, std::uint32_t capacity, zetl_thread_t* threads,
                      std::uint32_t* count) noexcept {
    return onTarget(id, [&](Target& target) {
        return set ? provider::list(target.stopped(*set), capacity, threads, count) : ZETL_MISUSE;
    });
}

const char* nameOf(isa::RegisterSet set) {
    constexpr const char* kNames[] = {"",    "GRF", "ADDR", "FLAG", "CE",  "SR", "CR",
                                      "TDR", "ACC", "MME",  "SP",   "SBA", "DBG"};
    return kNames[static_cast<std::size_t>(set)];
}

const std::vector<zetl_register_set_t>& sets() {
    static NeverDestroyed<std::vector<zetl_register_set_t>> all([] {
        std::vector<zetl_register_set_t> list;
        const auto usual = isa::registerSets(false);
        for (const auto& info : isa::registerSets(true))
            list.push_back({.size = sizeof(zetl_register_set_t),
                            .type = static_cast<std::uint32_t>(info.set),
                            .name = nameOf(info.set),
                            .count = info.count,
                            .bits = info.bits,
                            .bytes = info.bytes,
                            .readable = 1,
                            .writeable = info.writable,
                            .per_lane = 0,
                            .usual = usual[list.size()].count});
        return list;
    }());
    return *all;
}

zetl_status_t registerSets(zetl_device_t id, std::uint32_t capacity, const zetl_register_set_t** result,
                           std::uint32_t* count) noexcept {
    return guarded([&] { return deviceOf(id) ? provider::listPlaces(sets(), capacity, result, count) : ZETL_GONE; });
}

zetl_status_t registerCount(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t type,
                            std::uint32_t* count) noexcept {
    return onThread(id, thread, [&](machine::Control& control, const machine::ThreadId& one) {
        return count ? statusOf(control.registerCount(one, static_cast<isa::RegisterSet>(type), count)) : ZETL_MISUSE;
    });
}

zetl_status_t readRegisters(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t type, std::uint32_t first,
                            std::uint32_t count, void* values) noexcept {
    return onThread(id, thread, [&](machine::Control& control, const machine::ThreadId& one) {
        if (!values) return ZETL_MISUSE;
        return statusOf(control.readRegisters(one, static_cast<isa::RegisterSet>(type), first, count, values));
    });
}

zetl_status_t writeRegisters(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t type, std::uint32_t first,
                             std::uint32_t count, const void* values) noexcept {
    return onThread(id, thread, [&](machine::Control& control, const machine::ThreadId& one) {
        if (!values) return ZETL_MISUSE;
        return statusOf(control.writeRegisters(one, static_cast<isa::RegisterSet>(type), first, count, values));
    });
}

/// Code has its own access, so that a write is seen whole; the debug area at the instruction base is code, too.
bool isCode(machine::CodeHeap& code, std::uint32_t space, std::uint64_t address) {
    return space == ZETL_SPACE_CODE || (space == ZETL_SPACE_GLOBAL && code.find(address).end != 0);
}

/// The memory space decides who has the bytes: local memory is the thread's, code the heap's, everything else is
/// memory.
template <class Slm, class Code, class Memory>
zetl_status_t inSpace(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t space, std::uint64_t address,
                      Slm&& inSlm, Code&& inCode, Memory&& inMemory) noexcept {
    if (space == ZETL_SPACE_SHARED)
        return onThread(id, thread, [&](machine::Control& control, const machine::ThreadId& one) {
            return statusOf(inSlm(control, one));
        });
    return onTarget(id, [&](Target& target) {
        auto& code = target.device().machine().code();
        if (isCode(code, space, address)) return inCode(code, target.tiles()) ? ZETL_OK : ZETL_GONE;
        if (space != ZETL_SPACE_GLOBAL) return ZETL_UNSUPPORTED;
        return inMemory(driver::platform().memory()) ? ZETL_OK : ZETL_GONE;
    });
}

zetl_status_t readMemory(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t space, std::uint64_t address,
                         std::uint64_t bytes, void* buffer) noexcept {
    if (!buffer) return ZETL_MISUSE;
    return inSpace(
        id, thread, space, address,
        [&](auto& control, const auto& one) { return control.readSlm(one, address, buffer, bytes); },
        [&](auto& code, auto tiles) { return code.read(address, buffer, bytes, tiles); },
        [&](auto& memory) { return memory.read(address, buffer, bytes); });
}

zetl_status_t writeMemory(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t space, std::uint64_t address,
                          std::uint64_t bytes, const void* buffer) noexcept {
    if (!buffer) return ZETL_MISUSE;
    return inSpace(
        id, thread, space, address,
        [&](auto& control, const auto& one) { return control.writeSlm(one, address, buffer, bytes); },
        [&](auto& code, auto tiles) { return code.write(address, buffer, bytes, tiles); },
        [&](auto& memory) { return memory.write(address, buffer, bytes); });
}

zetl_status_t moduleInfo(zetl_target_t id, zetl_module_t module, zetl_module_info_t* info) noexcept {
    return onTarget(id, [&](Target&) {
        return provider::canBeFilled(info) ? ModuleTable::instance().describe(module, *info) : ZETL_MISUSE;
    });
}

zetl_status_t readImage(zetl_target_t id, zetl_module_t module, std::uint64_t offset, std::uint64_t bytes,
                        void* buffer) noexcept {
    return onTarget(id, [&](Target&) {
        return buffer ? ModuleTable::instance().readImage(module, offset, bytes, buffer) : ZETL_MISUSE;
    });
}

}  // namespace

const zetl_target_functions_t kTargetFunctions = {
    .size = sizeof kTargetFunctions,
    .reserved = 0,
    .open = open,
    .close = closeTarget,
    .release = release,
    .halt = halt,
    .run = run,
    .state = threadState,
    .stopped = stopped,
    .register_sets = registerSets,
    .register_count = registerCount,
    .read_registers = readRegisters,
    .write_registers = writeRegisters,
    .read_memory = readMemory,
    .write_memory = writeMemory,
    .module_info = moduleInfo,
    .read_image = readImage,
};

}  // namespace zetl::emulator::access
