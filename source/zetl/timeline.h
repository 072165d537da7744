// The timeline: a JSON trace (Chrome's trace event format) that Perfetto's viewer, https://ui.perfetto.dev, opens.
#pragma once

#include <span>

#include "recording_reader.h"
#include "timeline_file.h"

namespace zetl::command {

/// Writes one track for each thread, named; calls nest as they did, with arguments and result. A call that never
/// returned is an open slice. Throws std::runtime_error if the file cannot be written.
void writeTimeline(std::span<const RecordingFile> recordings, TimelineFile& file);

}  // namespace zetl::command
