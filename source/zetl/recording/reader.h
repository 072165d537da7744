// Reads what the recorder wrote.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "recording/format.h"

namespace zetl::command {

/// Chunks in a row, the last one included.
struct ChunkRange {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};

/// How a host's clock differs from the one that all recordings are shown on.
struct ClockShift {
    std::uint64_t shift = 0;  ///< added to its times, without a carry
    std::uint64_t from = 0;   ///< where that is right, if the clocks drift
    double drift = 0;         ///< added per nanosecond after `from`
    // if it was measured: by how many meetings, and how wrong it may be at most there
    std::uint32_t meetings = 0;
    std::uint64_t within = 0;

    std::uint64_t moved(std::uint64_t time) const {
        if (drift == 0) return time + shift;
        const auto since = static_cast<double>(static_cast<std::int64_t>(time - from));
        return time + shift + static_cast<std::uint64_t>(static_cast<std::int64_t>(since * drift));
    }
};

/// One process's recording, mapped read-only.
class RecordingFile {
  public:
    /// Throws std::runtime_error if the file was not recorded by this version of zetl.
    explicit RecordingFile(const std::filesystem::path& path);
    ~RecordingFile();
    RecordingFile(RecordingFile&& other) noexcept;
    RecordingFile& operator=(RecordingFile&&) = delete;

    /// Pauses or resumes the process that records into the file, if there is one. False if the file is not a recording.
    static bool setPaused(const std::filesystem::path& path, bool paused);

    const FileHeader& header() const { return *header_; }
    const std::filesystem::path& path() const { return path_; }
    std::string command() const;
    std::string host() const;  ///< up to its first dot; empty if unknown
    std::string boot() const;

    /// What it is beside other recordings (alignment.h).
    struct Place {
        ClockShift clock;
        std::uint32_t process = 0;  ///< on timelines: unlike those of other hosts
        std::string name;           ///< "traced_program", "rank 3 on node7: traced_program"
    };
    const Place& place() const { return place_; }
    void setPlace(Place place) { place_ = std::move(place); }
    /// On the clock that all recordings share.
    std::uint64_t beginOf(const Record& record) const {
        return place_.clock.moved(record.begin.load(std::memory_order_relaxed));
    }
    /// 0: the call has not returned.
    std::uint64_t endOf(const Record& record) const { return record.end ? place_.clock.moved(record.end) : 0; }

    /// Commands that were executed without a time that could be read, or under way when the process ended.
    std::uint64_t unmeasured() const { return header_->unmeasured.load() + header_->unread.load(); }

    /// Every record, chunk by chunk; a damaged record ends its chunk.
    template <class Visit>
    void forEach(const Visit& visit) const {
        for (const auto& range : data_)
            for (auto chunk = range.first; chunk <= range.last; ++chunk) {
                for (const auto* record = first(chunk); record; record = next(chunk, record)) visit(*record);
                letGo(chunk);
            }
    }

    /// The position of a record in the file, and the call's record at a position: null if there is none.
    std::uint64_t placeOf(const Record& record) const;
    const Record* callAt(std::uint64_t place) const;

  private:
    /// Releases the memory of a chunk that was read; reading it again loads it again.
    void letGo(std::uint64_t chunk) const;
    std::uint64_t chunks() const;
    const Record* first(std::uint64_t chunk) const;
    const Record* next(std::uint64_t chunk, const Record* record) const;
    const Record* checked(std::uint64_t chunk, const char* place) const;

    std::filesystem::path path_;
    const FileHeader* header_ = nullptr;
    std::uint64_t bytes_ = 0;
    std::vector<ChunkRange> data_;
    Place place_;
};

/// The files that are named like recordings, in the order of their names: in the directory, and in those of ranks
/// (rank0, rank1) in it.
std::vector<std::filesystem::path> recordingsIn(const std::filesystem::path& directory);
/// Likewise those that are named like summaries of ranks.
std::vector<std::filesystem::path> rankSummariesIn(const std::filesystem::path& directory);

}  // namespace zetl::command
