#include "compiler/tool.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace zetl::compiler {
namespace {

/// No file is on disk, so limits and permissions of the application's directories do not matter.
class MemoryFile {
  public:
    MemoryFile() : descriptor_(memfd_create("compiler", MFD_CLOEXEC)) {}
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() {
        if (descriptor_ >= 0) close(descriptor_);
    }

    int descriptor() const noexcept { return descriptor_; }
    bool fill(const Bytes& bytes) const {
        for (std::size_t done = 0; done < bytes.size();) {
            const ssize_t now = write(descriptor_, &bytes[done], bytes.size() - done);
            if (now <= 0) return false;
            done += static_cast<std::size_t>(now);
        }
        return descriptor_ >= 0 && lseek(descriptor_, 0, SEEK_SET) == 0;
    }
    Bytes content() const {
        const off_t end = lseek(descriptor_, 0, SEEK_END);
        Bytes bytes(static_cast<std::size_t>(end > 0 ? end : 0));
        for (std::size_t done = 0; done < bytes.size();) {
            const ssize_t now = pread(descriptor_, &bytes[done], bytes.size() - done, static_cast<off_t>(done));
            if (now <= 0) break;
            done += static_cast<std::size_t>(now);
        }
        return bytes;
    }

  private:
    int descriptor_;
};

using Streams = std::array<MemoryFile, 3>;

/// Runs in the child. The child ends with us, however we end.
[[noreturn]] void become(char* const* words, const Streams& streams, std::uint32_t seconds) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit time{seconds, seconds + 5};
    if (seconds != 0) setrlimit(RLIMIT_CPU, &time);
    for (int i = 0; i < static_cast<int>(streams.size()); ++i)
        dup2(streams[static_cast<std::size_t>(i)].descriptor(), i);
    execv(words[0], words);
    _exit(127);
}

std::string endingOf(int status, const std::string& program, std::uint32_t seconds) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    if (WIFEXITED(status)) return program + " ended with exit code " + std::to_string(WEXITSTATUS(status));
    if (WTERMSIG(status) == SIGXCPU)
        return program + " used more than " + std::to_string(seconds) + " s of processor time";
    return program + " was ended by signal " + std::to_string(WTERMSIG(status));
}

}  // namespace

ToolResult runTool(const std::vector<std::string>& words, const Bytes& input, std::uint32_t seconds) {
    const Streams streams;
    if (!streams[0].fill(input) || streams[1].descriptor() < 0 || streams[2].descriptor() < 0)
        return {{}, {}, std::string("no memory for files (") + std::strerror(errno) + ")"};
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) become(pointers.data(), streams, seconds);
    if (child < 0) return {{}, {}, std::string("no process for ") + words[0] + " (" + std::strerror(errno) + ")"};
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const Bytes said = streams[2].content();
    return {streams[1].content(), std::string(said.begin(), said.end()), endingOf(status, words[0], seconds)};
}

}  // namespace zetl::compiler
