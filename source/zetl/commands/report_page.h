// The page of `zetl report`: what several commands kept in the same directories.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "recording/reader.h"
#include "timeline/summary.h"

namespace zetl::command {

/// Something else than a recording of calls was kept there.
bool hasOtherParts(const std::filesystem::path& directory);

/// Calls and work of devices, then what metrics, stalls and check kept in the directories.
std::string reportPage(std::span<const std::filesystem::path> directories, std::span<const RecordingFile> recordings,
                       const Summary& summary, bool mangled);

}  // namespace zetl::command
