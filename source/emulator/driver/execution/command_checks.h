// How commands and the host's waits are reported to zetl check. All functions do nothing if nothing is checked, and are
// thread-safe unless they say otherwise; none throws.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/check/command_order.h"
#include "emulator/check/command_records.h"
#include "emulator/driver/execution/operation.h"

namespace zetl::emulator::driver {

class Stream;

/// The command that is executed. Belongs to the thread that executes it.
struct CheckedCommand {
    check::CommandOrder::Command order;
    const char* name = "";
    std::uint32_t launches = 0;                    ///< of kernels, so far
    std::shared_ptr<check::CommandRecord> record;  ///< of what it copies, once it does
};

/// For reports about what the command copies; null if there is no memory for it.
std::shared_ptr<const check::CommandRecord> recordOf(CheckedCommand& command) noexcept;

using CheckedTicket = check::CommandOrder::Ticket;

/// A stream is given commands. Without memory they are not checked.
CheckedTicket noteSubmission(const Stream& stream,
                             const std::vector<std::shared_ptr<const CommandSequence>>& sequences) noexcept;

/// An execution of a submission, command by command. Not thread-safe.
class CheckedRun {
  public:
    CheckedRun(check::CommandOrder::Stream& stream, const CheckedTicket& ticket) noexcept;
    CheckedRun(const CheckedRun&) = delete;
    CheckedRun& operator=(const CheckedRun&) = delete;

    /// What follows is ordered behind all that the stream has begun.
    void separate() noexcept;
    /// The command's waits are over.
    void begin(const Command& command) noexcept;
    /// It has run, and is about to signal.
    void end(const Command& command) noexcept;
    /// It is done with, whether it was executed or not.
    void pass(const Command& command) noexcept;
    /// Null if nothing is checked.
    CheckedCommand* current() noexcept { return number_ != 0 ? &current_ : nullptr; }

  private:
    check::CommandOrder::Stream& stream_;
    const CheckedTicket& ticket_;
    std::uint64_t number_;  ///< of the current command; 0: nothing is checked
    CheckedCommand current_;
    std::optional<std::uint32_t> opened_;  ///< host memory, while the command runs; what HostAccesses::open() returned
};

/// The stream is lost, which nobody can have seen yet: a host that sees it may end what commands would have used.
void noteLoss(const Stream& stream) noexcept;
/// A submission ends, and signals `done`, which may be null.
void noteEnd(check::CommandOrder::Stream& stream, const std::shared_ptr<SignalState>& done) noexcept;

void noteReset(const std::shared_ptr<SignalState>& state) noexcept;
void noteHostSignal(const std::shared_ptr<SignalState>& state) noexcept;
/// The host has seen that the state is signalled, that all submissions of a stream have ended, or that all have.
void noteSeen(const std::shared_ptr<SignalState>& state) noexcept;
void noteSeen(const check::CommandOrder::Stream& stream) noexcept;
void noteAllSeen() noexcept;
/// A thread of ours is about to execute what the host has just submitted: lets the host come to what it does next, if
/// that is looked at.
void giveHostTime() noexcept;
/// A command calls the host.
void noteHostCall(const CheckedCommand* command) noexcept;

}  // namespace zetl::emulator::driver
