#include "debug/endpoint_name.h"

#include <fmt/format.h>
#include <sys/socket.h>

namespace zetl::debug {

std::string endpointName(const ProcessDirectory& process) {
    const auto space = process.namespaceNumber("pid");
    const auto pid = process.ownPid();
    const auto start = process.startTime();
    return space && pid && start ? fmt::format("{}{}-{}-{}", kEndpointPrefix, *space, *pid, *start) : std::string();
}

sockaddr_un socketAddress(int directory, const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto path = fmt::format("/proc/self/fd/{}/{}", directory, name);
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
}

}  // namespace zetl::debug
