#include "emulator/translate/perf_map.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "base/log.h"
#include "base/never_destroyed.h"
#include "base/settings.h"

namespace zetl::emulator::translate {
namespace {

constexpr mode_t kOwnerOnly = 0600;

/// A regular file of this user that has no second name, opened for appending; -1 otherwise.
int openOwn(const std::string& path) {
    const int file =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, kOwnerOnly);
    if (file < 0) return -1;
    struct stat status {};
    const bool own =
        fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() && status.st_nlink == 1;
    if (own) return file;
    ::close(file);
    return -1;
}

bool writeAll(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// What could end the line, or confuse a terminal that shows it, stands for itself no longer.
std::string printable(std::string name) {
    std::ranges::replace_if(
        name, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
    return name;
}

}  // namespace

PerfMap::~PerfMap() {
    if (file_ >= 0) ::close(file_);
}

bool PerfMap::openFile() {
    if (process_ == getpid()) return file_ >= 0;
    if (file_ >= 0) ::close(file_);
    process_ = getpid();
    const std::string path = fmt::format("{}/perf-{}.map", directory_, process_);
    file_ = openOwn(path);
    if (file_ < 0)
        log::error(log::Channel::emulator, "{} cannot be written, or is not ours: host code has no names", path);
    return file_ >= 0;
}

bool PerfMap::add(std::span<const HostSymbol> symbols) {
    std::string text;
    for (const HostSymbol& symbol : symbols)
        text += fmt::format("{:x} {:x} {}\n", symbol.address, symbol.bytes, printable(symbol.name));
    const Lock guard(mutex_);
    return openFile() && writeAll(file_, text);
}

HostNames wantedNames() {
    const char* wish = settings::value(settings::kEmulatorPerfMap);
    if (wish == nullptr) return HostNames::none;
    if (std::string_view(wish) == "lines") return HostNames::lines;
    return std::string_view(wish) == "1" ? HostNames::kernels : HostNames::none;
}

PerfMap& perfMap() {
    static NeverDestroyed<PerfMap> map("/tmp");
    return *map;
}

}  // namespace zetl::emulator::translate
