// A running device, and its machine.
#pragma once

#include <memory>
#include <vector>

#include "emulator/machine/execution/overruns.h"
#include "emulator/machine/execution/program_observers.h"
#include "emulator/machine/execution/scheduler.h"
#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/trace_recorder.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/memory/indirect_arena.h"

namespace zetl::emulator::machine {

class DeviceRuntime final : public Device {
  public:
    DeviceRuntime(Machine& machine, std::uint32_t index, const DeviceProfile& profile, Memory& memory,
                  Scheduler& scheduler);
    ~DeviceRuntime() override;

    Machine& machine() const noexcept override { return machine_; }
    std::uint32_t index() const noexcept override { return index_; }
    const DeviceProfile& profile() const noexcept override { return profile_; }
    Clock& clock() noexcept override { return clock_; }
    CodeHeap& code() noexcept override { return code_; }
    Tile& tile(std::uint32_t index) noexcept override { return *tiles_[index]; }
    const std::shared_ptr<MemoryBudget>& memoryBudget() const noexcept override { return budget_; }
    const std::shared_ptr<MemoryBudget>& memoryBudget(std::uint32_t tile) const noexcept override {
        return tileBudgets_[tile];
    }

    IndirectArena& arena() noexcept { return arena_; }
    Overruns& overruns() noexcept { return overruns_; }
    TraceRecorder& recorder() noexcept { return recorder_; }
    ProgramObservers& observers() noexcept { return observers_; }
    void shutDown();

  private:
    Machine& machine_;
    const std::uint32_t index_;
    const DeviceProfile profile_;
    Clock clock_;
    CodeHeap code_;
    IndirectArena arena_;
    Overruns overruns_;
    TraceRecorder recorder_;
    ProgramObservers observers_;
    std::shared_ptr<MemoryBudget> budget_;
    std::vector<std::shared_ptr<MemoryBudget>> tileBudgets_;
    std::vector<std::unique_ptr<TileRuntime>> tiles_;
};

class MachineRuntime final : public Machine {
  public:
    MachineRuntime(const Profile& profile, std::uint32_t workers);
    ~MachineRuntime() override;

    Memory& memory() noexcept override { return *memory_; }
    std::uint32_t devices() const noexcept override { return static_cast<std::uint32_t>(devices_.size()); }
    Device& device(std::uint32_t index) noexcept override { return *devices_[index]; }
    bool lost() const noexcept override { return fork_.inChild(); }

  private:
    ForkGuard fork_;
    std::unique_ptr<Memory> memory_;
    std::unique_ptr<Scheduler> scheduler_;
    std::vector<std::unique_ptr<DeviceRuntime>> devices_;
};

}  // namespace zetl::emulator::machine
