#include "files/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace zetl::command {
namespace {

/// Not SIG_IGN, which the programs that we start would inherit.
void ignore(int) {}

}  // namespace

void prepareStandardStreams() noexcept {
    // Standard input that cannot be read, output that cannot be written: as if they were closed.
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(descriptor, F_GETFD) < 0) {
            const int way = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
            [[maybe_unused]] const int opened = open("/dev/null", way | O_CLOEXEC);
        }
    struct sigaction known {};
    if (sigaction(SIGPIPE, nullptr, &known) == 0 && known.sa_handler == SIG_DFL) std::signal(SIGPIPE, ignore);
}

int finishStandardOutput(int code) noexcept {
    const bool failedBefore = std::ferror(stdout) != 0;
    if (std::fflush(stdout) == 0 && !failedBefore) return code;
    if (code != 0) return code;  // the command has printed the reason
    // A stream remembers that it failed, and not why.
    const int failure = failedBefore && write(STDOUT_FILENO, "\n", 1) == 1 ? EIO : errno;
    if (failure == EPIPE) return kReaderGone;
    std::fprintf(stderr, "zetl: standard output cannot be written: %s\n", std::strerror(failure));
    return 1;
}

bool isReaderGone(const std::exception& failure) noexcept {
    const auto* const error = dynamic_cast<const std::system_error*>(&failure);
    return error && error->code() == std::errc::broken_pipe;
}

}  // namespace zetl::command
