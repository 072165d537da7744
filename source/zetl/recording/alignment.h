// Recordings of several processes, ranks and hosts as one.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "recording/reader.h"

namespace zetl::command {

/// Gives recordings their order and their places: by rank (those without one first), then as they came. Recordings of
/// one boot of a kernel share a clock; those of others are moved (recording/clocks.h). Processes of different hosts
/// with the same number get different ones.
void align(std::vector<RecordingFile>& recordings);

/// All recordings in the directories, aligned. Files that cannot be read are reported on standard error.
std::vector<RecordingFile> openRecordings(std::span<const std::filesystem::path> directories);
std::vector<RecordingFile> openRecordings(const std::filesystem::path& directory);

}  // namespace zetl::command
