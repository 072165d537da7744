#include "timeline.h"

namespace zetl::command {

void writeTimeline(std::span<const RecordingFile> recordings, TimelineFile& file) {
    if (file.name().ends_with(".json"))
        writeJson(recordings, file);
    else
        writePerfetto(recordings, file);
}

}  // namespace zetl::command
