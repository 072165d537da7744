// The table that `zetl trace` ends with: one line a function.
#pragma once

#include <array>
#include <span>
#include <string>

#include "functions.h"
#include "recording_reader.h"

namespace zetl::command {

/// What is known of one function over all processes and threads. Times in nanoseconds, over the calls that returned.
struct FunctionTotals {
    std::uint64_t calls = 0, unfinished = 0, errors = 0;
    std::uint64_t total = 0, shortest = UINT64_MAX, longest = 0;

    void add(const Record& record, const Function& function);
    void add(const Overflow& overflow);
    std::uint64_t average() const { return calls > unfinished ? total / (calls - unfinished) : 0; }
};

class Summary {
  public:
    explicit Summary(std::span<const RecordingFile> recordings);

    /// Sorted by total time; ends with a line of sums and, where there is reason, notes.
    std::string table() const;
    std::uint64_t calls() const;

    /// A call that starts Level Zero succeeded.
    bool initialised() const;

  private:
    std::vector<FunctionTotals> functions_;
    std::size_t processes_ = 0, threads_ = 0;
    std::array<std::uint64_t, kShortages> beyond_{};  // calls that are counted only, by what they lacked
};

/// A duration with a unit that leaves three or four digits: "713 ns", "12.4 us", "1.83 s".
std::string durationText(std::uint64_t nanoseconds);

}  // namespace zetl::command
