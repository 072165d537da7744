// One action of a device on behalf of a command: the base of everything that can be appended to a list.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/driver/device/executed_command.h"
#include "emulator/driver/execution/signal_state.h"
#include "emulator/machine/memory/quiescence.h"
#include "emulator/machine/transfers.h"

namespace zetl::emulator::driver {

class Device;
class EventCounter;
struct CheckedCommand;

/// New states in the place of former ones.
using StateMap = std::map<std::shared_ptr<SignalState>, std::shared_ptr<SignalState>>;
/// What a command does, as names and values for a person.
using CommandDetails = std::vector<std::pair<const char*, std::string>>;

/// Whether a queue is lost, for objects that outlive the queue.
using Loss = std::shared_ptr<const std::atomic<bool>>;

/// The context of a running operation. Belongs to one worker thread.
struct Execution {
    Device& device;
    machine::Quiescence::Reader& memoryReader;
    const Loss& queueLost;
    machine::Transfers::Engine engine;
    /// Start and end in device ticks. The worker takes both around run(); an operation that knows the times more
    /// precisely overwrites them.
    SignalState::Times times;
    bool timesKnown = false;
    CheckedCommand* checked = nullptr;  ///< null: nothing is checked
    std::uint64_t submission = 0;       ///< InFlight::begin()
    std::uint64_t behind = 0;           ///< WorkOrder::behind(), and then the end of its own launches
};

/// For checks: what a command may use.
struct Footprint {
    std::vector<std::uint64_t> addresses;                ///< that it was given
    std::string kernel;                                  ///< name of what it launches
    const void* kernelMemory = nullptr;                  ///< stands for that kernel, which may be gone; only compared
    const void* module = nullptr;                        ///< only compared
    std::vector<std::weak_ptr<const void>> places = {};  ///< keep the addresses of both from being used again
};

/// Immutable once recorded: a closed list may be executed several times, also by several queues at once.
class Operation {
  public:
    virtual ~Operation() = default;
    /// Returns false if it ended in a fault, which it has logged: the queue is lost then.
    virtual bool run(Execution& execution) const = 0;
    virtual CommandKind kind() const noexcept { return CommandKind::other; }
    /// For logs.
    virtual const char* name() const noexcept = 0;
    virtual CommandDetails details() const { return {}; }
    /// False if it only orders, waits, signals or reads the clock.
    virtual bool isWork() const noexcept { return kind() == CommandKind::kernel || kind() == CommandKind::copy; }
    /// How many launches it may make, or 1.
    virtual std::uint32_t steps() const noexcept { return 1; }
    virtual void addTo(Footprint&) const {}
    /// The event that it makes unsignalled; null if none.
    virtual const SignalState* resets() const noexcept { return nullptr; }
    /// A copy that reads these states in the place of others; null if it reads none of them.
    virtual std::shared_ptr<const Operation> withStates(const StateMap&) const { return nullptr; }
};

/// A recorded command: wait for all of `waits`, run, signal. Its events stay valid as long as the command exists.
struct Command {
    std::vector<std::shared_ptr<SignalState>> waits;  ///< null: waits for nothing
    std::shared_ptr<const Operation> operation;       ///< null: it only waits and signals
    std::shared_ptr<SignalState> signal;              ///< null: nothing to signal
    bool renewsSignal = false;                        ///< counter-based: `signal` is reset when the list is submitted
    std::shared_ptr<EventCounter> counter;            ///< null: nobody may poll the signal
    bool inOrder = true;                              ///< behind all that its list has before it
    std::uint64_t count = 0;                          ///< what the counter holds from the signal on
};

using CommandSequence = std::vector<Command>;

}  // namespace zetl::emulator::driver
