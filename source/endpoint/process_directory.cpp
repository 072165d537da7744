#include "endpoint/process_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <sstream>

namespace zetl::endpoint {
namespace {

/// Position of the start time among the fields after the command name of /proc/<pid>/stat (proc(5): field 22).
constexpr int kStartTimeAfterName = 19;

template <class T>
std::optional<T> wordOf(const std::string& line, int index) {
    std::istringstream words(line);
    T word{};
    for (int i = 0; i <= index; ++i)
        if (!(words >> word)) return std::nullopt;
    return word;
}

FileDescriptor openDirectory(const std::string& path) {
    return FileDescriptor(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace

bool ProcessDirectory::openSelf(ProcessDirectory& directory) {
    directory.directory_ = openDirectory("/proc/self");
    return static_cast<bool>(directory.directory_);
}

ProcessDirectory::Opening ProcessDirectory::open(pid_t pid, ProcessDirectory& directory) {
    directory.directory_ = openDirectory(fmt::format("/proc/{}", pid));
    if (directory.directory_) return Opening::open;
    return kill(pid, 0) == 0 || errno == EPERM ? Opening::hidden : Opening::absent;
}

std::string ProcessDirectory::text(const char* file) const {
    constexpr std::size_t kMost = 1 << 20;
    const FileDescriptor opened(openat(descriptor(), file, O_RDONLY | O_CLOEXEC));
    std::string text;
    char piece[4096];
    for (ssize_t got = 1; opened && got > 0 && text.size() < kMost;) {
        got = read(opened.get(), piece, sizeof piece);
        if (got > 0) text.append(piece, static_cast<std::size_t>(got));
    }
    return text;
}

std::string ProcessDirectory::statusLine(const std::string& key) const {
    const auto status = fmt::format("\n{}", text("status"));
    const auto begin = status.find(fmt::format("\n{}:", key));
    if (begin == std::string::npos) return {};
    const auto value = begin + key.size() + 2;
    return status.substr(value, status.find('\n', value) - value);
}

std::optional<std::string> ProcessDirectory::startTime() const {
    const auto stat = text("stat");
    const auto nameEnd = stat.rfind(')');
    if (nameEnd == std::string::npos) return std::nullopt;
    return wordOf<std::string>(stat.substr(nameEnd + 1), kStartTimeAfterName);
}

std::optional<pid_t> ProcessDirectory::ownPid() const {
    const auto line = statusLine("NSpid");  // outermost namespace first
    std::istringstream words(line);
    std::optional<pid_t> innermost;
    for (pid_t pid = 0; words >> pid;) innermost = pid;
    return innermost;
}

std::optional<uid_t> ProcessDirectory::user() const { return wordOf<uid_t>(statusLine("Uid"), 1); }

std::optional<uid_t> ProcessDirectory::ownUser() const {
    const auto user = this->user();
    const auto space = namespaceNumber("user");
    ProcessDirectory self;
    if (!user || !space || !openSelf(self)) return std::nullopt;
    // Ids on the right are those of the reader's namespace, or of the one around it if both processes are in the same.
    const bool same = self.namespaceNumber("user") == space;
    std::istringstream map(text("uid_map"));
    for (std::uint64_t inside = 0, outside = 0, count = 0; map >> inside >> outside >> count;) {
        const auto first = same ? inside : outside;
        if (*user >= first && *user - first < count) return static_cast<uid_t>(inside + (*user - first));
    }
    return std::nullopt;
}

std::optional<std::uint64_t> ProcessDirectory::namespaceNumber(const char* kind) const {
    struct stat found {};
    if (fstatat(descriptor(), fmt::format("ns/{}", kind).c_str(), &found, 0) != 0) return std::nullopt;
    return found.st_ino;
}

std::string ProcessDirectory::environment(const std::string& variable) const {
    const auto all = std::string(1, '\0') + text("environ");
    const auto key = std::string(1, '\0') + variable + "=";
    const auto begin = all.find(key);
    if (begin == std::string::npos) return {};
    return all.substr(begin + key.size(), all.find('\0', begin + key.size()) - begin - key.size());
}

}  // namespace zetl::endpoint
