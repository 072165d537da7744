// A compiler's program, zetl_ocloc or zetl_spirv_to_ptx: runs one command (worker.h) and reports how it ended.
//
// Standard input is a socket from which the command comes and which takes the frames of command.h back; the compiler's
// output goes to standard output. The compiler runs in a child, which may end in any way. Of the project only this
// directory is linked, so that the program never runs under a sanitizer: their run times do not let the compiler load.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "compiler/worker.h"
#include "compiler/workplace.h"

namespace zetl::compiler {
namespace {

constexpr int kSocket = STDIN_FILENO;
constexpr std::size_t kStackBytes = 64 << 20;  // of the compiler

Bytes readCommand() {
    constexpr std::size_t kPiece = 256 << 10;
    Bytes bytes;
    for (ssize_t now = 1; now > 0;) {
        const std::size_t done = bytes.size();
        bytes.resize(done + kPiece);
        now = read(kSocket, &bytes[done], kPiece);
        bytes.resize(done + static_cast<std::size_t>(now > 0 ? now : 0));
    }
    return bytes;
}

void writeFrame(FrameHead::Kind kind, const void* data, std::size_t size) {
    const FrameHead head{kind, size};
    const auto put = [](const void* from, std::size_t count) {
        for (auto at = static_cast<const std::uint8_t*>(from); count != 0;) {
            const ssize_t now = write(kSocket, at, count);
            if (now <= 0) return;
            at += now;
            count -= static_cast<std::size_t>(now);
        }
    };
    put(&head, sizeof head);
    put(data, size);
}

/// If memory runs out, the kernel ends this process first, not the application.
void offerMemory() {
    const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    [[maybe_unused]] const ssize_t written = write(file, "1000", 4);
    close(file);
}

/// Calls it on a stack of known size: the stacks of the process, and of threads that the compiler starts, would have
/// the application's limit, which may be too small for a compiler. Without memory for a new stack, calls it on this
/// one.
template <class F>
void onOwnStack(F&& function) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    pthread_setattr_default_np(&attributes);
    pthread_t thread;
    const auto call = [](void* argument) -> void* {
        (*static_cast<F*>(argument))();
        return nullptr;
    };
    if (pthread_create(&thread, &attributes, call, &function) == 0)
        pthread_join(thread, nullptr);
    else
        function();
}

/// The child: one command.
int work(const Command& command, const Workplace& workplace) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    offerMemory();
    const rlimit time{command.seconds, command.seconds + 5};
    const rlimit noCore{0, 0};
    if (command.seconds != 0) setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &noCore);
    workplace.enter();
    onOwnStack([&] {
        const Bytes answer = pack(runHere(command));
        writeFrame(FrameHead::Kind::answer, answer.data(), answer.size());
    });
    return 0;
}

/// Waits for the child, and ends it if the reader of the answer is gone.
int waitFor(pid_t child) {
    const auto ended = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
    if (ended >= 0) {
        pollfd watched[] = {{ended, POLLIN, 0}, {kSocket, 0, 0}};
        while (poll(watched, 2, -1) < 0) {
        }
        if ((watched[0].revents & POLLIN) == 0) kill(child, SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

/// Empty if the child ended well.
std::string describe(int status, const Command& command) {
    if (WIFEXITED(status)) {
        const int code = WEXITSTATUS(status);
        return code == 0 ? "" : "ended its process with exit code " + std::to_string(code);
    }
    const int signal = WTERMSIG(status);
    if (signal == SIGXCPU) return "used more than " + std::to_string(command.seconds) + " s of processor time";
    return "was ended by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

/// For people and `zetl doctor`: identifies the compiler behind a library's name.
int identify(const char* library) {
    const Answer answer = runHere({.library = library, .seconds = 0, .arguments = {}, .files = {}});
    std::puts((answer.missing.empty() ? answer.compiler : answer.missing).c_str());
    return answer.missing.empty() ? 0 : 1;
}

/// For `zetl doctor`: those of the names that a compiler builds for.
int nameProducts(const char* library, std::span<char* const> names) {
    for (const std::string name : names) {
        const Answer answer = runHere({.library = library, .seconds = 0, .arguments = {"ids", name}, .files = {}});
        if (answer.missing.empty() && answer.code == 0) std::printf("%s ", name.c_str());
    }
    std::puts("");
    return 0;
}

int serve() {
    close_range(STDERR_FILENO + 1, ~0u, 0);
    const Bytes bytes = readCommand();
    auto command = unpackCommand(bytes);
    std::string ending = "got no command: this program is for the project's drivers alone";
    if (command) {
        const Workplace workplace(*command);
        const pid_t child = fork();
        if (child == 0) _exit(work(*command, workplace));
        ending =
            child < 0 ? std::string("got no process: ") + std::strerror(errno) : describe(waitFor(child), *command);
    }
    writeFrame(FrameHead::Kind::ending, ending.data(), ending.size());
    shutdown(kSocket, SHUT_RDWR);  // also where a process that the compiler left behind holds it
    return command ? 0 : 2;
}

}  // namespace
}  // namespace zetl::compiler

int main(int count, char** words) {
    using namespace zetl::compiler;
    const std::string_view mode = count >= 3 ? words[1] : "";
    if (mode == "--identify") return identify(words[2]);
    if (mode == "--builds-for") return nameProducts(words[2], {words + 3, words + count});
    return serve();
}
