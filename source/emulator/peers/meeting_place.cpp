#include "emulator/peers/meeting_place.h"

#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <vector>

#include "base/settings.h"
#include "endpoint/name.h"

namespace zetl::emulator::peers {
namespace {

constexpr const char* kRuntimeDirectory = "XDG_RUNTIME_DIR";
/// Connections that a reader has not taken yet.
constexpr int kBacklog = 256;

std::vector<endpoint::UserDirectory> sharedDirectories(std::optional<uid_t> user, const std::string& runtime) {
    auto all = endpoint::UserDirectory::of(user, runtime, "");
    std::erase_if(all, [](const auto& each) { return each.ofOneProcess; });
    if (user) std::ranges::copy(endpoint::UserDirectory::spare(*user), std::back_inserter(all));
    return all;
}

std::string kindOf(const char* what, const machine::Device& device) {
    const auto& profile = device.profile();
    return fmt::format("{}.{:x}.{:x}.{:x}.{}", what, profile.vendorId, profile.deviceId, profile.revision,
                       device.index());
}

}  // namespace

std::string readingKind(const machine::Device& device) { return kindOf("reading", device); }
std::string samplingKind(const machine::Device& device) { return kindOf("sampling", device); }

bool isOwnUsers(int socket) noexcept {
    ucred peer{0, static_cast<uid_t>(-1), static_cast<gid_t>(-1)};
    socklen_t size = sizeof peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

pid_t processAt(int socket) noexcept {
    ucred peer{};
    socklen_t size = sizeof peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

MeetingPlace::MeetingPlace(FileDescriptor root, endpoint::UserDirectory directory, FileDescriptor opened,
                           endpoint::ProcessDirectory self)
    : root_(std::move(root)), directory_(std::move(directory)), opened_(std::move(opened)), self_(std::move(self)) {}

std::optional<MeetingPlace> MeetingPlace::find(std::string& refusal) {
    refusal = "this process has raised privileges";
    if (getauxval(AT_SECURE) != 0) return std::nullopt;
    refusal = "/proc does not show this process; mount it";
    endpoint::ProcessDirectory self;
    if (!endpoint::ProcessDirectory::openSelf(self)) return std::nullopt;
    auto root = endpoint::rootOf(self);
    if (!root || endpoint::endpointName(kCountingKind, self).empty()) return std::nullopt;
    refusal = "there is no directory for the user's sockets; make XDG_RUNTIME_DIR or /tmp writable";
    const auto runtime = settings::text(kRuntimeDirectory).value_or("");
    std::string taken;
    for (const auto& directory : sharedDirectories(self.ownUser(), runtime)) {
        auto opened = endpoint::openUserDirectory(root.get(), directory, geteuid(), true);
        if (taken.empty()) taken = opened.refusal;
        if (!opened.descriptor) continue;
        refusal =
            taken.empty() ? "" : fmt::format("{}; {}/{} serves meanwhile", taken, directory.parent, directory.name);
        return MeetingPlace(std::move(root), directory, std::move(opened.descriptor), std::move(self));
    }
    if (!taken.empty()) refusal = taken;
    return std::nullopt;
}

endpoint::Listening MeetingPlace::listen(const std::string& kind) const {
    return endpoint::listenBelow(root_.get(), directory_, endpoint::endpointName(kind, self_), kBacklog);
}

std::vector<std::string> MeetingPlace::others(const std::string& kind) const {
    auto names = endpoint::endpointsIn(opened_.get(), kind);
    std::erase(names, endpoint::endpointName(kind, self_));
    return names;
}

FileDescriptor MeetingPlace::connect(const std::string& name) const {
    auto socket = endpoint::connectIn(opened_.get(), name, 0);
    if (!socket && errno == ECONNREFUSED) unlinkat(opened_.get(), name.c_str(), 0);
    return socket && isOwnUsers(socket.get()) ? std::move(socket) : FileDescriptor();
}

bool MeetingPlace::removeIfDead(const std::string& name) const {
    if (endpoint::connectIn(opened_.get(), name, 0)) return false;
    const int error = errno;
    if (error == ECONNREFUSED) unlinkat(opened_.get(), name.c_str(), 0);
    return error == ECONNREFUSED || error == ENOENT;
}

}  // namespace zetl::emulator::peers
