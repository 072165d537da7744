#include "debug/local_target.h"

#include <utility>

#include "device/conformance.h"

namespace zetl::debug {
namespace {

class LocalTarget : public Target {
  public:
    LocalTarget(const device::Device& device, EventSink sink)
        : functions_(device.access().targets()), levels_(device.info().level_count), sink_(std::move(sink)) {}
    ~LocalTarget() override {
        if (id_ != 0) functions_.close(id_);
    }

    zetl_status_t open(zetl_device_t device, std::uint64_t pid) {
        return functions_.open(device, pid, &LocalTarget::deliver, this, &id_);
    }

    zetl_status_t release(std::uint64_t hold) override { return functions_.release(id_, hold); }
    zetl_status_t halt(const zetl_thread_t& set, std::uint64_t token) override {
        return functions_.halt(id_, named(set), token);
    }
    zetl_status_t run(const zetl_thread_t& set) override { return functions_.run(id_, named(set)); }
    zetl_status_t stopped(const zetl_thread_t& set, std::vector<zetl_thread_t>& threads) override {
        std::uint32_t count = 0;
        auto status = functions_.stopped(id_, named(set), 0, nullptr, &count);
        if (status != ZETL_OK) return status;
        threads.resize(count);
        status = functions_.stopped(id_, named(set), count, threads.data(), &count);
        if (count < threads.size()) threads.resize(count);
        return status;
    }
    zetl_status_t registerCount(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t& count) override {
        return functions_.register_count(id_, named(thread), type, &count);
    }
    zetl_status_t readRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                std::uint32_t count, std::uint64_t, void* values) override {
        return functions_.read_registers(id_, named(thread), type, first, count, values);
    }
    zetl_status_t writeRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                 std::uint32_t count, std::uint64_t, const void* values) override {
        return functions_.write_registers(id_, named(thread), type, first, count, values);
    }
    zetl_status_t readMemory(const zetl_thread_t& thread, zetl_space_t space, std::uint64_t address,
                             std::uint64_t bytes, void* buffer) override {
        return functions_.read_memory(id_, named(thread), space, address, bytes, buffer);
    }
    zetl_status_t writeMemory(const zetl_thread_t& thread, zetl_space_t space, std::uint64_t address,
                              std::uint64_t bytes, const void* buffer) override {
        return functions_.write_memory(id_, named(thread), space, address, bytes, buffer);
    }
    zetl_status_t breakpoint(std::uint64_t address, bool on) override {
        return device::offersBreakpoints(functions_) ? functions_.breakpoint(id_, address, on) : ZETL_UNSUPPORTED;
    }
    zetl_status_t moduleInfo(zetl_module_t module, zetl_module_info_t& info) override {
        return functions_.module_info(id_, module, &info);
    }
    zetl_status_t readImage(zetl_module_t module, std::uint64_t offset, std::uint64_t bytes, void* buffer) override {
        return functions_.read_image(id_, module, offset, bytes, buffer);
    }

  private:
    /// An argument of the interface, for the duration of the call.
    struct Named {
        zetl_thread_t thread;
        operator const zetl_thread_t*() const noexcept { return &thread; }
    };
    /// In the device's naming: levels that it lacks are 0, even if a debugger passes wildcards.
    Named named(zetl_thread_t thread) const noexcept {
        for (std::uint32_t i = levels_; i < ZETL_MAX_LEVELS; ++i) thread.level[i] = 0;
        return {thread};
    }
    static void deliver(void* self, const zetl_event_t* event) { static_cast<LocalTarget*>(self)->sink_(*event); }

    const zetl_target_functions_t& functions_;
    const std::uint32_t levels_;
    const EventSink sink_;
    zetl_target_t id_ = 0;
};

}  // namespace

Opened openLocalTarget(const device::Device& device, std::uint64_t pid, EventSink sink) {
    auto target = std::make_unique<LocalTarget>(device, std::move(sink));
    if (const auto status = target->open(device.id(), pid); status != ZETL_OK) return {status, nullptr};
    return {ZETL_OK, std::move(target)};
}

}  // namespace zetl::debug
