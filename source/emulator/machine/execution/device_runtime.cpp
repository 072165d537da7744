#include "emulator/machine/execution/device_runtime.h"

#include <unistd.h>

#include <algorithm>

#include "base/usable_cores.h"

namespace zetl::emulator::machine {
namespace {

/// What the host has: device memory is host memory, so no more than this can ever be used.
std::uint64_t hostMemory() noexcept {
    return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

DeviceRuntime::DeviceRuntime(Machine& machine, std::uint32_t index, const DeviceProfile& profile, Memory& memory,
                             Scheduler& scheduler)
    : machine_(machine),
      index_(index),
      profile_(profile),
      clock_(profile.timerHz),
      code_(profile_.architecture()),
      arena_(memory),
      recorder_(profile_.timing),
      observers_(code_),
      budget_(std::make_shared<MemoryBudget>(std::min(profile.memoryBytes * profile.tiles, hostMemory()))) {
    for (std::uint32_t tile = 0; tile < profile_.tiles; ++tile) {
        tileBudgets_.push_back(
            std::make_shared<MemoryBudget>(std::min(profile.memoryBytes, budget_->limit()), budget_));
        tiles_.push_back(std::make_unique<TileRuntime>(*this, tile, scheduler, memory));
    }
}

DeviceRuntime::~DeviceRuntime() = default;

void DeviceRuntime::shutDown() {
    for (const auto& tile : tiles_) tile->shutDown();
}

MachineRuntime::MachineRuntime(const Profile& profile, std::uint32_t workers)
    : memory_(std::make_unique<Memory>()),
      scheduler_(std::make_unique<Scheduler>(memory_->quiescence(), workers == 0 ? usableCores() : workers,
                                             TurnOrder::configured(),
                                             History::configured(memory_->quiescence(), memory_->table()))) {
    for (const DeviceProfile& device : profile.devices) {
        devices_.push_back(std::make_unique<DeviceRuntime>(*this, devices(), device, *memory_, *scheduler_));
    }
}

MachineRuntime::~MachineRuntime() {
    if (lost()) {
        // Worker threads exist in the parent only, and locks may be held for ever: nothing here can be taken down.
        for (auto& device : devices_) static_cast<void>(device.release());
        static_cast<void>(scheduler_.release());
        static_cast<void>(memory_.release());
        return;
    }
    for (const auto& device : devices_) device->shutDown();
    scheduler_.reset();
    devices_.clear();
}

std::unique_ptr<Machine> Machine::create(const Profile& profile, std::uint32_t workers) {
    return std::make_unique<MachineRuntime>(profile, workers);
}

}  // namespace zetl::emulator::machine
