// Descriptors of other processes.
#pragma once

#include "base/file_descriptor.h"

namespace zetl {

/// A descriptor for the open file behind another process's. None, with errno set, if that process runs as another user
/// (what may be traced includes other users' processes, of which a privileged process is not to be a tool), has no such
/// descriptor, or does not let this process trace it.
FileDescriptor fetchDescriptor(int process, int descriptor) noexcept;

}  // namespace zetl
