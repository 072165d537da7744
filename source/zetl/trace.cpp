#include "trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

#include "launch.h"
#include "probe.h"
#include "recording_directory.h"
#include "recording_format.h"
#include "summary.h"
#include "timeline.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

struct Shown {
    bool any = false;          // there were calls
    bool initialised = false;  // and Level Zero was there
};

void requireRecorder(const Installation& installation) {
    for (const auto& file : {installation.layer, installation.recorder})
        if (!fs::exists(file))
            throw std::runtime_error(fmt::format("{} is missing: the installation is not complete", file.native()));
}

/// One output: a file, standard output, or none.
class Output {
  public:
    Output(const std::string& path, const char* what, const char* option) : standard_(path == "-") {
        if (!path.empty() && !standard_) file_ = std::make_unique<TimelineFile>(path, what, option);
    }
    void write(const std::string& text) {
        if (standard_) fmt::print("{}", text);
        if (!file_) return;
        file_->write(text);
        file_->finish();
    }
    explicit operator bool() const { return standard_ || file_; }

  private:
    bool standard_;
    std::unique_ptr<TimelineFile> file_;
};

/// Everything that is to be written, opened before the program runs.
struct Outputs {
    explicit Outputs(const ReportOptions& options)
        : csv(options.csv, "table", "--csv chooses another file"),
          json(options.json, "table", "--json chooses another file") {
        if (!options.timeline.empty()) timeline = std::make_unique<TimelineFile>(options.timeline);
    }
    Output csv;
    Output json;
    std::unique_ptr<TimelineFile> timeline;
};

/// Prints the table and writes what is to be written. Says so if there is nothing to show.
Shown present(const fs::path& directory, Outputs& outputs) {
    const auto recordings = openRecordings(directory);
    const Summary summary(recordings);
    if (summary.calls() == 0) {
        fmt::print(
            stderr,
            "zetl: no Level Zero call was recorded. The program made none, or it is set-user-id, or it is linked "
            "to a loader that does not open layers; `zetl doctor` knows more\n");
        return {};
    }
    fmt::print(stderr, "\n{}", summary.table());
    if (outputs.csv) outputs.csv.write(summary.csv());
    if (outputs.json) outputs.json.write(summary.json());
    if (outputs.timeline) {
        writeTimeline(recordings, *outputs.timeline);
        fmt::print(stderr, "timeline: {} (open it at https://ui.perfetto.dev)\n", outputs.timeline->name());
    }
    return {true, summary.initialised()};
}

/// Without a device nothing of interest was recorded, and there is a way to have one.
void offerEmulated(const std::vector<std::string>& program) {
    const auto here = initialise({{kDirectoryVariable, ""}});
    if (!here.failure.empty() || !here.devices.empty()) return;
    fmt::print(stderr, "zetl: no Level Zero device was found here; on the emulated GPU: zetl trace --emulated -- {}\n",
               fmt::join(program, " "));
}

/// The same, with the recording kept whatever goes wrong.
Shown presentOrKeep(RecordingDirectory& directory, Outputs& outputs) try {
    return present(directory.path(), outputs);
} catch (const std::exception& failure) {
    directory.keep();
    fmt::print(stderr, "zetl: {}\n", failure.what());
    return {};
}

}  // namespace

int trace(const Installation& installation, const Choice& choice, const TraceOptions& options) {
    requireRecorder(installation);
    Outputs outputs(options.report);
    RecordingDirectory directory(options.directory);
    directory.requireRoom(options.recording.limit);
    apply(variablesFor(installation, choice));
    apply(recordingVariables(installation, directory.path(), options.recording));
    const int code = runToEnd(options.program);
    const auto shown = presentOrKeep(directory, outputs);
    if (directory.kept())
        fmt::print(stderr, "recording: {0} (table and timeline again: zetl report {0} -o FILE)\n",
                   directory.path().native());
    if (!shown.initialised && !choice.emulated) offerEmulated(options.program);
    return shown.any || code != 0 ? code : 1;
}

int report(const std::string& recording, const ReportOptions& options) {
    Outputs outputs(options);
    return present(recording, outputs).any ? 0 : 1;
}

int setPaused(const std::string& recording, bool paused) {
    unsigned processes = 0;
    for (const auto& entry : fs::directory_iterator(recording))
        if (entry.path().extension() == kFileSuffix)
            processes += RecordingFile::setPaused(entry.path(), paused) ? 1 : 0;
    if (processes != 0) return 0;
    fmt::print(stderr, "zetl: {}: nothing is recorded there (yet)\n", recording);
    return 1;
}

}  // namespace zetl::command
