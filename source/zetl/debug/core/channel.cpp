#include "core/channel.h"

#include <poll.h>
#include <unistd.h>

namespace zetl::debugger {
namespace {

std::optional<std::string> readInput(bool wait) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, wait ? -1 : 0) <= 0) return "";
    char buffer[4096];
    const auto got = read(STDIN_FILENO, buffer, sizeof buffer);
    if (got <= 0) return std::nullopt;
    return std::string(buffer, static_cast<std::size_t>(got));
}

void writeOutput(const std::string& bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
        const auto put = write(STDOUT_FILENO, bytes.data() + done, bytes.size() - done);
        if (put <= 0) return;
        done += static_cast<std::size_t>(put);
    }
}

}  // namespace

Channel standardChannel() { return {readInput, writeOutput}; }

}  // namespace zetl::debugger
