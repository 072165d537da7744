// Debug targets: this process on one device, a root device or one of its tiles, with its one debugger.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/mutex.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/program/module.h"
#include "provider/backend.h"
#include "provider/targets.h"

namespace zetl::emulator::access {

/// ZETL_STOP_ bits.
std::uint32_t causeOf(machine::StopCause cause);

/// A thread of a device and its tile. The first level of a thread's path counts the slices of all tiles.
struct TileThread {
    std::uint32_t tile;
    machine::ThreadId thread;
};

/// An open target. Thread-safe.
class Target final : public provider::Target {
  public:
    Target(driver::Device& device, zetl_sink_t sink, void* user) : device_(device), sink_(sink), user_(user) {}

    driver::Device& device() const noexcept { return device_; }
    /// Whether events on that device concern this target.
    bool concerns(const driver::Device& device) const noexcept { return device_.sharesTilesWith(device); }

    /// Takes control of every tile. Returns false, and takes none, if another debugger has one of them.
    bool attach();
    /// Runs the stopped threads. Afterwards no call of the sink is in progress or follows.
    void detach();

    zetl_status_t release(std::uint64_t hold) override;
    zetl_status_t halt(const zetl_thread_t& set, std::uint64_t token) override;
    zetl_status_t run(const zetl_thread_t& set) override;
    std::vector<zetl_thread_t> stopped(const zetl_thread_t& set) override;
    /// Unsupported: breakpoints are bits of the instructions.
    zetl_status_t breakpoint(std::uint64_t, bool) override { return ZETL_UNSUPPORTED; }
    void close() override;

    // target_state.cpp
    zetl_status_t state(const zetl_thread_t& thread, zetl_thread_state_t& state, std::uint32_t& cause) override;
    zetl_status_t registerCount(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t& count) override;
    zetl_status_t readRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                std::uint32_t count, void* values) override;
    zetl_status_t writeRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                 std::uint32_t count, const void* values) override;
    zetl_status_t readMemory(const zetl_thread_t& thread, std::uint32_t space, std::uint64_t address,
                             std::uint64_t bytes, void* buffer) override;
    zetl_status_t writeMemory(const zetl_thread_t& thread, std::uint32_t space, std::uint64_t address,
                              std::uint64_t bytes, const void* buffer) override;
    zetl_status_t askHistory(std::uint64_t offset, std::uint64_t bytes, const void* request);
    zetl_status_t readHistory(std::uint64_t offset, std::uint64_t bytes, void* buffer);
    zetl_status_t watch(std::uint64_t offset, std::uint64_t bytes, const void* watches);
    zetl_status_t setCondition(std::uint64_t address, std::uint64_t bytes, const void* steps);
    zetl_status_t countConditions(std::uint64_t bytes, void* buffer);
    zetl_status_t takeWatchHits(std::uint64_t offset, std::uint64_t bytes, void* buffer);
    zetl_status_t moduleInfo(zetl_module_t module, zetl_module_info_t& info) override;
    zetl_status_t readImage(zetl_module_t module, std::uint64_t offset, std::uint64_t bytes, void* buffer) override;

    void send(zetl_event_t event);

  private:
    struct Halt {
        zetl_thread_t set;
        std::uint32_t tiles;  ///< tiles that have not answered
        std::uint64_t stopped;
    };
    /// The thread and the control of its tile; nothing if it is not a single thread of the device.
    std::optional<TileThread> locate(const zetl_thread_t& thread) const;
    machine::Control& control(const TileThread& place) const { return device_.tile(place.tile).control(); }
    /// The tiles that a breakpoint of this target's debugger stops.
    machine::TileMask tiles() const noexcept {
        return device_.isSubDevice() ? machine::TileMask{1} << device_.firstTile() : machine::kAllTiles;
    }
    template <class F>
    zetl_status_t onThread(const zetl_thread_t& thread, F&& body) const;
    template <class Slm, class Code, class Memory>
    zetl_status_t inSpace(const zetl_thread_t& thread, std::uint32_t space, std::uint64_t address, Slm&& inSlm,
                          Code&& inCode, Memory&& inMemory) const;

    void receive(std::uint32_t tile, const machine::StopEvent& event);
    void halted(std::uint64_t token, std::uint64_t stopped);
    /// The tiles that the set reaches, each with the set in that tile's own numbering.
    std::vector<TileThread> tilesOf(const zetl_thread_t& set) const;
    zetl_thread_t global(std::uint32_t tile, const machine::ThreadId& thread) const;

    driver::Device& device_;
    Mutex mutex_;
    zetl_sink_t sink_ ZETL_GUARDED_BY(mutex_);
    void* const user_;
    std::map<std::uint64_t, Halt> halts_ ZETL_GUARDED_BY(mutex_);
    std::vector<std::byte> historyAnswer_ ZETL_GUARDED_BY(mutex_);  ///< to the last request
};

/// All targets, the queues that make a process "entered", and the modules that are held until acknowledged.
/// Thread-safe.
class Targets {
  public:
    static Targets& instance();

    provider::Made<provider::Target> open(driver::Device& device, zetl_sink_t sink, void* user);
    void close(Target& target);
    zetl_status_t release(const Target& target, std::uint64_t hold);

    void queueCreated(driver::Device& device);
    void queueDestroyed(driver::Device& device);
    /// Enters the module into the modules' table or removes it, in one step with the event for a debugger: a debugger
    /// that attaches meanwhile hears of the module once, and of its end.
    void moduleCreated(driver::Module& module);
    void moduleDestroyed(driver::Module& module);
    void transferFault(driver::Device& device, std::uint64_t address, bool write, bool forbidden);
    /// Blocks while a debugger has not acknowledged the module's load. The first launch of the process also waits for a
    /// debugger, if ZETL_DEBUG_WAIT asks for that.
    void waitWhileHeld(zetl_module_t module);

  private:
    struct Hold {
        const Target* target;
        std::uint64_t id;
        zetl_module_t module;
    };
    /// Calls f(target) for the targets that see events on the device: one for its root, or one for each tile.
    template <class F>
    void eachConcerned(const driver::Device& device, F&& f) ZETL_REQUIRES(mutex_);
    std::size_t queuesOn(const driver::Device& device) const ZETL_REQUIRES(mutex_);
    bool held(zetl_module_t module) const ZETL_REQUIRES(mutex_);
    void sendLoad(Target& target, zetl_module_t module, std::uint64_t hold);
    /// If none of the module has run yet, it does not run before the debugger acknowledges its load.
    void announce(Target& target, zetl_module_t module) ZETL_REQUIRES(mutex_);

    mutable Mutex mutex_;
    Condition released_;
    std::uint64_t nextHold_ ZETL_GUARDED_BY(mutex_) = 1;
    std::vector<std::shared_ptr<Target>> targets_ ZETL_GUARDED_BY(mutex_);
    std::map<const driver::Device*, std::size_t> queues_ ZETL_GUARDED_BY(mutex_);
    std::vector<Hold> holds_ ZETL_GUARDED_BY(mutex_);  ///< for one module, one per debugger that must acknowledge it
    std::set<zetl_module_t> launched_ ZETL_GUARDED_BY(mutex_);  ///< whose start a debugger that attaches now has missed
    bool doorIsOpen_ ZETL_GUARDED_BY(mutex_) = false;           ///< a debugger came, or the wait for one is over
};

}  // namespace zetl::emulator::access
