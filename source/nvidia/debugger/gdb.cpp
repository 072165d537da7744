#include "nvidia/debugger/gdb.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/log.h"
#include "base/settings.h"
#include "base/unseen_process.h"
#include "base/write_signals.h"

namespace zetl::nvidia {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kUsualPlace = "/usr/local/cuda/bin";
constexpr std::size_t kMostUnread = 64 << 20;  // bytes of one line
constexpr int kGets = 3;                       // descriptors

// The smaller program has no Python, whose cuda-gdb 13.0 ends by a segmentation fault when a thread starts while it
// attaches by a command.
constexpr std::array kNames{"cuda-gdb-minimal", "cuda-gdb"};

std::string inDirectory(std::string_view directory) {
    for (const auto* name : kNames) {
        auto path = fmt::format("{}/{}", directory, name);
        if (access(path.c_str(), X_OK) == 0) return path;
    }
    return {};
}

struct Pipe {
    FileDescriptor read;
    FileDescriptor write;

    static std::optional<Pipe> open() {
        std::array<int, 2> ends{-1, -1};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
        return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
    }
};

FileDescriptor above(const FileDescriptor& low) { return FileDescriptor(fcntl(low.get(), F_DUPFD_CLOEXEC, kGets)); }

}  // namespace

std::string findCudaGdb() {
    if (auto given = settings::text(settings::kCudaGdb)) return *given;
    std::string path = settings::text("PATH").value_or("");
    for (std::size_t begin = 0; begin < path.size();) {
        const auto end = std::min(path.find(':', begin), path.size());
        if (auto found = inDirectory(std::string_view(path).substr(begin, end - begin)); !found.empty()) return found;
        begin = end + 1;
    }
    return inDirectory(kUsualPlace);
}

std::unique_ptr<Gdb> Gdb::start(const std::string& program, Heard heard) {
    auto commands = Pipe::open();
    auto output = Pipe::open();
    if (!commands || !output) {
        log::warn(log::Channel::nvidia, "{} is not started: no descriptors ({})", program, std::strerror(errno));
        return nullptr;
    }
    const auto in = above(commands->read);
    const auto out = above(output->write);
    const std::array gets{in.get(), out.get(), out.get()};
    std::string words[] = {program, "--interpreter=mi3", "-q", "-nx"};
    char* const arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
    pid_t process = 0;
    if (const int failure = startUnseen({program.c_str(), arguments, environ, gets}, process); failure != 0) {
        log::warn(log::Channel::nvidia, "{} is not started: {}", program, std::strerror(failure));
        return nullptr;
    }
    return std::make_unique<Gdb>(std::move(commands->write), std::move(output->read), process, std::move(heard));
}

bool Gdb::send(std::string_view command) {
    const WriteSignalsHeld held;
    std::string line(command);
    line += '\n';
    for (std::size_t done = 0; done < line.size();) {
        const auto now = write(commands_.get(), &line[done], line.size() - done);
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) return false;
        done += static_cast<std::size_t>(now);
    }
    return true;
}

std::optional<Gdb::Answer> Gdb::ask(std::string_view command, Milliseconds limit) {
    if (gone_) return std::nullopt;
    words_.clear();
    answer_.reset();
    asking_ = true;
    if (!send(command)) gone_ = true;
    listen(limit, [this] { return answer_.has_value(); });
    asking_ = false;
    if (!answer_) {
        if (!gone_) log::warn(log::Channel::nvidia, "cuda-gdb has not answered \"{}\"; it is given up", command);
        gone_ = true;
    }
    return std::exchange(answer_, std::nullopt);
}

std::optional<Gdb::Answer> Gdb::askConsole(std::string_view command) {
    return ask(fmt::format("-interpreter-exec console \"{}\"", command));
}

bool Gdb::listen(Milliseconds limit, const std::function<bool()>& over) {
    const auto until = Clock::now() + limit;
    while (!gone_ && !over()) {
        const auto left = std::chrono::ceil<Milliseconds>(until - Clock::now());
        if (left.count() < 0) break;
        if (!receive(left)) gone_ = true;
        if (left.count() == 0) break;
    }
    return !gone_;
}

bool Gdb::receive(Milliseconds limit) {
    pollfd from{output_.get(), POLLIN, 0};
    if (poll(&from, 1, static_cast<int>(limit.count())) <= 0) return true;
    std::array<char, 64 << 10> buffer;
    const auto bytes = read(output_.get(), buffer.data(), buffer.size());
    if (bytes < 0 && errno == EINTR) return true;
    if (bytes <= 0 || unread_.size() > kMostUnread) return false;
    unread_.append(buffer.data(), static_cast<std::size_t>(bytes));
    std::size_t begin = 0;
    for (auto end = unread_.find('\n'); end != std::string::npos; end = unread_.find('\n', begin)) {
        take(std::string_view(unread_).substr(begin, end - begin));
        begin = end + 1;
    }
    unread_.erase(0, begin);
    return true;
}

void Gdb::take(std::string_view line) {
    auto record = mi::parse(line);
    if (!record) return;
    log::debug(log::Channel::nvidia, "cuda-gdb: {}", line.substr(0, 400));
    if (record->kind == '~') {
        words_ += record->value.text;
    } else if (record->kind == '^' && asking_ && !answer_) {
        const bool refused = record->name == "error";
        answer_ =
            Answer{!refused, refused ? std::string(record->value.textOf("msg")) : words_, std::move(record->value)};
    } else if (record->kind == '*' || record->kind == '=') {
        heard_(*record);
    }
}

}  // namespace zetl::nvidia
