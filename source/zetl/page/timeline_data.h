// Recordings as the page's timeline and memory curve.
#pragma once

#include <cstdint>
#include <span>

#include "recording/reader.h"
#include "text/json.h"

namespace zetl::command {

struct TimelineData {
    static constexpr std::size_t kMostSlices = 20'000;
    static constexpr std::size_t kMostTracks = 200;
    static constexpr std::size_t kMostPoints = 2'000;

    Json timeline;             ///< names, and tracks with slices as [begin, duration, name], in nanoseconds
    Json memory;               ///< points as [time, bytes that were allocated]
    std::size_t points = 0;    ///< of memory
    std::uint64_t slices = 0;  ///< in the recordings
    std::uint64_t shown = 0;   ///< the longest of them
    std::uint64_t hidden = 0;  ///< tracks beyond kMostTracks
    std::uint64_t duration = 0;
    double busy = -1;              ///< the share of the time in which a device works; negative: no device did
    std::uint64_t mostBytes = 0;   ///< allocated at once
    std::uint64_t bytesAtEnd = 0;  ///< never freed
};

/// Tracks of devices come first. Of the slices only the longest are kept, so memory is bounded by these, by allocations
/// and by the busy times of devices.
TimelineData timelineData(std::span<const RecordingFile> recordings);

}  // namespace zetl::command
