#include "files/timeline_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "files/output_name.h"
#include "files/output_place.h"
#include "files/room.h"
#include "text/usage_error.h"

namespace zetl::command {

namespace fs = std::filesystem;

namespace {

/// The path still leads to what this process made there, and nobody has filled it.
bool isUntouched(int descriptor, const fs::path& path) {
    struct stat mine {};
    struct stat there {};
    return fstat(descriptor, &mine) == 0 && lstat(path.c_str(), &there) == 0 && mine.st_dev == there.st_dev &&
           mine.st_ino == there.st_ino && there.st_size == 0;
}

void removeUntouched(int descriptor, const fs::path& path) {
    if (isUntouched(descriptor, path)) unlink(path.c_str());
}

/// Somebody else writes it. Locks are of processes: a file that this one has open twice is found by isSame(). Where a
/// file system has none, there is nothing to be found; and what is no file, such as /dev/null, many may write at once.
bool isTaken(int descriptor) {
    struct stat kind {};
    if (fstat(descriptor, &kind) != 0 || !S_ISREG(kind.st_mode)) return false;
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    return fcntl(descriptor, F_SETLK, &whole) != 0 && (errno == EACCES || errno == EAGAIN);
}

}  // namespace

TimelineFile::TimelineFile(const std::string& path, const char* what, const char* option)
    : what_(what), name_(outputName(path)) {
    auto place = openOutput(name_);
    path_ = place.path;
    made_ = place.made;
    const int lack = place.descriptor < 0 ? 0 : lackOfRoom(place.descriptor, 4096);
    if (lack != 0) place.failure = std::strerror(lack);
    const bool taken = place.failure.empty() && isTaken(place.descriptor);
    if (place.failure.empty() && !taken) file_ = fdopen(place.descriptor, "w");
    if (file_) return;
    if (made_ && !taken) removeUntouched(place.descriptor, path_);
    if (place.descriptor >= 0) close(place.descriptor);
    if (taken)
        throw OutputTaken(
            fmt::format("cannot write the {}: {}: another process is writing it; {}, or let names differ "
                        "with %p (the process), %h (the host) or %q{{NAME}} (a variable)",
                        what, name_, option));
    throw UsageError(fmt::format("cannot write the {}: {}: {}; {}", what, name_, place.failure, option));
}

TimelineFile::~TimelineFile() {
    if (file_ && made_ && !written_) removeUntouched(fileno(file_), path_);
    if (file_) std::fclose(file_);
}

bool TimelineFile::isSame(const TimelineFile& other) const {
    struct stat mine {};
    struct stat theirs {};
    return fstat(fileno(file_), &mine) == 0 && fstat(fileno(other.file_), &theirs) == 0 && S_ISREG(mine.st_mode) &&
           mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino;
}

void requireApart(const TimelineFile& one, const TimelineFile& other) {
    if (one.isSame(other))
        throw UsageError(fmt::format("two outputs cannot go to the same file: {}, {}", one.name(), other.name()));
}

void TimelineFile::fail() const {
    throw std::runtime_error(fmt::format("cannot write all of the {}: {}: {}", what_, name_, std::strerror(errno)));
}

void TimelineFile::write(std::string_view text) {
    const FileSizeErrors errors;
    if (!std::exchange(written_, true) && ftruncate(fileno(file_), 0) != 0 && errno != EINVAL) fail();
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
}

void TimelineFile::finish() {
    const FileSizeErrors errors;
    if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
}

}  // namespace zetl::command
