#include "core/debuggee.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

#include "core/failure.h"

namespace zetl::debugger {
namespace {

std::vector<std::string> environmentWith(const std::vector<std::pair<std::string, std::string>>& added) {
    std::vector<std::string> all;
    for (char** each = environ; *each; ++each) {
        const std::string_view entry(*each);
        const auto name = entry.substr(0, entry.find('='));
        if (std::ranges::none_of(added, [&](const auto& pair) { return pair.first == name; })) all.emplace_back(entry);
    }
    for (const auto& [name, value] : added) all.push_back(fmt::format("{}={}", name, value));
    return all;
}

std::vector<char*> pointersTo(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (const auto& each : texts) pointers.push_back(const_cast<char*>(each.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

/// The arguments of posix_spawn; freed at the end.
struct SpawnSettings {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;

    SpawnSettings() {
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawnattr_init(&attributes);
        sigset_t defaults;
        sigset_t none;
        sigemptyset(&none);
        sigemptyset(&defaults);
        for (const int each : {SIGINT, SIGPIPE, SIGQUIT}) sigaddset(&defaults, each);
        posix_spawnattr_setsigdefault(&attributes, &defaults);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    }
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
};

/// Where the program writes, and where we read that; -1: nowhere.
struct OutputPlace {
    int written = -1;
    int read = -1;

    explicit OutputPlace(const ProgramStart& start) {
        if (start.keepsOutput) {
            written = memfd_create("zetl-debug-output", MFD_CLOEXEC);
            read = written < 0 ? -1 : open(fmt::format("/proc/self/fd/{}", written).c_str(), O_RDONLY | O_CLOEXEC);
        } else if (start.capturesOutput) {
            int pipe[2] = {-1, -1};
            if (pipe2(pipe, O_CLOEXEC) == 0) fcntl(pipe[0], F_SETFL, O_NONBLOCK);
            read = pipe[0];
            written = pipe[1];
        } else {
            return;
        }
        if (read >= 0) return;
        const int error = errno;
        if (written >= 0) close(written);
        fail("cannot keep the program's output: {}", std::strerror(error));
    }
    ~OutputPlace() {
        if (written >= 0) close(written);
        if (read >= 0) close(read);
    }
    OutputPlace(const OutputPlace&) = delete;
    OutputPlace& operator=(const OutputPlace&) = delete;
};

/// Programs that are started as long as it lives have their memory at the same addresses in each run.
class FixedAddresses {
  public:
    explicit FixedAddresses(bool wanted) : former_(wanted ? personality(kQuery) : -1) {
        if (former_ != -1) personality(static_cast<unsigned long>(former_) | ADDR_NO_RANDOMIZE);
    }
    ~FixedAddresses() {
        if (former_ != -1) personality(static_cast<unsigned long>(former_));
    }
    FixedAddresses(const FixedAddresses&) = delete;
    FixedAddresses& operator=(const FixedAddresses&) = delete;

  private:
    static constexpr unsigned long kQuery = 0xffffffff;
    const int former_;
};

int codeOf(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

}  // namespace

Debuggee Debuggee::start(const ProgramStart& start) {
    SpawnSettings settings;
    OutputPlace output(start);
    for (const int each : {STDOUT_FILENO, STDERR_FILENO})
        if (output.written >= 0) posix_spawn_file_actions_adddup2(&settings.actions, output.written, each);
    if (!start.directory.empty()) posix_spawn_file_actions_addchdir_np(&settings.actions, start.directory.c_str());
    const auto environment = environmentWith(start.environment);
    pid_t pid = 0;
    const FixedAddresses fixed(start.hasFixedAddresses);
    const int failure = posix_spawnp(&pid, start.words.at(0).c_str(), &settings.actions, &settings.attributes,
                                     pointersTo(start.words).data(), pointersTo(environment).data());
    if (failure != 0) fail("{}: {}", start.words[0], std::strerror(failure));
    return {pid, true, std::exchange(output.read, -1)};
}

Debuggee Debuggee::running(pid_t pid) { return {pid, false, -1}; }

Debuggee::Debuggee(Debuggee&& other) noexcept { *this = std::move(other); }

Debuggee& Debuggee::operator=(Debuggee&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(isOurs_, other.isOurs_);
    std::swap(output_, other.output_);
    std::swap(ended_, other.ended_);
    std::swap(exitCode_, other.exitCode_);
    return *this;
}

Debuggee::~Debuggee() {
    kill();
    if (output_ >= 0) close(output_);
}

bool Debuggee::hasEnded() {
    if (ended_ || pid_ == 0) return true;
    if (!isOurs_) return ended_ = ::kill(pid_, 0) != 0 && errno == ESRCH;
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) != pid_) return false;
    exitCode_ = codeOf(status);
    return ended_ = true;
}

std::vector<pid_t> Debuggee::family() const {
    constexpr std::size_t kMost = 256;
    std::vector<pid_t> all = {pid_};
    for (std::size_t i = 0; i < all.size() && all.size() < kMost; ++i) {
        std::error_code failure;
        const std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", all[i]), failure);
        if (failure) continue;
        for (const auto& thread : threads) {
            std::ifstream children(thread.path() / "children");
            for (pid_t child = 0; children >> child;) all.push_back(child);
        }
    }
    return all;
}

bool Debuggee::isEnding(pid_t process) {
    constexpr unsigned long kExiting = 0x4;  // PF_EXITING
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string stat;
    std::getline(file, stat, '\0');     // all of it; a process that is gone meanwhile fails quietly
    const auto name = stat.rfind(')');  // a name may have parentheses
    if (name == std::string::npos) return true;
    std::istringstream fields(stat.substr(name + 1));
    std::string passed;
    for (int i = 0; i < 6; ++i) fields >> passed;
    unsigned long flags = 0;  // the seventh field behind the name: proc_pid_stat(5)
    return fields >> flags && (flags & kExiting) != 0;
}

void Debuggee::beginKill() {
    if (isOurs_ && !hasEnded()) ::kill(pid_, SIGKILL);
}

void Debuggee::kill() {
    if (!isOurs_ || hasEnded()) return;
    ::kill(pid_, SIGKILL);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    exitCode_ = codeOf(status);
    ended_ = true;
}

std::string Debuggee::output() {
    std::string text;
    char buffer[4096];
    for (ssize_t got = 0; output_ >= 0 && (got = read(output_, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(got));
    return text;
}

}  // namespace zetl::debugger
