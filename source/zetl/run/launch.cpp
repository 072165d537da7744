#include "run/launch.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace zetl::command {
namespace {

std::atomic<pid_t> child{0};  ///< negative: a process group

void passOn(int signal) {
    if (const pid_t target = child.load()) kill(target, signal);
}

void setHandlers(void (*terminal)(int), void (*request)(int)) {
    for (const int signal : {SIGINT, SIGQUIT}) std::signal(signal, terminal);
    for (const int signal : {SIGTERM, SIGHUP}) std::signal(signal, request);
}

/// Returns in this process, with the child's number. The child prepares itself and becomes the program. Negative, with
/// a line on standard error, if there is none.
pid_t start(const std::vector<std::string>& program, const std::function<void()>& prepare) {
    const pid_t started = fork();
    if (started < 0) std::fprintf(stderr, "zetl: fork: %s\n", std::strerror(errno));
    if (started != 0) return started;
    setHandlers(SIG_DFL, SIG_DFL);
    prepare();
    _exit(become(program));
}

int codeOf(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

int statusOf(pid_t started) {
    int status = 0;
    while (waitpid(started, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/// Waits for the child to end; nothing if it goes on until then. SIGCHLD is blocked, and wakes.
std::optional<int> statusBy(std::chrono::steady_clock::time_point end, pid_t started, const sigset_t& wakes) {
    for (;;) {
        int status = 0;
        const pid_t ended = waitpid(started, &status, WNOHANG);
        if (ended > 0 || (ended < 0 && errno != EINTR)) return status;
        const auto left = end - std::chrono::steady_clock::now();
        if (left <= left.zero()) return std::nullopt;
        const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
        const timespec time{seconds.count(), std::chrono::nanoseconds(left - seconds).count()};
        sigtimedwait(&wakes, nullptr, &time);
    }
}

}  // namespace

bool endsAllRuns(int code) noexcept {
    constexpr int kSignal = 128;
    return code == kNotExecutable || code == kNoSuchProgram || code == kSignal + SIGINT || code == kSignal + SIGQUIT ||
           code == kSignal + SIGTERM || code == kSignal + SIGHUP;
}

int become(const std::vector<std::string>& program) {
    std::vector<char*> arguments;
    arguments.reserve(program.size() + 1);
    for (const auto& each : program) arguments.push_back(const_cast<char*>(each.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    const int failure = errno;
    std::fprintf(stderr, "zetl: %s: %s\n", arguments[0], std::strerror(failure));
    return failure == ENOENT ? kNoSuchProgram : kNotExecutable;
}

int runToEnd(const std::vector<std::string>& program, ProgramOutput output) {
    return runToEnd(program, [output] {
        if (output == ProgramOutput::standardError) dup2(STDERR_FILENO, STDOUT_FILENO);
    });
}

int runToEnd(const std::vector<std::string>& program, const std::function<void()>& prepare) {
    // Our handlers must be in place before there is a child to protect, and the child must not inherit them.
    setHandlers(SIG_IGN, passOn);
    const pid_t started = start(program, prepare);
    if (started < 0) return kNotExecutable;
    child = started;
    const int status = statusOf(started);
    child = 0;
    return codeOf(status);
}

std::optional<int> runWithin(std::chrono::seconds limit, const std::vector<std::string>& program,
                             const std::function<void()>& prepare) {
    setHandlers(passOn, passOn);
    sigset_t ended;
    sigset_t before;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &ended, &before);
    const pid_t started = start(program, [&] {
        setpgid(0, 0);
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        prepare();
    });
    std::optional<int> code = kNotExecutable;
    if (started > 0) {
        setpgid(started, started);  // both do it: neither waits for the other
        child = -started;
        const auto status = statusBy(std::chrono::steady_clock::now() + limit, started, ended);
        child = 0;
        if (!status) {
            kill(-started, SIGKILL);
            statusOf(started);
        }
        code = status ? std::optional(codeOf(*status)) : std::nullopt;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return code;
}

ProgramOutput besides(bool taken) { return taken ? ProgramOutput::standardError : ProgramOutput::standardOutput; }

ProgramOutput besides(const OutputFile& table) { return besides(table.isStandard()); }

ProgramOutput besides(const std::vector<const OutputFile*>& outputs) {
    return besides(std::ranges::any_of(outputs, [](const OutputFile* each) { return each->isStandard(); }));
}

void capture(const std::string& file) {
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    const int output = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (output < 0) return;
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
}

}  // namespace zetl::command
