// Whether /proc shows that a process is being debugged.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

namespace zetl {

/// The value of a line of /proc/PROCESS/status, behind its name and the space; empty if there is no such line.
/// `process`: a process id, or "self".
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

/// Whether the process is gone, or is a zombie that waits for its parent.
inline bool hasEnded(std::string_view process) {
    const auto state = statusOf(process, "State:");
    return state.empty() || state.front() == 'Z' || state.front() == 'X';
}

}  // namespace zetl
