#include "emulator/peers/past_use.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <type_traits>

#include "base/write_signals.h"

namespace zetl::emulator::peers {
namespace {

constexpr std::chrono::milliseconds kBetweenTries{1};

struct Content {
    std::uint64_t magic = 0x5A45'5453'4150'0001;  ///< with the version of the rest
    DeviceUse use;
};
static_assert(std::is_trivially_copyable_v<Content>);

}  // namespace

std::optional<PastUse> PastUse::lock(int directory, const std::string& name, std::chrono::milliseconds patience) {
    FileDescriptor file(openat(directory, name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    struct stat found {};
    if (!file || fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
    const auto end = std::chrono::steady_clock::now() + patience;
    while (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (std::chrono::steady_clock::now() >= end) return std::nullopt;
        std::this_thread::sleep_for(kBetweenTries);
    }
    return PastUse(std::move(file));
}

DeviceUse PastUse::read() const {
    Content content;
    const bool whole = pread(file_.get(), &content, sizeof content, 0) == ssize_t{sizeof content};
    return whole && content.magic == Content{}.magic && content.use.plausible() ? content.use : DeviceUse{};
}

bool PastUse::add(const DeviceUse& use) const {
    if (!use.plausible()) return false;
    Content content;
    content.use = read();
    content.use.addGrowth(use, {});
    if (!content.use.plausible()) return false;
    const WriteSignalsHeld held;  // the host may limit the size of files
    return pwrite(file_.get(), &content, sizeof content, 0) == ssize_t{sizeof content};
}

}  // namespace zetl::emulator::peers
