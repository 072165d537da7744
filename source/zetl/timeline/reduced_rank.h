// A rank of a large run, reduced to its totals: a file of at most 16 KB beside its recording, or instead of it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "recording/reader.h"
#include "timeline/summary.h"

namespace zetl::command {

/// Over all processes of the rank on one host.
struct ReducedRank {
    static constexpr std::size_t kMostBytes = 16 * 1024;  ///< of its file

    std::int32_t rank = 0;
    std::uint32_t ranks = 0;  ///< of the program; 0: unknown
    std::string host;
    std::string command;
    std::uint64_t realtime = 0;  ///< when it began, in nanoseconds since 1970; 0: unknown
    std::uint64_t processes = 0;
    std::uint64_t threads = 0;
    std::map<std::string, FunctionTotals, std::less<>> calls;
    std::map<std::string, WorkTotals, std::less<>> work;
    // what a file has no room for: the functions and kernels that took the least time
    std::uint64_t otherFunctions = 0;
    std::uint64_t otherKernels = 0;
    FunctionTotals otherCalls;
    WorkTotals otherWork;
    std::array<std::uint64_t, kShortages> beyond{};  ///< calls that are only counted, by the reason
    std::uint64_t spansBeyond = 0;
    std::uint64_t unmeasured = 0;

    /// Throws std::runtime_error if it is no such file, too large, damaged, or of another version.
    static ReducedRank read(const std::filesystem::path& file);
    /// At most kMostBytes.
    std::string text() const;
};

/// One for each rank of the recordings; those without a rank are left out.
std::vector<ReducedRank> reduced(std::span<const RecordingFile> recordings);
/// Writes "rank3.summary" for each rank. Throws std::runtime_error if a file cannot be written.
void keepReduced(std::span<const ReducedRank> ranks, const std::filesystem::path& directory);

/// What directories hold of a run.
struct KeptRun {
    std::vector<RecordingFile> recordings;  ///< aligned
    std::vector<ReducedRank> ranks;         ///< of which there is no recording
};

/// Files that cannot be read are reported on standard error.
KeptRun openRun(std::span<const std::filesystem::path> directories);

}  // namespace zetl::command
