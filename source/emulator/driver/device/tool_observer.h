// What tools see of the driver's objects: the hooks of the device-access provider.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "emulator/driver/device/executed_command.h"

namespace zetl::emulator::driver {

class Device;
class Module;

/// Called on the thread whose call caused the event, with no lock of the driver held.
class ToolObserver {
  public:
    virtual ~ToolObserver() = default;
    /// A command queue or an immediate list was created or destroyed.
    virtual void queueCreated(Device&) {}
    virtual void queueDestroyed(Device&) {}
    /// The module's code is installed; the application does not have the handle yet.
    virtual void moduleCreated(Module&) {}
    /// The application destroyed the handle. The code stays while a kernel or a list can still launch it.
    virtual void moduleDestroyed(Module&) {}
    /// A worker is about to launch a kernel of the module. May block, for instance until a debugger has acknowledged
    /// the module; the stream waits then.
    virtual void launching(Module&) {}
    /// A copy or fill accessed memory that does not exist or (`forbidden`) may not be used so; its queue is lost.
    virtual void transferFault(Device&, std::uint64_t /*address*/, bool /*write*/, bool /*forbidden*/) {}
    /// A worker has executed a command. Called only if commandsFollowed() was set when it began the command.
    virtual void commandExecuted(Device&, const ExecutedCommand&) noexcept {}
    /// Returns a native binary to load in the place of this one, or nothing to keep it.
    virtual std::optional<std::vector<std::uint8_t>> rewrite(Device&, std::span<const std::uint8_t> /*binary*/) {
        return std::nullopt;
    }
};

/// The observer of the process, at most one: the provider passes its calls on to everything that is interested. Null
/// removes it; calls in progress may still end afterwards. Thread-safe.
void setToolObserver(std::shared_ptr<ToolObserver> observer);
/// Null if there is none.
std::shared_ptr<ToolObserver> toolObserver();

/// Whether commands are to be reported: workers check this before each command.
std::atomic<bool>& commandsFollowed() noexcept;

}  // namespace zetl::emulator::driver
