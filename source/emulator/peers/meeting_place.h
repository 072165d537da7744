// Where the processes of a user that count and that read counters find each other.
#pragma once

#include <optional>
#include <string>

#include "emulator/machine/machine.h"
#include "endpoint/listening.h"

namespace zetl::emulator::peers {

/// What endpoints are for: a process that counts is told there to look for readers; a reader of one device is connected
/// to there by whoever counts on it.
inline constexpr const char* kCountingKind = "counting";
std::string readingKind(const machine::Device& device);

/// The directory of the user's session: the first of those that endpoint::UserDirectory names which this process can
/// use. Processes with the same XDG_RUNTIME_DIR agree on it.
class MeetingPlace {
  public:
    /// Nothing, with the reason and what helps, if there is none: no /proc, no directory, or raised privileges. There
    /// may be a reason beside a place, too: a directory that was passed over, because somebody else has its name.
    static std::optional<MeetingPlace> find(std::string& refusal);

    /// Listens under this process's name; without a socket it cannot, with errno.
    endpoint::Listening listen(const std::string& kind) const;
    /// Names of other processes' endpoints.
    std::vector<std::string> others(const std::string& kind) const;
    /// A non-blocking connection to the endpoint, or none. The name of a dead one is removed. Only processes of this
    /// user are connected to.
    FileDescriptor connect(const std::string& name) const;
    /// Removes the name if nobody listens there. False: somebody does.
    bool removeIfDead(const std::string& name) const;

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

}  // namespace zetl::emulator::peers
