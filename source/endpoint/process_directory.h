// A process, through /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/file_descriptor.h"

namespace zetl::endpoint {

/// The directory of a process below /proc. Once open it means that process and no later one with the same pid: when the
/// process has ended, reading anything in it fails with "no such process". It shows what the kernel lets the caller
/// see; environment, root and namespaces need permission to read the process as defined in ptrace(2).
class ProcessDirectory {
  public:
    enum class Opening { open, absent, hidden };
    /// `hidden`: the process exists, but /proc does not show it to this user.
    static Opening open(pid_t pid, ProcessDirectory& directory);
    /// Opens this process, whatever its pid in the pid namespace of /proc is. Returns false if /proc does not show it.
    static bool openSelf(ProcessDirectory& directory);

    int descriptor() const noexcept { return directory_.get(); }

    /// Start of the process in clock ticks since boot: with the pid, an identity that is not used again.
    std::optional<std::string> startTime() const;
    /// Its pid in its own pid namespace.
    std::optional<pid_t> ownPid() const;
    /// Its effective user, as a number of the caller's user namespace.
    std::optional<uid_t> user() const;
    /// Its effective user, as a number of its own user namespace. Nothing if it has no number there, since it would
    /// look like every other user without one.
    std::optional<uid_t> ownUser() const;
    /// The number of a namespace, "pid" or "user"; nothing if the caller may not read the process.
    std::optional<std::uint64_t> namespaceNumber(const char* kind) const;
    /// A variable of the environment with which it was started; empty if unset or unreadable.
    std::string environment(const std::string& variable) const;

  private:
    /// At most 1 MiB; empty if it cannot be read.
    std::string text(const char* file) const;
    std::string statusLine(const std::string& key) const;

    FileDescriptor directory_;
};

}  // namespace zetl::endpoint
