// The two ends of a debug connection inside one process, each driven by hand.
#pragma once

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "debug/connection.h"
#include "support/fake_core.h"

namespace zetl::debug {

inline std::pair<FileDescriptor, FileDescriptor> socketPair() {
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
    return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// An agent's connection to a debugger that says whatever the test wants.
class ServedDebugger {
  public:
    ServedDebugger() { test::fake::addTo(devices_); }

    /// The agent's answer; its status is -1 if it dropped the connection.
    struct Answer {
        int status = -1;
        wire::Message message;
    };
    Answer ask(const wire::Message& request) {
        Answer answer;
        if (!wire::send(ours_.get(), request) || !serve()) return answer;
        while (wire::receive(ours_.get(), answer.message, wire::Clock::now()) == wire::Received::message)
            if (answer.message.head.kind == wire::Kind::reply) {
                answer.status = static_cast<int>(answer.message.head.status);
                break;
            }
        return answer;
    }
    /// What the agent makes of whatever was sent; false if it drops the connection.
    bool serve() { return connection_.serve() && connection_.flush(); }
    int socket() const { return ours_.get(); }
    /// Hello and proof as a debugger does it that may.
    bool introduce() {
        wire::Hello hello;
        const auto uuid = test::fake::uuid();
        std::copy(std::begin(uuid.id), std::end(uuid.id), hello.uuid);
        wire::Message request;
        request.head.kind = wire::Kind::hello;
        request.payload = wire::bytesOf(hello);
        const auto challenge = wire::payloadOf<wire::Challenge>(ask(request).message);
        Proof proof{};
        if (!challenge || readProof(getpid(), challenge->address, proof) != 0) return false;
        request.head.kind = wire::Kind::proof;
        request.payload = wire::bytesOf(proof.secret);
        return ask(request).status == ZETL_OK;
    }

  private:
    device::Devices devices_{test::fake::coreCalls()};
    const FileDescriptor wake_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    std::pair<FileDescriptor, FileDescriptor> ends_ = socketPair();
    const FileDescriptor ours_ = std::move(ends_.first);
    Connection connection_{std::move(ends_.second), devices_, wake_.get()};
};

/// Answers every request as the test wants; no answer if it returns nothing.
class ScriptedAgent {
  public:
    using Script = std::function<std::optional<wire::Message>(const wire::Message&)>;
    ScriptedAgent(FileDescriptor socket, Script script)
        : socket_(std::move(socket)), script_(std::move(script)), thread_([this] { run(); }) {}
    ~ScriptedAgent() {
        shutdown(socket_.get(), SHUT_RDWR);
        thread_.join();
    }
    void send(const zetl_event_t& event) {
        wire::Message message;
        message.head.kind = wire::Kind::event;
        message.payload = wire::bytesOf(event);
        wire::send(socket_.get(), message);
    }

  private:
    void run() {
        wire::Message request;
        while (wire::receive(socket_.get(), request) == wire::Received::message) {
            auto answer = script_(request);
            if (!answer) continue;
            answer->head.sequence = request.head.sequence;
            if (!wire::send(socket_.get(), *answer)) return;
        }
    }
    const FileDescriptor socket_;
    const Script script_;
    std::thread thread_;
};

}  // namespace zetl::debug
