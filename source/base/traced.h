// Whether /proc shows that a process is being debugged.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

namespace zetl {

/// A line of /proc/PROCESS/status behind its name and the space; empty if there is none. `process`: its number, or
/// "self".
inline std::string statusOf(std::string_view process, std::string_view name) {
    std::ifstream status(fmt::format("/proc/{}/status", process));
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(name))
            return line.substr(std::min(line.find_first_not_of("\t ", name.size()), line.size()));
    return {};
}

inline bool isTraced(std::string_view process) {
    const auto tracer = statusOf(process, "TracerPid:");
    return !tracer.empty() && tracer != "0";
}

/// Whether it is no more, or waits for somebody to take note of that.
inline bool hasEnded(std::string_view process) {
    const auto state = statusOf(process, "State:");
    return state.empty() || state.front() == 'Z' || state.front() == 'X';
}

}  // namespace zetl
