// What the streamers of metrics saw while a program ran: a row a report, written by the process that reads them and
// read once the program has ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace zetl::command {

struct CounterColumn {
    std::string name;
    std::string units;
    bool plotted = true;  ///< a counter's value, not a time, a mark or a flag
};

/// A tile, or a device that has one.
struct CounterSource {
    std::string device;
    std::uint32_t tile = 0;
    std::vector<CounterColumn> columns;
};

/// One report: what was counted since the one before.
struct CounterRow {
    std::uint64_t time = 0;  ///< nanoseconds of CLOCK_MONOTONIC_RAW, of the report
    std::uint32_t source = 0;
    std::uint32_t interpolated = 0;  ///< 1: no reading stands behind it
    std::uint64_t lost = 0;          ///< reports between the one before and this, which counts for them, too
    std::vector<double> values;      ///< one a column of the source
};

/// Writes one. Both functions throw std::runtime_error if the file cannot be written.
class CounterWriter {
  public:
    CounterWriter(const std::filesystem::path& path, const std::vector<CounterSource>& sources);
    void write(const CounterRow& row);
    void flush();

  private:
    void check() const;
    std::filesystem::path path_;
    std::ofstream file_;
};

/// Reads one. A row that is not whole ends it.
class CounterRecording {
  public:
    /// Throws std::runtime_error if the file is none.
    explicit CounterRecording(const std::filesystem::path& path);

    const std::vector<CounterSource>& sources() const { return sources_; }

    /// Every row, in the order in which they were read: of one source in the order of time.
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
