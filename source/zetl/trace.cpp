#include "trace.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "launch.h"
#include "summary.h"
#include "timeline.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

/// Where the recorder writes; removed at the end unless the user asked for it.
class RecordingDirectory {
  public:
    explicit RecordingDirectory(const std::string& wanted) : kept_(!wanted.empty()) {
        if (kept_) {
            fs::create_directories(wanted);
            path_ = fs::absolute(wanted);
            return;
        }
        auto pattern = (fs::temp_directory_path() / "zetl-XXXXXX").native();
        if (!mkdtemp(pattern.data())) throw std::runtime_error(fmt::format("{}: {}", pattern, std::strerror(errno)));
        path_ = pattern;
    }
    ~RecordingDirectory() {
        std::error_code ignored;
        if (!kept_) fs::remove_all(path_, ignored);
    }
    RecordingDirectory(const RecordingDirectory&) = delete;
    RecordingDirectory& operator=(const RecordingDirectory&) = delete;

    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
    bool kept_;
};

void requireRecorder(const Installation& installation) {
    for (const auto& file : {installation.layer, installation.recorder})
        if (!fs::exists(file))
            throw std::runtime_error(fmt::format("{} is missing: the installation is not complete", file.native()));
}

/// False if there is nothing to show.
bool present(const fs::path& directory, const std::string& timeline) {
    const auto recordings = openRecordings(directory);
    const Summary summary(recordings);
    if (summary.calls() == 0) {
        fmt::print(
            stderr,
            "zetl: no Level Zero call was recorded. The program made none, or it is set-user-id, or it is linked "
            "to a loader that does not open layers; `zetl doctor` knows more\n");
        return false;
    }
    fmt::print(stderr, "\n{}", summary.table());
    if (!timeline.empty()) {
        writeTimeline(recordings, timeline);
        fmt::print(stderr, "timeline: {} (open it at https://ui.perfetto.dev)\n", timeline);
    }
    return true;
}

}  // namespace

int trace(const Installation& installation, const Choice& choice, const TraceOptions& options) {
    requireRecorder(installation);
    const RecordingDirectory directory(options.recording);
    apply(variablesFor(installation, choice));
    apply(recordingVariables(installation, directory.path(), options.limit));
    const int code = runToEnd(options.program);
    const bool shown = present(directory.path(), options.timeline);
    return shown || code != 0 ? code : 1;
}

int report(const std::string& recording, const std::string& timeline) { return present(recording, timeline) ? 0 : 1; }

}  // namespace zetl::command
