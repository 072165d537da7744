#include "emulator/compiler/process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/file_descriptor.h"
#include "base/never_destroyed.h"
#include "base/settings.h"

// clone() by its other name: the thread sanitizer's replacement takes a child that shares our memory for a copy of the
// process, and switches itself off in both.
extern "C" int __clone(int (*)(void*), void*, int, void*, ...);  // NOLINT(bugprone-reserved-identifier)

namespace zetl::emulator::compiler {
namespace {

constexpr std::size_t kMaxWords = 64 << 10;       // bytes of the compiler's output that a log keeps
constexpr std::uint64_t kMaxAnswer = 4ull << 30;  // bytes; more cannot be an answer
constexpr int kInherited = 4;                     // descriptors 0 to 3 of the new process, see Channels
constexpr const char* kProgram = "ze-tools-layer/zetl_ocloc";

std::string besideThisLibrary() {
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&besideThisLibrary), &here) == 0 || here.dli_fname == nullptr)
        return kProgram;
    std::error_code noDirectory;  // the working directory may be gone
    const auto library = std::filesystem::absolute(here.dli_fname, noDirectory);
    return (noDirectory ? std::filesystem::path(here.dli_fname) : library).parent_path() / kProgram;
}
// Found when the library is loaded: the name it has may be relative, and the application change its directory later.
NeverDestroyed<std::string> installedProgram(besideThisLibrary());

/// Above those that the new process gets, so that handing one over cannot cover another.
FileDescriptor above(FileDescriptor low) {
    return FileDescriptor(low ? fcntl(low.get(), F_DUPFD_CLOEXEC, kInherited) : -1);
}

/// What the new process reads and writes: standard input is the command, its output and errors are words.
struct Channels {
    FileDescriptor command, words, answer, writeAnswer;

    static std::optional<Channels> open(const Command& command) {
        Channels c;
        c.command = above(FileDescriptor(memfd_create("zetl-compiler-command", MFD_CLOEXEC)));
        c.words = above(FileDescriptor(memfd_create("zetl-compiler-words", MFD_CLOEXEC)));
        std::array<int, 2> pipe{-1, -1};
        if (pipe2(pipe.data(), O_CLOEXEC) != 0) return std::nullopt;
        c.answer = above(FileDescriptor(pipe[0])), c.writeAnswer = above(FileDescriptor(pipe[1]));
        if (!c.command || !c.words || !c.answer || !c.writeAnswer) return std::nullopt;
        return c.put(pack(command)) ? std::optional(std::move(c)) : std::nullopt;
    }

    std::string wordsSpoken() const {
        std::string text(kMaxWords, '\0');
        const ssize_t size = pread(words.get(), text.data(), text.size(), 0);
        text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        return text;
    }

  private:
    bool put(const Bytes& bytes) const {
        for (std::size_t done = 0; done < bytes.size();) {
            const ssize_t now = pwrite(command.get(), &bytes[done], bytes.size() - done, static_cast<off_t>(done));
            if (now <= 0) return false;
            done += static_cast<std::size_t>(now);
        }
        return true;
    }
};

struct Start {
    const char* program;
    const posix_spawn_file_actions_t* descriptors;
    const posix_spawnattr_t* attributes;
    int failure;
};

/// Runs in a process that shares our memory, while the thread that made it stands still.
int startProgram(void* argument) {
    Start& start = *static_cast<Start*>(argument);
    char* const words[] = {const_cast<char*>(start.program), nullptr};
    pid_t child = 0;
    start.failure = posix_spawn(&child, start.program, start.descriptors, start.attributes, words, environ);
    return 0;
}

/// Starts a grandchild. The child between ends at once and is one that only __WCLONE waits for, so that the
/// application neither hears of it nor finds it by wait(). Gives an error number.
int startDetached(Start& start) {
    constexpr std::size_t kStackBytes = 128 << 10;
    void* stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) return errno;
    const int child =
        __clone(startProgram, static_cast<std::byte*>(stack) + kStackBytes, CLONE_VM | CLONE_VFORK, &start);
    const int failure = child < 0 ? errno : start.failure;
    while (child > 0 && waitpid(child, nullptr, __WCLONE) < 0 && errno == EINTR) {
    }
    munmap(stack, kStackBytes);
    return failure;
}

/// Gives an error number. Signals wait meanwhile: a handler of the application must not run in the child.
int startProgram(const std::string& program, const Channels& channels) {
    posix_spawn_file_actions_t descriptors;
    posix_spawn_file_actions_init(&descriptors);
    const std::array inherited{&channels.command, &channels.words, &channels.words, &channels.writeAnswer};
    static_assert(inherited.size() == kInherited);
    for (int i = 0; i < kInherited; ++i) posix_spawn_file_actions_adddup2(&descriptors, inherited[i]->get(), i);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, all, before;
    sigemptyset(&none), sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none), posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

    pthread_sigmask(SIG_SETMASK, &all, &before);
    Start start{program.c_str(), &descriptors, &attributes, 0};
    const int failure = startDetached(start);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);

    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&descriptors);
    return failure;
}

bool readWhole(int descriptor, void* to, std::size_t size) {
    for (std::size_t done = 0; done < size;) {
        const ssize_t now = read(descriptor, static_cast<std::byte*>(to) + done, size - done);
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) return false;
        done += static_cast<std::size_t>(now);
    }
    return true;
}

/// What came before the ending, and the ending: empty if the program ended well.
struct Result {
    std::optional<Answer> answer;
    std::string ending = "ended with its process";
};

Result readResult(int descriptor) {
    Result result;
    FrameHead head{};
    while (readWhole(descriptor, &head, sizeof head) && head.bytes <= kMaxAnswer) {
        Bytes content(head.bytes);
        if (!readWhole(descriptor, content.data(), content.size())) break;
        if (head.kind == FrameHead::Kind::answer) {
            result.answer = unpackAnswer(content);
        } else {
            result.ending.assign(content.begin(), content.end());
            break;
        }
    }
    return result;
}

}  // namespace

Answer run(const Command& command) {
    const std::string program = settings::text(settings::kOcloc).value_or(*installedProgram);
    auto channels = Channels::open(command);
    if (!channels)
        return Answer::unusable(fmt::format("no descriptors for the compiler's process ({})", std::strerror(errno)));
    if (const int failure = startProgram(program, *channels); failure != 0)
        return Answer::unusable(fmt::format("{} cannot be started ({}); install it there or name it in {}", program,
                                            std::strerror(failure), settings::kOcloc));
    channels->writeAnswer = FileDescriptor();
    Result result = readResult(channels->answer.get());
    if (result.answer && result.ending.empty()) return *std::move(result.answer);
    return Answer::ended(fmt::format("{}\nthe compiler {}\n", channels->wordsSpoken(), result.ending));
}

}  // namespace zetl::emulator::compiler
