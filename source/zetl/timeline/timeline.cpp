#include "timeline/timeline.h"

namespace zetl::command {

void writeTimeline(std::span<const RecordingFile> recordings, const CounterRecording* counters, TimelineFile& file) {
    if (file.name().ends_with(".json"))
        writeJson(recordings, counters, file);
    else
        writePerfetto(recordings, counters, file);
}

}  // namespace zetl::command
