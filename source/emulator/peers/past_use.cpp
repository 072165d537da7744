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

constexpr int kTries = 20;
constexpr std::chrono::milliseconds kBetweenTries{1};

struct Content {
    std::uint64_t magic = 0x5A45'5453'4150'0001;  ///< with the version of the rest
    DeviceUse use;
};
static_assert(std::is_trivially_copyable_v<Content>);

}  // namespace

std::optional<PastUse> PastUse::lock(int directory, const std::string& name) {
    FileDescriptor file(openat(directory, name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    struct stat found {};
    if (!file || fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
    for (int tries = 0; tries < kTries; ++tries) {
        if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) return PastUse(std::move(file));
        std::this_thread::sleep_for(kBetweenTries);
    }
    return std::nullopt;
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
