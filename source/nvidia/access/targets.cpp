// Section "targets": program debug of other processes, through cuda-gdb.
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "base/id_table.h"
#include "nvidia/access/device_ref.h"
#include "nvidia/access/sections.h"
#include "nvidia/debugger/target.h"
#include "provider/filled.h"
#include "provider/listing.h"

namespace zetl::nvidia::access {
namespace {

using Targets = IdTable<Target>;

/// Runs the body with the open target.
template <class F>
zetl_status_t onTarget(zetl_target_t id, F&& body) noexcept {
    return atWork([&]() -> zetl_status_t {
        const auto target = Targets::instance().find(id);
        return target ? body(*target) : ZETL_GONE;
    });
}

bool isSingle(const zetl_thread_t& thread) {
    return std::ranges::find(thread.level, ZETL_ANY) == std::end(thread.level);
}

/// The same with a single thread.
template <class F>
zetl_status_t onThread(zetl_target_t id, const zetl_thread_t* thread, F&& body) noexcept {
    return onTarget(id, [&](Target& target) -> zetl_status_t {
        return thread && isSingle(*thread) ? body(target, *thread) : ZETL_MISUSE;
    });
}

zetl_status_t open(zetl_device_t id, std::uint64_t pid, zetl_sink_t sink, void* user, zetl_target_t* target) noexcept {
    return atWork([&] {
        const auto* const device = deviceOf(id);
        if (!device) return ZETL_GONE;
        if (!sink || !target) return ZETL_MISUSE;
        if (pid == static_cast<std::uint64_t>(getpid())) {
            log::warn(
                log::Channel::nvidia,
                "this process cannot debug itself on {}: cuda-gdb stops a process as a whole; attach from another",
                device->attributes().name);
            return ZETL_UNSUPPORTED;
        }
        auto made = Target::open(device->attributes(), pid, sink, user);
        if (made.status == ZETL_OK) *target = Targets::instance().add(std::move(made.target));
        return made.status;
    });
}

zetl_status_t closeTarget(zetl_target_t id) noexcept {
    return atWork([&] { return Targets::instance().remove(id) ? ZETL_OK : ZETL_GONE; });
}

zetl_status_t release(zetl_target_t id, std::uint64_t hold) noexcept {
    return onTarget(id, [&](Target& target) { return target.release(hold); });
}

zetl_status_t halt(zetl_target_t id, const zetl_thread_t* set, std::uint64_t token) noexcept {
    return onTarget(id, [&](Target& target) { return set ? target.halt(*set, token) : ZETL_MISUSE; });
}

zetl_status_t run(zetl_target_t id, const zetl_thread_t* set) noexcept {
    return onTarget(id, [&](Target& target) { return set ? target.run(*set) : ZETL_MISUSE; });
}

zetl_status_t threadState(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t* state,
                          std::uint32_t* cause) noexcept {
    return onThread(id, thread, [&](Target& target, const zetl_thread_t& one) {
        if (!state || !cause) return ZETL_MISUSE;
        *state = target.stopped(one).empty() ? ZETL_THREAD_RUNNING : ZETL_THREAD_STOPPED;
        *cause = 0;
        return ZETL_OK;
    });
}

zetl_status_t stopped(zetl_target_t id, const zetl_thread_t* set, std::uint32_t capacity, zetl_thread_t* threads,
                      std::uint32_t* count) noexcept {
    return onTarget(id, [&](Target& target) {
        return set ? provider::list(target.stopped(*set), capacity, threads, count) : ZETL_MISUSE;
    });
}

zetl_status_t listRegisterSets(zetl_device_t id, std::uint32_t capacity, const zetl_register_set_t** sets,
                               std::uint32_t* count) noexcept {
    return guarded([&] {
        if (!deviceOf(id)) return ZETL_GONE;
        return provider::list(registerSets(), capacity, sets, count, [](const auto& each) { return &each.info; });
    });
}

zetl_status_t registerCount(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t type,
                            std::uint32_t* count) noexcept {
    return onThread(id, thread, [&](Target& target, const zetl_thread_t& one) {
        return count ? target.registerCount(one, type, *count) : ZETL_MISUSE;
    });
}

zetl_status_t readRegisters(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t type, std::uint32_t first,
                            std::uint32_t count, void* values) noexcept {
    return onThread(id, thread, [&](Target& target, const zetl_thread_t& one) {
        return values ? target.readRegisters(one, type, first, count, values) : ZETL_MISUSE;
    });
}

zetl_status_t writeRegisters(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t type, std::uint32_t first,
                             std::uint32_t count, const void* values) noexcept {
    return onThread(id, thread, [&](Target& target, const zetl_thread_t& one) {
        return values ? target.writeRegisters(one, type, first, count, values) : ZETL_MISUSE;
    });
}

zetl_status_t readMemory(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t space, std::uint64_t address,
                         std::uint64_t bytes, void* buffer) noexcept {
    return onTarget(id, [&](Target& target) {
        if (!thread || (bytes > 0 && !buffer)) return ZETL_MISUSE;
        return target.readMemory(*thread, static_cast<zetl_space_t>(space), address, bytes, buffer);
    });
}

zetl_status_t writeMemory(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t space, std::uint64_t address,
                          std::uint64_t bytes, const void* buffer) noexcept {
    return onTarget(id, [&](Target& target) {
        if (!thread || (bytes > 0 && !buffer)) return ZETL_MISUSE;
        return target.writeMemory(*thread, static_cast<zetl_space_t>(space), address, bytes, buffer);
    });
}

zetl_status_t moduleInfo(zetl_target_t id, zetl_module_t module, zetl_module_info_t* info) noexcept {
    return onTarget(id, [&](Target& target) {
        return provider::canBeFilled(info) ? target.moduleInfo(module, *info) : ZETL_MISUSE;
    });
}

zetl_status_t readImage(zetl_target_t id, zetl_module_t module, std::uint64_t offset, std::uint64_t bytes,
                        void* buffer) noexcept {
    return onTarget(id, [&](Target& target) {
        return bytes > 0 && !buffer ? ZETL_MISUSE : target.readImage(module, offset, bytes, buffer);
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
    .register_sets = listRegisterSets,
    .register_count = registerCount,
    .read_registers = readRegisters,
    .write_registers = writeRegisters,
    .read_memory = readMemory,
    .write_memory = writeMemory,
    .module_info = moduleInfo,
    .read_image = readImage,
};

}  // namespace zetl::nvidia::access
