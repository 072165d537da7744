#include "recording/directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "files/output_name.h"
#include "files/room.h"
#include "recording/format.h"
#include "recording/reader.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

void requireNoRecording(const fs::path& directory) {
    if (!recordingsIn(directory).empty() || !rankSummariesIn(directory).empty())
        throw UsageError(
            fmt::format("{0} already holds a recording; choose another directory, or remove this one; "
                        "`zetl report {0}` shows the recording",
                        directory.native()));
}

fs::path madeDirectory(const std::string& pattern) try {
    const auto wanted = outputDirectory(pattern);
    fs::create_directories(wanted);
    return fs::canonical(wanted);
} catch (const fs::filesystem_error& failure) {
    throw UsageError(fmt::format("--recording {}: {}", failure.path1().native(), failure.code().message()));
}

fs::path temporaryDirectory() {
    const char* wanted = std::getenv("TMPDIR");
    auto pattern = fmt::format("{}/zetl-XXXXXX", wanted && *wanted ? wanted : "/tmp");
    if (!mkdtemp(pattern.data()))
        throw UsageError(
            fmt::format("cannot make a temporary directory: {}: {}; set TMPDIR to a directory that you can "
                        "write to",
                        pattern, std::strerror(errno)));
    return pattern;
}

/// The errno with which the recorder would fail to make a recording; 0 if it would succeed.
int obstacle(const fs::path& directory, std::uint64_t bytes) {
    const FileSizeErrors errors;
    const auto path = directory / "room";
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return errno;
    unlink(path.c_str());
    int failure = lackOfRoom(file, kSmallestRecording);
    if (failure == 0 && ftruncate(file, static_cast<off_t>(bytes)) != 0) failure = errno;
    close(file);
    return failure;
}

}  // namespace

RecordingDirectory::RecordingDirectory(const std::string& wanted)
    : path_(wanted.empty() ? temporaryDirectory() : madeDirectory(wanted)), kept_(!wanted.empty()) {
    requireNoRecording(path_);
}

RecordingDirectory::RecordingDirectory(const std::string& wanted, const char* part)
    : path_(wanted.empty() ? temporaryDirectory() : madeDirectory(wanted + '/' + part)), kept_(!wanted.empty()) {
    if (!fs::is_empty(path_))
        throw UsageError(fmt::format("{} is not empty; choose another directory with --recording, or remove this one",
                                     path_.native()));
}

RecordingDirectory::~RecordingDirectory() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
}

void RecordingDirectory::requireRoom(std::uint64_t limit) const {
    rlimit fileSize{};
    if (getrlimit(RLIMIT_FSIZE, &fileSize) == 0) limit = std::min<std::uint64_t>(limit, fileSize.rlim_cur);
    if (limit < kSmallestRecording)
        throw UsageError(fmt::format("ulimit -f limits files to {} bytes, but a recording needs {}; raise the limit",
                                     limit, kSmallestRecording));
    if (const int failure = obstacle(path_, limit))
        throw UsageError(fmt::format("cannot make a recording in {}: {}; {}", path_.native(), std::strerror(failure),
                                     failure == EFBIG
                                         ? "use a smaller --limit"
                                         : "set TMPDIR, or use --recording DIR, to record where there is room"));
}

}  // namespace zetl::command
