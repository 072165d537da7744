// zetl_opencl REFERENCE DIRECTORY LIMIT: computes the launches whose results and begins are in the first directory by
// the host's OpenCL, and writes what they leave into the second; at most LIMIT bytes of contents. `zetl diff` starts
// it.
//
// Each process's launches are computed in a child, which a kernel may crash or hang: the launch is left out then, and
// the others are computed again.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "replay/compute.h"

namespace zetl::replay {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kSecondsPerLaunch = 60;
/// As many launches of a process may crash.
constexpr std::size_t kMostCrashes = 8;

struct Task {
    const results::Process* process;
    fs::path directory;
    std::uint64_t limit;
    std::map<std::size_t, std::string> crashed;  ///< by number of the launch: how

    std::string name() const { return process->blocks.stem().native(); }
    std::size_t written() const {
        for (const results::Process& each : results::readProcesses(directory))
            if (each.blocks.stem() == process->blocks.stem()) return each.launches.size();
        return 0;
    }
};

/// In the child. Returns its exit code.
int computeHere(const Task& task) {
    std::string reason;
    const OpenCl* const opencl = OpenCl::open(reason);
    if (opencl == nullptr) {
        fmt::print(stderr, "{}\n", reason);
        return 1;
    }
    auto writer = results::Writer::create(task.directory, task.limit, task.name());
    if (!writer) {
        fmt::print(stderr, "{}: {}\n", task.directory.native(), std::strerror(errno));
        return 1;
    }
    const auto leaveOut = [&](std::size_t number) {
        alarm(kSecondsPerLaunch);
        const auto known = task.crashed.find(number);
        if (known != task.crashed.end()) return known->second;
        return std::string(task.crashed.size() < kMostCrashes ? "" : "too many launches before it crashed OpenCL");
    };
    if (compute(*opencl, *task.process, *writer, leaveOut)) return 0;
    fmt::print(stderr, "{}: no room for results\n", task.directory.native());
    return 1;
}

std::string endingOf(int signal) {
    return signal == SIGALRM ? fmt::format("OpenCL took more than {} s", kSecondsPerLaunch)
                             : fmt::format("OpenCL was ended by signal {} ({})", signal, strsignal(signal));
}

/// Returns an exit code.
int computeProcess(Task& task) {
    for (;;) {
        fflush(nullptr);
        const pid_t child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            const int code = computeHere(task);
            fflush(nullptr);
            _exit(code);  // an implementation's threads and destructors are not waited for
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child) {
            fmt::print(stderr, "no process: {}\n", std::strerror(errno));
            return 1;
        }
        if (WIFEXITED(status)) return WEXITSTATUS(status);
        const std::size_t number = task.written();
        if (!task.crashed.emplace(number, endingOf(WTERMSIG(status))).second) {
            fmt::print(stderr, "{}\n", endingOf(WTERMSIG(status)));  // not by a launch
            return 1;
        }
    }
}

int run(const fs::path& reference, const fs::path& directory, std::string_view limitText) {
    std::uint64_t limit = 0;
    std::from_chars(limitText.data(), limitText.data() + limitText.size(), limit);
    for (const results::Process& process : results::readProcesses(reference)) {
        Task task{&process, directory, limit, {}};
        if (const int code = computeProcess(task); code != 0) return code;
    }
    return 0;
}

}  // namespace
}  // namespace zetl::replay

int main(int count, char** arguments) {
    constexpr int kWords = 4;
    if (count == kWords) return zetl::replay::run(arguments[1], arguments[2], arguments[3]);
    fmt::print(stderr, "zetl_opencl REFERENCE DIRECTORY LIMIT: `zetl diff --opencl` starts this\n");
    return 2;
}
