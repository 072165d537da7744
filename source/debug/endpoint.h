// Where the debug agent of a process listens.
//
// A socket in a directory that only the process's user can enter (user_directory.h), so that nobody else can take its
// name or reach it, and that debuggers in another network namespace find it.
#pragma once

#include <memory>
#include <string>

#include "base/file_descriptor.h"
#include "debug/process_directory.h"
#include "debug/published_name.h"

namespace zetl::debug {

/// A listening SEQPACKET socket of this process. The name goes with this or with the process's ordinary end; when it
/// was killed, with the start of a later agent in the same directory.
struct Listening {
    FileDescriptor socket;  ///< none: the log said why
    std::unique_ptr<PublishedName> name;
    std::string path;
};
Listening listenForDebuggers();

enum class Connecting {
    connected,
    absent,  ///< nobody listens (yet)
    denied,  ///< the kernel does not let this user reach that process
    silent   ///< whoever listens accepts nobody for two seconds
};
Connecting connectTo(const ProcessDirectory& process, FileDescriptor& socket);

}  // namespace zetl::debug
