// What devices executed, one row per command.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "recording/reader.h"

namespace zetl::command {

/// Writes CSV with headings, piece by piece: process by process, in the order in which devices executed. A value that
/// is not known is an empty cell.
void writeCommands(std::span<const RecordingFile> recordings, const std::function<void(const std::string&)>& write);

}  // namespace zetl::command
