// Where a user's processes that count and that read counters find each other.
#pragma once

#include <optional>
#include <string>

#include "emulator/machine/machine.h"
#include "endpoint/listening.h"

namespace zetl::emulator::peers {

/// What endpoints are for. A connection to a process that counts makes it look for readers; a process that counts on
/// one device connects to the endpoint of each reader of that device.
inline constexpr const char* kCountingKind = "counting";
std::string readingKind(const machine::Device& device);
/// The same for readers of samples.
std::string samplingKind(const machine::Device& device);

/// The directory of the user's session: the first directory of endpoint::UserDirectory that this process can use.
/// Processes with the same XDG_RUNTIME_DIR agree on it.
class MeetingPlace {
  public:
    /// Nothing, with the reason and what helps, if there is none: no /proc, no directory, or raised privileges. There
    /// may be a reason beside a place, too: a directory that was passed over, because somebody else has its name.
    static std::optional<MeetingPlace> find(std::string& refusal);

    /// Listens under this process's name. If it cannot, there is no socket, and the result has errno.
    endpoint::Listening listen(const std::string& kind) const;
    /// Names of other processes' endpoints.
    std::vector<std::string> others(const std::string& kind) const;
    /// A non-blocking connection to the endpoint, or none. Removes the name of a dead endpoint. Connects only to
    /// processes of this user.
    FileDescriptor connect(const std::string& name) const;
    /// Removes the name if no process listens there. Returns false if one does.
    bool removeIfDead(const std::string& name) const;
    int descriptor() const noexcept { return opened_.get(); }

  private:
    MeetingPlace(FileDescriptor root, endpoint::UserDirectory directory, FileDescriptor opened,
                 endpoint::ProcessDirectory self);

    FileDescriptor root_;
    endpoint::UserDirectory directory_;
    FileDescriptor opened_;
    endpoint::ProcessDirectory self_;
};

/// Whether a process of this user is at the other end.
bool isOwnUsers(int socket) noexcept;
/// The pid of the process at the other end, in this process's namespace; 0 if it has none here.
pid_t processAt(int socket) noexcept;

}  // namespace zetl::emulator::peers
