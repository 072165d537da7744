// Counters for devices without metrics: what the core API tells of a recorded program's commands, and nothing else.
#pragma once

#include <ze_tools_layer/device_facts.h>

#include <cstdint>
#include <filesystem>
#include <span>

#include "recording_reader.h"

namespace zetl::command {

/// In the place of a metric group's name.
inline constexpr const char* kCoreApiGroup = activity::kFactsGroup;

/// Writes a row (counter_recording.h) for each period, in nanoseconds, in which a device of a process did something,
/// and one of zeros before and behind those: time of kernels and of copies, summed over queues, and how many commands,
/// kernels and bytes ended in the period. Throws std::runtime_error if the file cannot be written, or if there are more
/// than ten million such periods.
void writeCoreApiCounters(std::span<const RecordingFile> recordings, std::uint32_t period,
                          const std::filesystem::path& file);

/// Commands of which nothing is known: their times could not be read, or the recording had no room for them.
std::uint64_t commandsUnknown(std::span<const RecordingFile> recordings);

}  // namespace zetl::command
