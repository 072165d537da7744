#include "attaching/attached_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <fstream>
#include <vector>

#include "attachment/message.h"
#include "endpoint/process_endpoint.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

using endpoint::Connecting;
using endpoint::ProcessDirectory;

/// For the process's answers: it may have to wait for calls that an earlier recording traced.
constexpr timeval kAnswerLimit{10, 0};

[[noreturn]] void refuseToAttach(pid_t process, const std::string& why) {
    throw UsageError(fmt::format("trace: --attach {}: {}", process, why));
}

ProcessDirectory processDirectory(pid_t process) {
    ProcessDirectory directory;
    if (ProcessDirectory::open(process, directory) == ProcessDirectory::Opening::absent)
        refuseToAttach(process, "there is no such process; `ps -e` lists them");
    const auto user = directory.user();
    if (user && *user != geteuid())
        refuseToAttach(process,
                       fmt::format("the process belongs to user {} and not to you, user {}; run zetl as that user "
                                   "(sudo -u '#{}' zetl trace --attach {})",
                                   *user, geteuid(), *user, process));
    return directory;
}

bool hasLayer(pid_t process) {
    std::ifstream maps(fmt::format("/proc/{}/maps", process));
    for (std::string line; std::getline(maps, line);)
        if (line.find("/libze_tools_layer.so") != std::string::npos) return true;
    return false;
}

std::string reasonNotToAttach(Connecting failure, pid_t process) {
    switch (failure) {
        case Connecting::denied:
            return "you may not look into the process, as ptrace(2) defines it; run zetl in its container, as its user";
        case Connecting::silent:
            return "the process does not answer; it may be stopped (kill -CONT)";
        default:
            return hasLayer(process)
                       ? "nobody may attach to the process, or it has not called zeInit yet; start the program with "
                         "ZETL_ATTACH=1 in its environment, as zetl run does"
                       : "the process has not loaded the tools layer; start the program with `zetl run --native -- "
                         "PROGRAM`, or record it from its start with `zetl trace -- PROGRAM`";
    }
}

FileDescriptor attachmentSocket(pid_t process) {
    std::string distrusted;
    FileDescriptor socket;
    const auto directory = processDirectory(process);
    const auto state = endpoint::connectTo(directory, attachment::kEndpointKind, socket,
                                           [&](const std::string& refusal) { distrusted = "; " + refusal; });
    if (state != Connecting::connected) refuseToAttach(process, reasonNotToAttach(state, process) + distrusted);
    return socket;
}

std::string attachmentRequest(const Variables& settings) {
    std::string request(attachment::kGreeting);
    request += '\0';
    for (const auto& each : settings) {
        request += each.name + '=' + each.value;
        request += '\0';
    }
    return request;
}

/// What the process says; empty: it has ended, or did not answer in time.
std::string attachmentAnswer(int socket) {
    std::vector<char> answer(attachment::kMostBytes);
    const auto got = recv(socket, answer.data(), answer.size(), 0);
    return {answer.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

/// A descriptor that is readable when the user wants the recording to end.
FileDescriptor interruption() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int each : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, each);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    return FileDescriptor(signalfd(-1, &signals, SFD_CLOEXEC));
}

}  // namespace

AttachedProcess::AttachedProcess(pid_t process, const Variables& settings)
    : process_(process), interrupted_(interruption()), socket_(attachmentSocket(process)) {
    const auto request = attachmentRequest(settings);
    if (request.size() > attachment::kMostBytes)
        refuseToAttach(process, "--functions and --kernels have too many patterns; use fewer than 100 KB of them");
    setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &kAnswerLimit, sizeof kAnswerLimit);
    if (send(socket_.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0)
        refuseToAttach(process, fmt::format("the process does not listen: {}; try again", std::strerror(errno)));
    const auto answer = attachmentAnswer(socket_.get());
    if (answer.empty())
        refuseToAttach(process,
                       "the process does not answer; it may be stopped, or in a call that an earlier recording traced");
    if (answer[0] != attachment::kRecording) refuseToAttach(process, answer.substr(1));
}

void AttachedProcess::recordUntilEnd(std::optional<std::chrono::milliseconds> limit) {
    pollfd polled[] = {{socket_.get(), POLLIN, 0}, {interrupted_.get(), POLLIN, 0}};
    const auto wait = limit ? static_cast<int>(std::min<long>(limit->count(), INT_MAX)) : -1;
    while (poll(polled, std::size(polled), wait) < 0 && errno == EINTR) {
    }
    if (polled[0].revents == 0) return end();
    fmt::print(stderr, "zetl: process {} has ended\n", process_);
}

void AttachedProcess::end() const {
    send(socket_.get(), &attachment::kEnded, 1, MSG_NOSIGNAL);
    const auto answer = attachmentAnswer(socket_.get());
    if (answer.empty() || answer[0] != attachment::kEnded)
        fmt::print(stderr,
                   "zetl: process {} did not confirm the end of the recording; it may be stopped, and its last calls "
                   "may be missing\n",
                   process_);
}

}  // namespace zetl::command
