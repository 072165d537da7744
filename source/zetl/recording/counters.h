// The reports of metric streamers while a program ran: one row per report, written by the process that reads the
// streamers, and read when the program has ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace zetl::command {

struct CounterColumn {
    std::string name;
    std::string units;
    bool plotted = true;    ///< the value of a counter, not a time, a marker or a flag
    std::string kind = {};  ///< the part of the device that counts it; may be empty
};

/// A tile, or a device with one tile.
struct CounterSource {
    std::string device;
    std::uint32_t tile = 0;
    std::vector<CounterColumn> columns;
};

/// One report: the counts since the previous report.
struct CounterRow {
    std::uint64_t time = 0;  ///< nanoseconds of CLOCK_MONOTONIC_RAW, of the report
    std::uint32_t source = 0;
    std::uint32_t interpolated = 0;  ///< 1: interpolated, without a reading
    std::uint64_t lost = 0;          ///< reports lost since the previous one; this report includes their counts
    std::vector<double> values;      ///< one per column of the source
};

/// Writes a recording. Both functions throw std::runtime_error if the file cannot be written.
class CounterWriter {
  public:
    CounterWriter(const std::filesystem::path& path, const std::vector<CounterSource>& sources);
    /// Is also given each row.
    void setObserver(std::function<void(const CounterRow&)> observer) { observer_ = std::move(observer); }
    void write(const CounterRow& row);
    void flush();

  private:
    void check() const;
    std::filesystem::path path_;
    std::ofstream file_;
    std::function<void(const CounterRow&)> observer_;
};

/// Reads a recording, up to the first incomplete row.
class CounterRecording {
  public:
    /// Throws std::runtime_error if the file is not a recording.
    explicit CounterRecording(const std::filesystem::path& path);

    const std::vector<CounterSource>& sources() const { return sources_; }

    /// Every row in the order in which it was read. The rows of one source are in the order of time.
    template <class Visit>
    void forEach(const Visit& visit) const {
        std::ifstream file(path_, std::ios::binary);
        file.seekg(rows_);
        for (CounterRow row; next(file, row);) visit(row);
    }

  private:
    bool next(std::ifstream& file, CounterRow& row) const;

    std::filesystem::path path_;
    std::vector<CounterSource> sources_;
    std::streamoff rows_ = 0;
};

}  // namespace zetl::command
