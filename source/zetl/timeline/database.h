// Recordings as tables of a database.
#pragma once

#include <span>

#include "files/sqlite.h"
#include "recording/reader.h"

namespace zetl::command {

/// Processes, threads, calls, streams and work of devices, one row each, and views that add them up. Numbers of calls
/// and works are their places in the recordings, so a work names its calls.
void fillDatabase(std::span<const RecordingFile> recordings, SqliteDatabase& database);

}  // namespace zetl::command
