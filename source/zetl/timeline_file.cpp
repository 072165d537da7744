#include "timeline_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "room.h"
#include "usage_error.h"

namespace zetl::command {

namespace fs = std::filesystem;

TimelineFile::TimelineFile(const std::string& path, const char* what, const char* option)
    : what_(what), name_(path), path_(fs::absolute(path)) {
    int descriptor = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    made_ = descriptor >= 0;
    if (descriptor < 0 && errno == EEXIST) descriptor = open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    const int failure = descriptor < 0 ? errno : lackOfRoom(descriptor, 4096);
    if (failure == 0) file_ = fdopen(descriptor, "w");
    if (file_) return;
    if (descriptor >= 0) close(descriptor);
    if (made_) fs::remove(path_);
    throw UsageError(fmt::format("cannot write the {}: {}: {}; {}", what, path, std::strerror(failure), option));
}

TimelineFile::~TimelineFile() {
    if (file_) std::fclose(file_);
    std::error_code ignored;
    if (made_ && !written_) fs::remove(path_, ignored);
}

void TimelineFile::fail() const {
    throw std::runtime_error(fmt::format("the {} is incomplete: {}: {}", what_, name_, std::strerror(errno)));
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
