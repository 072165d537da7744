// The timeline of recordings, in a format that Perfetto's viewer, https://ui.perfetto.dev, opens.
#pragma once

#include <span>

#include "files/timeline_file.h"
#include "recording/counters.h"
#include "recording/reader.h"

namespace zetl::command {

/// One track for each thread, named; calls nest as they did, with arguments and result. A call that never returned is
/// an open slice. One track for each queue and immediate list of a device, with what it executed, and arrows from the
/// calls to it. Memory does not grow with the recording. All throw std::runtime_error if the file cannot be written.
void writeTimeline(std::span<const RecordingFile> recordings, const CounterRecording* counters, TimelineFile& file);

/// In Perfetto's own format, with names and packets compressed.
void writePerfetto(std::span<const RecordingFile> recordings, const CounterRecording* counters, TimelineFile& file);
/// As JSON, in Chrome's trace event format.
void writeJson(std::span<const RecordingFile> recordings, const CounterRecording* counters, TimelineFile& file);

}  // namespace zetl::command
