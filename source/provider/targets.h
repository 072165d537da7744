// Section "targets": program debug.
#pragma once

#include <algorithm>
#include <vector>

#include "provider/backend.h"
#include "provider/filled.h"
#include "provider/listing.h"

namespace zetl::provider {

/// The functions of the section on one open target. A thread is a single one, except for memory, a set may be any.
class Target {
  public:
    Target() = default;
    virtual ~Target() = default;
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    virtual zetl_status_t release(std::uint64_t hold) = 0;
    virtual zetl_status_t halt(const zetl_thread_t& set, std::uint64_t token) = 0;
    virtual zetl_status_t run(const zetl_thread_t& set) = 0;
    virtual zetl_status_t state(const zetl_thread_t& thread, zetl_thread_state_t& state, std::uint32_t& cause) = 0;
    virtual std::vector<zetl_thread_t> stopped(const zetl_thread_t& set) = 0;
    virtual zetl_status_t registerCount(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t& count) = 0;
    virtual zetl_status_t readRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                        std::uint32_t count, void* values) = 0;
    virtual zetl_status_t writeRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                         std::uint32_t count, const void* values) = 0;
    virtual zetl_status_t readMemory(const zetl_thread_t& thread, std::uint32_t space, std::uint64_t address,
                                     std::uint64_t bytes, void* buffer) = 0;
    virtual zetl_status_t writeMemory(const zetl_thread_t& thread, std::uint32_t space, std::uint64_t address,
                                      std::uint64_t bytes, const void* buffer) = 0;
    virtual zetl_status_t moduleInfo(zetl_module_t module, zetl_module_info_t& info) = 0;
    virtual zetl_status_t readImage(zetl_module_t module, std::uint64_t offset, std::uint64_t bytes, void* buffer) = 0;
    virtual zetl_status_t breakpoint(std::uint64_t address, bool on) = 0;
    /// Calls that are in progress in other threads go on. No call of the sink is in progress when it has returned.
    virtual void close() = 0;
};

template <Backend B>
class Targets {
  public:
    using Provider = B;
    using Device = typename B::Device;

    virtual Made<Target> open(Device& device, std::uint64_t pid, zetl_sink_t sink, void* user) const = 0;
    /// They live as long as the provider.
    virtual std::vector<const zetl_register_set_t*> registerSets(Device& device) const = 0;

  protected:
    ~Targets() = default;
};

inline bool isSingle(const zetl_thread_t& thread) noexcept {
    return std::ranges::find(thread.level, ZETL_ANY) == std::end(thread.level);
}

template <class Section>
class TargetTable {
    using B = typename Section::Provider;
    static constexpr Section kSection{};

    static zetl_status_t open(zetl_device_t id, std::uint64_t pid, zetl_sink_t sink, void* user,
                              zetl_target_t* target) noexcept {
        return atWork<B>([&] {
            auto* const device = B::deviceOf(id);
            if (!device) return ZETL_GONE;
            return sink && target ? keep<B>(kSection.open(*device, pid, sink, user), target) : ZETL_MISUSE;
        });
    }
    static zetl_status_t registerSets(zetl_device_t id, std::uint32_t capacity, const zetl_register_set_t** sets,
                                      std::uint32_t* count) noexcept {
        return onDevice<B>(id,
                           [&](auto& device) { return list(kSection.registerSets(device), capacity, sets, count); });
    }

    template <class F>
    static zetl_status_t on(zetl_target_t id, F&& body) noexcept {
        return onObject<B, Target>(id, body);
    }
    static zetl_status_t release(zetl_target_t id, std::uint64_t hold) noexcept {
        return on(id, [=](Target& target) { return target.release(hold); });
    }
    static zetl_status_t moduleInfo(zetl_target_t id, zetl_module_t module, zetl_module_info_t* info) noexcept {
        return on(id,
                  [=](Target& target) { return canBeFilled(info) ? target.moduleInfo(module, *info) : ZETL_MISUSE; });
    }
    static zetl_status_t readImage(zetl_target_t id, zetl_module_t module, std::uint64_t offset, std::uint64_t bytes,
                                   void* buffer) noexcept {
        return on(id, [=](Target& target) {
            return bytes > 0 && !buffer ? ZETL_MISUSE : target.readImage(module, offset, bytes, buffer);
        });
    }

    static zetl_status_t breakpoint(zetl_target_t id, std::uint64_t address, std::uint32_t on) noexcept {
        return TargetTable::on(id, [=](Target& target) { return target.breakpoint(address, on != 0); });
    }

    template <class F>
    static zetl_status_t onSet(zetl_target_t id, const zetl_thread_t* set, F&& body) noexcept {
        return on(id, [&](Target& target) { return set ? body(target) : ZETL_MISUSE; });
    }
    static zetl_status_t halt(zetl_target_t id, const zetl_thread_t* set, std::uint64_t token) noexcept {
        return onSet(id, set, [=](Target& target) { return target.halt(*set, token); });
    }
    static zetl_status_t run(zetl_target_t id, const zetl_thread_t* set) noexcept {
        return onSet(id, set, [=](Target& target) { return target.run(*set); });
    }
    static zetl_status_t stopped(zetl_target_t id, const zetl_thread_t* set, std::uint32_t capacity,
                                 zetl_thread_t* threads, std::uint32_t* count) noexcept {
        return onSet(id, set, [=](Target& target) { return list(target.stopped(*set), capacity, threads, count); });
    }
    static zetl_status_t readMemory(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t space,
                                    std::uint64_t address, std::uint64_t bytes, void* buffer) noexcept {
        return onSet(id, thread, [=](Target& target) {
            return bytes > 0 && !buffer ? ZETL_MISUSE : target.readMemory(*thread, space, address, bytes, buffer);
        });
    }
    static zetl_status_t writeMemory(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t space,
                                     std::uint64_t address, std::uint64_t bytes, const void* buffer) noexcept {
        return onSet(id, thread, [=](Target& target) {
            return bytes > 0 && !buffer ? ZETL_MISUSE : target.writeMemory(*thread, space, address, bytes, buffer);
        });
    }

    template <class F>
    static zetl_status_t onThread(zetl_target_t id, const zetl_thread_t* thread, F&& body) noexcept {
        return onSet(id, thread, [&](Target& target) { return isSingle(*thread) ? body(target) : ZETL_MISUSE; });
    }
    static zetl_status_t state(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t* state,
                               std::uint32_t* cause) noexcept {
        return onThread(id, thread, [=](Target& target) {
            if (!state || !cause) return ZETL_MISUSE;
            zetl_thread_state_t now = ZETL_THREAD_RUNNING;
            const auto status = target.state(*thread, now, *cause);
            *state = now;
            return status;
        });
    }
    static zetl_status_t registerCount(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t type,
                                       std::uint32_t* count) noexcept {
        return onThread(id, thread, [=](Target& target) {
            return count ? target.registerCount(*thread, type, *count) : ZETL_MISUSE;
        });
    }
    static zetl_status_t readRegisters(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t type,
                                       std::uint32_t first, std::uint32_t count, void* values) noexcept {
        return onThread(id, thread, [=](Target& target) {
            return values ? target.readRegisters(*thread, type, first, count, values) : ZETL_MISUSE;
        });
    }
    static zetl_status_t writeRegisters(zetl_target_t id, const zetl_thread_t* thread, std::uint32_t type,
                                        std::uint32_t first, std::uint32_t count, const void* values) noexcept {
        return onThread(id, thread, [=](Target& target) {
            return values ? target.writeRegisters(*thread, type, first, count, values) : ZETL_MISUSE;
        });
    }

  public:
    static constexpr zetl_target_functions_t kFunctions = {
        .size = sizeof(zetl_target_functions_t),
        .reserved = 0,
        .open = open,
        .close = closeObject<B, Target>,
        .release = release,
        .halt = halt,
        .run = run,
        .state = state,
        .stopped = stopped,
        .register_sets = registerSets,
        .register_count = registerCount,
        .read_registers = readRegisters,
        .write_registers = writeRegisters,
        .read_memory = readMemory,
        .write_memory = writeMemory,
        .module_info = moduleInfo,
        .read_image = readImage,
        .breakpoint = breakpoint,
    };
};

}  // namespace zetl::provider
