// Where the debug agent of a process listens, and who is at the other end of a connection.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace zetl::debug {

/// A file descriptor, closed with its owner.
class Descriptor {
  public:
    explicit Descriptor(int value = -1) noexcept : value_(value) {}
    Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor();
    int get() const noexcept { return value_; }
    explicit operator bool() const noexcept { return value_ >= 0; }
    int release() noexcept;

  private:
    int value_;
};

/// The name, in the abstract socket namespace, of the agent of that process: from pid and start time, so that a later
/// process of the same pid has another. Nothing if there is no such process. Abstract names need no directory and
/// vanish with the process; anybody may bind one, so each end verifies the other by the kernel's credentials.
std::optional<std::string> endpointName(pid_t pid);

/// A listening SEQPACKET socket; empty if the name is taken or the host refuses.
Descriptor listenAt(const std::string& name);
/// Empty if nobody listens, or if whoever does accepts nobody for two seconds.
Descriptor connectTo(const std::string& name);

struct Peer {
    pid_t pid;
    uid_t uid;
};
std::optional<Peer> peerOf(int socket);

/// True if a process of that user may debug this one: the same effective user and this process is dumpable, or root.
bool mayDebugUs(uid_t uid);

}  // namespace zetl::debug
