#include "files/output_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <system_error>

namespace zetl::command {
namespace {

constexpr int kMostLinks = 40;  // as many as the kernel follows
constexpr mode_t kMode = 0666;

/// A link that was looked at: what it says now, whatever becomes of its name.
class Link {
  public:
    explicit Link(const std::filesystem::path& path)
        : path_(path), descriptor_(open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)) {}
    ~Link() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    /// Empty if it may be followed.
    std::string refusal() const {
        struct stat facts {};
        if (descriptor_ < 0 || fstat(descriptor_, &facts) != 0) return std::strerror(errno);
        if (!S_ISLNK(facts.st_mode) || facts.st_uid == geteuid() || facts.st_uid == 0) return "";
        return fmt::format("a symbolic link of another user (uid {}); name the file that it leads to", facts.st_uid);
    }

    /// Those of /proc lead to open files, which need no name.
    bool isOfProc() const {
        struct statfs facts {};
        return fstatfs(descriptor_, &facts) == 0 && facts.f_type == PROC_SUPER_MAGIC;
    }

    std::filesystem::path target() const {
        char text[PATH_MAX];
        const auto size = readlinkat(descriptor_, "", text, sizeof text);
        return size > 0 ? path_.parent_path() / std::string(text, static_cast<std::size_t>(size)) : path_;
    }

  private:
    std::filesystem::path path_;
    int descriptor_;
};

/// Follows no link.
OutputPlace openFile(const std::filesystem::path& path) {
    OutputPlace place;
    place.path = path;
    place.descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    place.made = place.descriptor >= 0;
    if (place.descriptor < 0 && errno == EEXIST)
        place.descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kMode);
    if (place.descriptor < 0) place.failure = std::strerror(errno);
    return place;
}

}  // namespace

OutputPlace openOutput(const std::filesystem::path& path) {
    std::error_code failure;
    const auto whole = std::filesystem::absolute(path, failure);
    if (failure) return {-1, false, path, failure.message()};  // the working directory was removed
    auto place = openFile(whole);
    for (int links = 0; place.descriptor < 0 && errno == ELOOP && links < kMostLinks; ++links) {
        const Link link(place.path);
        place.failure = link.refusal();
        if (!place.failure.empty()) break;
        if (link.isOfProc()) {
            place.descriptor = open(place.path.c_str(), O_WRONLY | O_CLOEXEC);
            if (place.descriptor < 0) place.failure = std::strerror(errno);
            break;
        }
        place = openFile(link.target());
    }
    return place;
}

}  // namespace zetl::command
