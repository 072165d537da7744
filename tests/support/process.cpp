#include "support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "support/wait_for.h"

extern char** environ;

namespace zetl::test {
namespace {

using Clock = std::chrono::steady_clock;

/// Not what a test says to its own scenarios, in other processes: ZETL_TEST_*; nor the compiler that all tests of a
/// preset use, nor where LLVM is (scripts/nvidia --unpack).
bool isOurs(const std::string& variable) {
    for (const std::string_view kept : {"ZETL_TEST_", "ZETL_COMPILER=", "ZETL_LLVM="})
        if (variable.starts_with(kept)) return false;
    constexpr std::string_view kPrefixes[] = {"ZE_", "ZET_", "ZES_", "ZEL_", "ZETL_"};
    return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                       [&](auto prefix) { return variable.starts_with(prefix); });
}

/// A directory for the sockets of the processes of this test, so that tests do not meet the work of each other.
class Session {
  public:
    /// Its path; what runs inside a test's process belongs to the same session.
    static std::string path() {
        constexpr const char* kVariable = "XDG_RUNTIME_DIR";
        static const char* const outer = std::getenv(kVariable);
        if (outer && std::string_view(outer).find(kName) != std::string_view::npos) return outer;
        static const Session own;
        return own.path_;
    }
    ~Session() {
        std::error_code ignored;
        if (getpid() == process_) std::filesystem::remove_all(path_, ignored);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

  private:
    static constexpr const char* kName = "zetl-session-";
    Session() {
        path_ = (std::filesystem::temp_directory_path() / kName).string() + "XXXXXX";
        if (!mkdtemp(path_.data())) throw std::runtime_error("no directory for a session");
    }

    std::string path_;
    const pid_t process_ = getpid();
};

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (auto& each : strings) result.push_back(each.data());
    result.push_back(nullptr);
    return result;
}

pid_t spawn(std::vector<std::string> command, std::vector<std::string> environment, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    pid_t child = -1;
    const int error = posix_spawn(&child, command[0].c_str(), &actions, nullptr, pointers(command).data(),
                                  pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error(command[0] + ": " + std::strerror(error));
    return child;
}

/// Collects what the child writes until it closes the pipe; false when time is up first.
bool drain(int pipe, Clock::time_point deadline, std::string& output) {
    char buffer[4096];
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd ready{pipe, POLLIN, 0};
        if (left <= 0 || poll(&ready, 1, static_cast<int>(left)) == 0) return false;
        const auto got = read(pipe, buffer, sizeof buffer);
        if (got <= 0) return true;
        output.append(buffer, static_cast<std::size_t>(got));
    }
}

/// The child may have closed its output and still run; false when time is up.
bool reap(pid_t child, Clock::time_point deadline, int& status) {
    return waitFor([&] { return waitpid(child, &status, WNOHANG) != 0; }, deadline - Clock::now());
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
    if (outcome.timedOut) out << "timed out after " << outcome.took.count() << " s";
    if (outcome.signal) out << "killed by signal " << outcome.signal << " (" << strsignal(outcome.signal) << ")";
    if (outcome.exitCode >= 0) out << "exit code " << outcome.exitCode;
    return out << "; it printed:\n" << outcome.output;
}

Process::Process(std::vector<std::string> command) : command_(std::move(command)) {
    for (char** each = environ; *each; ++each) {
        const std::string entry(*each);
        const auto equals = entry.find('=');
        if (!isOurs(entry)) environment_[entry.substr(0, equals)] = entry.substr(equals + 1);
    }
    environment_["ZETL_BUILD_CACHE"] = ZETL_TEST_BUILDS;
    environment_["XDG_RUNTIME_DIR"] = Session::path();
}

Process& Process::with(const std::string& variable, const std::string& value) {
    environment_[variable] = value;
    return *this;
}

Process& Process::without(const std::string& variable) {
    environment_.erase(variable);
    return *this;
}

Process& Process::withFirst(const std::string& variable, const std::string& entry) {
    auto& value = environment_[variable];
    value = value.empty() ? entry : entry + ":" + value;
    return *this;
}

Process& Process::under(const std::vector<std::string>& wrapper) {
    command_.insert(command_.begin(), wrapper.begin(), wrapper.end());
    return *this;
}

Process& Process::argument(const std::string& text) {
    command_.push_back(text);
    return *this;
}

std::size_t Outcome::times(std::string_view text) const {
    std::size_t found = 0;
    for (auto at = output.find(text); at != std::string::npos; at = output.find(text, at + 1)) ++found;
    return found;
}

Outcome Process::run(std::chrono::seconds limit) const {
    std::vector<std::string> environment;
    for (const auto& [name, value] : environment_) environment.push_back(name + "=" + value);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");

    const auto start = Clock::now();
    const pid_t child = spawn(command_, std::move(environment), ends[1]);
    close(ends[1]);
    Outcome outcome;
    int status = 0;
    outcome.timedOut = !(drain(ends[0], start + limit, outcome.output) && reap(child, start + limit, status));
    if (outcome.timedOut) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    close(ends[0]);
    outcome.took = Clock::now() - start;
    if (WIFEXITED(status)) outcome.exitCode = WEXITSTATUS(status);
    if (WIFSIGNALED(status) && !outcome.timedOut) outcome.signal = WTERMSIG(status);
    return outcome;
}

std::string thisProgram() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

std::string inBuildTree(const std::string& path) {
    return (std::filesystem::path(thisProgram()).parent_path() / ZETL_TO_BUILD_ROOT / path).lexically_normal().string();
}

}  // namespace zetl::test
