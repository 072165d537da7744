#include "emulator/peers/use_record.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <type_traits>
#include <vector>

namespace zetl::emulator::peers {
namespace {

constexpr std::uint32_t kMostDevices = 64;

/// Both ends are processes of one host: structures travel in memory order.
struct Entry {
    std::uint32_t vendor = 0;
    std::uint32_t device = 0;
    std::uint32_t revision = 0;
    std::uint32_t index = 0;
    DeviceUse use;
};
struct Head {
    std::uint32_t magic = 0x5A455553u;
    std::uint32_t version = 1;
    std::uint32_t entryBytes = sizeof(Entry);
    std::uint32_t entries = 0;
};
static_assert(std::is_trivially_copyable_v<Entry> && std::is_trivially_copyable_v<Head>);

Entry entryOf(const machine::Device& device) {
    const auto& profile = device.profile();
    return {profile.vendorId, profile.deviceId, profile.revision, device.index(), {}};
}

bool sameDevice(const Entry& a, const Entry& b) noexcept {
    return a.vendor == b.vendor && a.device == b.device && a.revision == b.revision && a.index == b.index;
}

}  // namespace

std::string pastName(const machine::Device& device) {
    const Entry entry = entryOf(device);
    return fmt::format("used.{:x}.{:x}.{:x}.{}", entry.vendor, entry.device, entry.revision, entry.index);
}

bool answerUse(int socket, machine::Machine& machine) {
    Head head;
    head.entries = std::min(machine.devices(), kMostDevices);
    std::vector<Entry> entries;
    for (std::uint32_t i = 0; i < head.entries; ++i) {
        entries.push_back(entryOf(machine.device(i)));
        entries.back().use = useOf(machine.device(i));
    }
    iovec parts[] = {{&head, sizeof head}, {entries.data(), entries.size() * sizeof(Entry)}};
    msghdr record{};
    record.msg_iov = parts;
    record.msg_iovlen = std::size(parts);
    return sendmsg(socket, &record, MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
}

std::optional<DeviceUse> readUse(int socket, const machine::Device& device) {
    Head head;
    std::vector<Entry> entries(kMostDevices);
    iovec parts[] = {{&head, sizeof head}, {entries.data(), entries.size() * sizeof(Entry)}};
    msghdr record{};
    record.msg_iov = parts;
    record.msg_iovlen = std::size(parts);
    const auto got = recvmsg(socket, &record, MSG_DONTWAIT);
    const Head ours{};
    if (got < ssize_t{sizeof head} || head.magic != ours.magic || head.version != ours.version ||
        head.entryBytes != ours.entryBytes || head.entries > kMostDevices ||
        static_cast<std::size_t>(got) != sizeof head + head.entries * sizeof(Entry))
        return std::nullopt;
    entries.resize(head.entries);
    const Entry wanted = entryOf(device);
    const auto found = std::ranges::find_if(entries, [&](const Entry& each) { return sameDevice(each, wanted); });
    if (found == entries.end() || !found->use.plausible()) return std::nullopt;
    return found->use;
}

}  // namespace zetl::emulator::peers
