#include "run/launch.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace zetl::command {
namespace {

std::atomic<pid_t> child{0};

void passOn(int signal) {
    if (const pid_t target = child.load()) kill(target, signal);
}

void setHandlers(void (*terminal)(int), void (*request)(int)) {
    for (const int signal : {SIGINT, SIGQUIT}) std::signal(signal, terminal);
    for (const int signal : {SIGTERM, SIGHUP}) std::signal(signal, request);
}

}  // namespace

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
    const pid_t started = fork();
    if (started < 0) {
        std::fprintf(stderr, "zetl: fork: %s\n", std::strerror(errno));
        return kNotExecutable;
    }
    if (started == 0) {
        setHandlers(SIG_DFL, SIG_DFL);
        prepare();
        _exit(become(program));
    }
    child = started;
    int status = 0;
    while (waitpid(started, &status, 0) < 0 && errno == EINTR) {
    }
    child = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

ProgramOutput besides(const OutputFile& table) {
    return table.isStandard() ? ProgramOutput::standardError : ProgramOutput::standardOutput;
}

ProgramOutput besides(const OutputFile& csv, const OutputFile& json) {
    return csv.isStandard() || json.isStandard() ? ProgramOutput::standardError : ProgramOutput::standardOutput;
}

}  // namespace zetl::command
