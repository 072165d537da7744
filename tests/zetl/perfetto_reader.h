// Reads a trace in Perfetto's protobuf format back as its viewer does, and says what it could not make sense of.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace zetl::test {

struct TraceSlice {
    // nanoseconds; end 0: open
    std::uint64_t track = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::string name;
    std::map<std::string, std::string> arguments;  // numbers in decimal
    std::set<std::uint64_t> flows;
};

struct TraceTrack {
    std::string name;  // or the thread's, or the process's
    std::string unit;  // of a counter
    std::uint64_t parent = 0;
    std::int32_t process = 0;
    std::int32_t thread = 0;
};

/// What a counter is from then on.
struct TraceValue {
    std::uint64_t track = 0;
    std::uint64_t time = 0;
    double value = 0;
};

struct PerfettoTrace {
    std::vector<TraceValue> values;  // as they are written
    std::vector<TraceSlice> slices;  // in the order of their begin
    std::map<std::uint64_t, TraceTrack> tracks;
    std::vector<std::string> faults;

    /// Slices of that name, or all.
    std::vector<TraceSlice> named(const std::string& name) const;
};

PerfettoTrace readPerfetto(const std::string& bytes);

}  // namespace zetl::test
