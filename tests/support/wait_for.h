// Tests wait for a condition, never for a time in which it should have come true: a busy host takes longer.
#pragma once

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace zetl::test {

/// True as soon as the condition holds; false if it does not within the limit. With a short limit, and the result
/// expected to be false, a test shows that something does not happen.
template <class Condition>
bool waitFor(Condition&& condition, std::chrono::nanoseconds limit = std::chrono::seconds(30),
             std::chrono::nanoseconds pause = std::chrono::milliseconds(1)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() >= end) return false;
        std::this_thread::sleep_for(pause);
    }
    return true;
}

/// For what is about time itself: how long a device has counted, how long an answer takes.
inline void letPass(std::chrono::nanoseconds time) { std::this_thread::sleep_for(time); }

/// The state that proc_pid_stat(5) gives; 0 if there is no such file.
inline char stateIn(const std::string& path) {
    std::ifstream file(path);
    const std::string stat{std::istreambuf_iterator<char>(file), {}};
    const auto name = stat.rfind(')');  // a name may have parentheses
    return name == std::string::npos || name + 2 >= stat.size() ? '\0' : stat[name + 2];
}

/// Whether a thread of this process sleeps, as one does that waits for another.
inline bool isAsleep(pid_t thread) { return stateIn("/proc/self/task/" + std::to_string(thread) + "/stat") == 'S'; }

/// Whether a process has ended, even if its parent has not waited for it.
inline bool hasEnded(pid_t process) {
    const char state = stateIn("/proc/" + std::to_string(process) + "/stat");
    return state == '\0' || state == 'Z' || state == 'X';
}

/// Whether all threads of this process but the calling one sleep.
inline bool othersAreAsleep() {
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        const pid_t thread = std::stoi(task.path().filename());
        if (thread != gettid() && !isAsleep(thread)) return false;
    }
    return true;
}

}  // namespace zetl::test
