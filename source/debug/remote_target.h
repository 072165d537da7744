// A target in another process, reached through its debug agent.
#pragma once

#include "base/file_descriptor.h"
#include "debug/target.h"

namespace zetl::debug {

/// NOT_READY: the process has no agent (yet), or it does not answer; MISUSE: there is no such process; NEEDS_PRIVILEGE,
/// BUSY, UNSUPPORTED (the other side is of another version), GONE (it has no such device), LOST. Throws std::bad_alloc
/// where the system gives no thread.
Opened openRemoteTarget(const device::Device& device, std::uint64_t pid, EventSink sink);

/// The target behind a connection on which both sides have made sure of each other. Calls answer GONE once it ended,
/// and LOST if there is no answer in two seconds, or in the time that the bytes take at 1 MB/s. An answer or an event
/// that the device cannot have given is not passed on.
std::unique_ptr<Target> makeRemoteTarget(FileDescriptor socket, const device::Device& device, EventSink sink);

}  // namespace zetl::debug
