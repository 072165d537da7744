#include "compiler/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/unseen_process.h"
#include "compiler/environment.h"
#include "compiler/start.h"

namespace zetl::compiler {
namespace {

constexpr std::size_t kMaxWords = 64 << 10;       // bytes of the compiler's output that a log keeps
constexpr std::uint64_t kMaxAnswer = 4ull << 30;  // bytes; more cannot be an answer
constexpr int kInherited = 3;                     // descriptors 0 to 2 of the new process, see Channels

/// Above the descriptors that the new process gets, so that passing one on cannot cover another.
FileDescriptor above(FileDescriptor low) {
    return FileDescriptor(low ? fcntl(low.get(), F_DUPFD_CLOEXEC, kInherited) : -1);
}

/// The new process's input and output: the command comes from a socket that takes the answer back; standard output and
/// errors become the log. There are no files, not even in memory: the application's limit on the size of files holds
/// for those, and exceeding it is a signal that would end the application.
struct Channels {
    /// ends of the socket
    FileDescriptor ours;
    FileDescriptor theirs;
    /// ends of a pipe; ours does not block
    FileDescriptor words;
    FileDescriptor speakWords;

    static std::optional<Channels> open() {
        Channels c;
        std::array<int, 2> socket{-1, -1};
        std::array<int, 2> pipe{-1, -1};
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socket.data()) != 0) return std::nullopt;
        c.ours = FileDescriptor(socket[0]);
        c.theirs = above(FileDescriptor(socket[1]));
        if (pipe2(pipe.data(), O_CLOEXEC) != 0) return std::nullopt;
        c.words = FileDescriptor(pipe[0]);
        c.speakWords = above(FileDescriptor(pipe[1]));
        if (!c.theirs || !c.speakWords || fcntl(pipe[0], F_SETFL, O_NONBLOCK) != 0) return std::nullopt;
        return c;
    }

    /// The new process has these ends now.
    void closeTheirs() {
        theirs = FileDescriptor();
        speakWords = FileDescriptor();
    }

    /// A process that has ended takes nothing; its answer shows that.
    void put(const Bytes& command) const {
        for (std::size_t done = 0; done < command.size();) {
            const ssize_t now = send(ours.get(), &command[done], command.size() - done, MSG_NOSIGNAL);
            if (now < 0 && errno == EINTR) continue;
            if (now <= 0) break;
            done += static_cast<std::size_t>(now);
        }
        shutdown(ours.get(), SHUT_WR);
    }
};

/// Returns an error number.
int startProgram(const std::vector<std::string>& program, const Channels& channels) {
    const Environment environment(environ);
    std::vector<char*> words;
    words.reserve(program.size() + 1);
    for (const std::string& each : program) words.push_back(const_cast<char*>(each.c_str()));
    words.push_back(nullptr);
    const std::array inherited{channels.theirs.get(), channels.speakWords.get(), channels.speakWords.get()};
    static_assert(inherited.size() == kInherited);
    pid_t unknown = 0;
    return startUnseen({words.front(), words.data(), environment.pointers(), inherited}, unknown);
}

/// Appends what can be read at once, up to `most` bytes. Returns false at the end, or after an error.
template <class Content>
bool append(Content& content, int descriptor, std::size_t most = 256 << 10) {
    const std::size_t before = content.size();
    content.resize(before + most);
    const ssize_t now = read(descriptor, &content[before], most);
    content.resize(before + static_cast<std::size_t>(std::max<ssize_t>(now, 0)));
    return now > 0 || (now < 0 && (errno == EINTR || errno == EAGAIN));
}

struct Received {
    Bytes frames;
    std::string words;
};

/// Reads all output of the process until it ends.
Received receive(const Channels& channels) {
    Received all;
    std::string rest;  // of excess words: the sender must not wait for a listener
    const auto listen = [&] {
        const std::size_t room = kMaxWords - all.words.size();
        rest.clear();
        return room != 0 ? append(all.words, channels.words.get(), room) : append(rest, channels.words.get());
    };
    std::array<pollfd, 2> from{{{channels.ours.get(), POLLIN, 0}, {channels.words.get(), POLLIN, 0}}};
    while (all.frames.size() <= kMaxAnswer) {
        if (poll(from.data(), from.size(), -1) < 0) continue;
        if (from[1].revents != 0 && !listen()) from[1].fd = -1;
        if (from[0].revents != 0 && !append(all.frames, channels.ours.get())) break;
    }
    listen();
    return all;
}

/// The answer before the ending, and the ending: empty if the program ended well.
struct Result {
    std::optional<Answer> answer;
    std::string ending = "ended with its process";
};

Result readFrames(std::span<const std::uint8_t> bytes) {
    Result result;
    FrameHead head{};
    while (bytes.size() >= sizeof head) {
        std::memcpy(&head, bytes.data(), sizeof head);
        bytes = bytes.subspan(sizeof head);
        if (head.bytes > bytes.size()) break;
        const auto content = bytes.first(head.bytes);
        bytes = bytes.subspan(head.bytes);
        if (head.kind == FrameHead::Kind::answer)
            result.answer = unpackAnswer(content);
        else
            result.ending.assign(content.begin(), content.end());
    }
    return result;
}

std::string remedyFor(const Program& program, int failure) {
    if (failure == ENOENT || failure == EACCES)
        return fmt::format("install it there or name it in {}", program.setting);
    return failure == EAGAIN ? "raise the limit on processes (ulimit -u)" : "the system does not let it start";
}

}  // namespace

Answer run(const Command& command) {
    const Program& program = command.program;
    Start start = Start::of(command);
    if (!start.refusal.empty()) return Answer::unusable(std::move(start.refusal));
    auto channels = Channels::open();
    if (!channels)
        return Answer::unusable(fmt::format(
            "no descriptors for the compiler's process ({}); raise the limit (ulimit -n)", std::strerror(errno)));
    const Bytes packed = pack(command);
    if (const int failure = startProgram(start.words, *channels); failure != 0)
        return Answer::unusable(fmt::format("{} cannot be started ({}); {}", start.words.front(),
                                            std::strerror(failure), remedyFor(program, failure)));
    channels->closeTheirs();
    channels->put(packed);
    const Received received = receive(*channels);
    Result result = readFrames(received.frames);
    if (result.answer && result.ending.empty()) return *std::move(result.answer);
    return Answer::ended(fmt::format("{}\nthe compiler {}\n", received.words, result.ending));
}

}  // namespace zetl::compiler
