// A target in another process, reached through its debug agent.
#pragma once

#include "base/file_descriptor.h"
#include "debug/target.h"

namespace zetl::debug {

/// NOT_READY: the process has no agent (yet), or the agent does not answer. MISUSE: there is no such process. Also
/// NEEDS_PRIVILEGE, BUSY, UNSUPPORTED (the other side has another version), GONE (it has no such device), LOST. Throws
/// std::bad_alloc if the system gives no thread.
Opened openRemoteTarget(const device::Device& device, std::uint64_t pid, EventSink sink);

/// The target behind a connection on which both sides have verified each other. Calls return GONE once it has ended,
/// and LOST if there is no answer in two seconds, or in the time that the bytes take at 1 MB/s. Answers and events that
/// the device cannot have given are not passed on.
std::unique_ptr<Target> makeRemoteTarget(FileDescriptor socket, const device::Device& device, EventSink sink);

}  // namespace zetl::debug
