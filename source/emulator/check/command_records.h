// What is known of each command that accesses memory, for the reports about it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "emulator/check/command_order.h"
#include "emulator/machine/code/loaded_program.h"
#include "emulator/machine/dispatch.h"

namespace zetl::emulator::check {

/// "file:line" of the instruction at a device address; empty if nothing is known.
using SourceOf = std::function<std::string(std::uint64_t address)>;

struct CommandRecord {
    std::uint64_t number = 0;
    std::string name;   ///< of a command that is no launch: "memory copy"; otherwise empty
    bool host = false;  ///< it is an access of the host
    Clock before;
    // Of a launch:
    std::string kernel;
    std::uint64_t kernelOffset = 0;
    machine::Extent groups{};
    SourceOf source;
    std::atomic<const machine::LoadedProgram*> program{nullptr};  ///< set by its first thread; programs stay known
};

/// Thread-safe.
class CommandRecords {
  public:
    void add(std::shared_ptr<CommandRecord> record);
    /// Null if it is not known, or was long ago.
    std::shared_ptr<CommandRecord> find(std::uint64_t number) const;

  private:
    static constexpr std::size_t kMost = 1 << 14;

    mutable Mutex mutex_;
    std::map<std::uint64_t, std::shared_ptr<CommandRecord>> records_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::check
