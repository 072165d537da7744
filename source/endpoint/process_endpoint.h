// The endpoint of a process for one purpose, in the best directory that its user has.
#pragma once

#include <functional>
#include <string>

#include "endpoint/listening.h"

namespace zetl::endpoint {

/// The process cannot have an endpoint, or none of its directories can be used.
enum class Listens { yes, hidden /* /proc does not show this process */, nowhere };

/// A listening socket of this process. `passedOver` is called for each directory that could not be used.
Listens listenAs(const std::string& kind, Listening& listening,
                 const std::function<void(const Listening&)>& passedOver);

enum class Connecting {
    connected,
    absent,  ///< no process listens (yet)
    denied,  ///< the kernel does not let this user reach that process
    silent   ///< the listener has not accepted a connection for two seconds
};
/// `distrusted` is called with cause and remedy for each directory that must not be trusted.
Connecting connectTo(const ProcessDirectory& process, const std::string& kind, FileDescriptor& socket,
                     const std::function<void(const std::string&)>& distrusted);

}  // namespace zetl::endpoint
