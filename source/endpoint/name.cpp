#include "endpoint/name.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>

namespace zetl::endpoint {

std::string endpointName(const std::string& kind, const ProcessDirectory& process) {
    const auto space = process.namespaceNumber("pid");
    const auto pid = process.ownPid();
    const auto start = process.startTime();
    return space && pid && start ? fmt::format("{}-{}-{}-{}", kind, *space, *pid, *start) : std::string();
}

bool isOfKind(const std::string& name, const std::string& kind) {
    return name.starts_with(kind) && name.size() > kind.size() && name[kind.size()] == '-';
}

std::vector<std::string> namesIn(int directory) {
    constexpr std::size_t kMost = 4096;
    std::vector<std::string> names;
    FileDescriptor readable(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!readable) return names;
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(fdopendir(readable.get()), closedir);
    if (!listing) return names;
    static_cast<void>(readable.release());  // owned by the listing from now on
    while (names.size() < kMost) {
        const dirent* const entry = readdir(listing.get());
        if (!entry) break;
        names.emplace_back(entry->d_name);
    }
    return names;
}

std::vector<std::string> endpointsIn(int directory, const std::string& kind) {
    auto names = namesIn(directory);
    std::erase_if(names, [&](const std::string& name) { return !isOfKind(name, kind); });
    return names;
}

sockaddr_un socketAddress(int directory, const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto path = fmt::format("/proc/self/fd/{}/{}", directory, name);
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
}

}  // namespace zetl::endpoint
