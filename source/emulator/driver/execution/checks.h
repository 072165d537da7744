// What zetl check looks at in this process, and where it writes what it finds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/mutex.h"
#include "check/finding.h"
#include "emulator/check/checker.h"
#include "emulator/check/command_order.h"
#include "emulator/check/image_check.h"
#include "emulator/check/init_check.h"
#include "emulator/check/number_check.h"
#include "emulator/check/precision_check.h"
#include "emulator/driver/execution/call_sites.h"
#include "emulator/driver/execution/checked_modules.h"
#include "emulator/driver/execution/group_atomics.h"
#include "emulator/driver/execution/host_accesses.h"
#include "emulator/driver/execution/unfinished_commands.h"

namespace zetl::emulator::driver {

/// Where findings go: a line of JSON each. A forked child, whose machine is lost, has none. Thread-safe.
class FindingFile {
  public:
    /// Makes the file, which also says that this process was checked.
    void open();
    void write(const zetl::check::Finding& finding) noexcept;
    void write(const std::vector<zetl::check::Finding>& findings) noexcept;

  private:
    Mutex mutex_;
    FileDescriptor file_ ZETL_GUARDED_BY(mutex_);
    std::string path_ ZETL_GUARDED_BY(mutex_);  ///< of the file, without its suffix
    bool isIncomplete_ ZETL_GUARDED_BY(mutex_) = false;

    void markIncomplete() ZETL_REQUIRES(mutex_);
};

/// Thread-safe.
struct Checks {
    Checks(machine::Machine& machine, zetl::check::Groups wanted);

    const zetl::check::Groups groups;
    check::Checker checker;
    std::optional<check::ImageCheck> images;
    std::optional<check::InitCheck> init;
    std::optional<check::NumberCheck> numbers;
    std::optional<check::PrecisionCheck> precision;
    check::CommandOrder order;
    UnfinishedCommands unfinished;
    HostAccesses host;
    CheckedModules modules;
    GroupAtomics groupAtomics;
    CallSites made;   ///< of allocations, by id
    CallSites freed;  ///< of the same
    FindingFile file;
};

/// Null if nothing is checked, which the first call decides. Never destroyed: launches may end while the process exits.
Checks* checks();

}  // namespace zetl::emulator::driver
