// Recordings in the Open Trace Format 2, which Vampir and Score-P's tools read.
#pragma once

#include <span>

#include "files/otf2_archive.h"
#include "recording/reader.h"

namespace zetl::command {

/// A location per thread, with calls and ranges, and one per queue and immediate list, with the work of the device. A
/// call that never returned ends with the trace. Throws std::runtime_error if the archive cannot be written.
void writeOtf2(std::span<const RecordingFile> recordings, Otf2Archive& archive);

}  // namespace zetl::command
