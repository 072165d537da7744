// Counters for devices without metrics: only what the core API reports about a recorded program's commands.
#pragma once

#include <ze_tools_layer/device_facts.h>

#include <cstdint>
#include <filesystem>
#include <span>

#include "recording/reader.h"

namespace zetl::command {

/// Used instead of the name of a metric group.
inline constexpr const char* kCoreApiGroup = activity::kFactsGroup;

/// Writes one row (counter_recording.h) for each period, in nanoseconds, in which a device of a process was active, and
/// a row of zeros before and after those: the time of kernels and copies, added up over queues, and the commands,
/// kernels and bytes that ended in the period. Throws std::runtime_error if the file cannot be written, or if there are
/// more than ten million such periods.
void writeCoreApiCounters(std::span<const RecordingFile> recordings, std::uint32_t period,
                          const std::filesystem::path& file);

/// The number of commands whose times could not be read or did not fit into the recording.
std::uint64_t commandsUnknown(std::span<const RecordingFile> recordings);

}  // namespace zetl::command
